/**
 * The write-ahead log: what the oracle changed, in order, in entries on a fenced chain of ledgers.
 *
 * <p>{@link io.retso.log.LogEntry} is the one definition of the bytes. What they say is what the
 * oracle hands out ({@link io.retso.oracle.Changes}); the log knows nothing else of it. {@link
 * io.retso.log.LedgerLog} is the protocol: take over by fencing, replay, append, roll, trim. {@link
 * io.retso.log.LedgerStore} is the little that it needs of the world; {@link
 * io.retso.log.bookkeeper.BookKeeperStore} gives it that on BookKeeper and ZooKeeper. {@link
 * io.retso.log.MemoryLog} is the paper's WAL-disabled mode.
 *
 * <p><strong>One writer.</strong> The chain of ledgers is a list in the <em>catalog</em>, which is
 * changed only by compare-and-set. The catalog also has the <em>epoch</em>, the number of the
 * take-over that its writer began with. A new writer
 *
 * <ol>
 *   <li>creates a ledger of its own;
 *   <li>replaces the catalog: the next epoch, its own ledger at the end. If the catalog changed
 *       since it was read, it reads and tries again; if the epoch did, another server was faster;
 *   <li>opens the ledgers before its own with recovery, which fences them: from the newest back to
 *       where a replay begins;
 *   <li>replays them, and appends to its own ledger.
 * </ol>
 *
 * <p><em>Claim: what an older writer was ever told to be durable is replayed, and behind step 3
 * nothing more is.</em> A writer appends only to ledgers that it has entered in the catalog, and
 * enters one only if the epoch is still its own: the writer that replaced the catalog last in that
 * epoch sees it fail once step 2 has happened, since the version is another. So all ledgers that an
 * older writer appends to, ever, are in the list of step 2, before the own one. It uses them in the
 * order of the list, and begins one when those before cannot get more entries: because all of its
 * entries there are durable, or because it has them sealed itself (below). Of these, only the last
 * one that has an entry, and empty ones behind it, can get more entries. Step 3 opens all of them,
 * in whatever order: an append that is acknowledged before its ledger's fence is complete is found
 * by the recovery, and none is acknowledged after. If the older writer goes on to an empty ledger
 * of these while they are opened, what it left is complete, and the entry with which it begins is
 * in a ledger that is fenced, too: before the entry, which then fails, or after, and then it is
 * found.
 *
 * <p>How much time passes between step 2 and step 3 makes no difference: until it is fenced the
 * older writer goes on in ledgers of that list. So the server that is to succeed a leader that
 * hands over takes step 2 while that one serves, and step 3 when it has ended.
 *
 * <p>Entries behind the fence that were not acknowledged may survive or not: recovery decides that
 * once for all readers to come. A writer that stops between step 2 and its first entry leaves a
 * ledger without entries, which the next server fences as well. Until then the writer before can
 * append but not roll: it learns of the higher epoch at its next change of the catalog, and is
 * fenced.
 *
 * <p><strong>A ledger that fails.</strong> An append fails when too few bookies answer, or a bookie
 * says that the ledger is fenced. Which of the entries under way are durable then is not known. The
 * writer <em>stalls</em>: it appends and acknowledges nothing, keeps the entries, and tries again
 * and again to
 *
 * <ol>
 *   <li>read the catalog: if the epoch is another's, it is deposed;
 *   <li>open its own ledger with recovery, which seals it;
 *   <li>have another ledger in the catalog: one that it had prepared, or a new one that it enters
 *       as always, by compare-and-set in its own epoch;
 *   <li>append there, at the positions that they have, the entries that are not in the sealed one.
 * </ol>
 *
 * <p><em>Claim: no entry is lost, and none is in the log twice or in another order.</em> Only the
 * writer appends to its ledger, and it gave the ledger's n-th entry once, with the n-th position
 * from the first. Recovery, the writer's or a successor's, copies such entries and makes none. So
 * the sealed ledger has the entries up to some position, as they were sent, and at least those that
 * were acknowledged; if not, bookies have lost what they acknowledged, and the writer ends. Once
 * sealed the ledger has one end for all readers: what is behind it on some bookie, or arrives there
 * late, is never read. Late news of these appends is not heard: the writer listens to those of one
 * ledger until the first failure. So the entries behind the end are in the log only where step 4
 * puts them, in order.
 *
 * <p>A successor may take over at any moment. Before step 3: the compare-and-set fails, or the
 * prepared ledger is in the successor's list and is fenced by it. After it: the new ledger is in
 * the successor's list. Either way the claim above holds, as the ledgers before the one that is
 * written are sealed. Two recoveries of one ledger at the same time agree on its end, or one of
 * them fails and is tried again. What step 2 finds may be acknowledged even if a successor has the
 * log: every recovery finds the same, so the successor knows it.
 *
 * <p>A ledger that goes on where another was sealed continues its segment, and has no segment
 * record at its beginning. The first entry says so ({@link io.retso.log.LogEntry}), unless the
 * sealed one was empty: then the new ledger begins as that one would have.
 *
 * <p><strong>Bounded recovery without checkpoints of the map.</strong> Every ledger (called segment
 * where its contents matter) but those that continue another begins with the time at which it
 * starts and a list of all commits that are not cleaned up. The list is written while other changes
 * go on, which stand among its records; if its writer dies before its end, a recovery reads further
 * back, to a segment with a complete one. Nothing that committed before the oracle's window of
 * transactions can matter to a transaction within it, so replaying the segments that reach back
 * over one window rebuilds the map, the window and the table of uncleaned commits; older segments
 * are deleted.
 */
package io.retso.log;
