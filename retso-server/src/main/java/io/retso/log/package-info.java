/**
 * The write-ahead log: what the oracle changed, in order, in entries on a fenced chain of ledgers.
 *
 * <p>{@link io.retso.log.LogEntry} is the one definition of the bytes. {@link
 * io.retso.log.LedgerLog} is the protocol: take over by fencing, replay, append, roll, trim. {@link
 * io.retso.log.LedgerStore} is the little that it needs of the world; {@link
 * io.retso.log.BookKeeperStore} gives it that on BookKeeper and ZooKeeper. {@link
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
 * enters one only if the epoch is still its own: whoever replaced the catalog last in that epoch
 * sees it fail once step 2 has happened, since the version is another. So all ledgers that an older
 * writer appends to, ever, are in the list of step 2, before the own one. It uses them in the order
 * of the list, and begins one when every entry of those before is durable. Of these, only the last
 * one that has an entry, and empty ones behind it, can get more entries. Step 3 opens all of them,
 * in whatever order: an append that is acknowledged before its ledger's fence is complete is found
 * by the recovery, and none is acknowledged after. If the older writer goes on to an empty ledger
 * of these while they are opened, what it left is complete, and the entry with which it begins is
 * in a ledger that is fenced, too: before the entry, which then fails, or after, and then it is
 * found.
 *
 * <p>Entries behind the fence that nobody acknowledged may survive or not: recovery decides that
 * once for all readers to come. A writer that stops between step 2 and its first entry leaves a
 * ledger without entries, which whoever comes next fences as well. Until then the writer before can
 * append but not roll: it learns of the higher epoch at its next change of the catalog, and is
 * fenced.
 *
 * <p><strong>Bounded recovery without checkpoints of the map.</strong> Every ledger (called segment
 * where its contents matter) begins with the time at which it starts and a list of all commits that
 * are not cleaned up. The list is written while other changes go on, which stand among its records;
 * if its writer dies before its end, a recovery reads further back, to a segment with a complete
 * one. Nothing that committed before the oracle's window of transactions can matter to a
 * transaction within it, so replaying the segments that reach back over one window rebuilds the
 * map, the window and the table of uncleaned commits; older segments are deleted.
 */
package io.retso.log;
