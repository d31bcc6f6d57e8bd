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
 * changed only by compare-and-set. A new writer
 *
 * <ol>
 *   <li>reads the catalog and opens the ledgers that matter with recovery, which fences them: an
 *       older writer's next append fails;
 *   <li>creates a ledger of its own and adds it to the catalog. If the catalog changed meanwhile,
 *       it begins again: the older writer may have rolled to a ledger that is not fenced yet;
 *   <li>from here on an older writer can neither append (its ledgers are fenced) nor roll (its
 *       compare-and-set fails).
 * </ol>
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
