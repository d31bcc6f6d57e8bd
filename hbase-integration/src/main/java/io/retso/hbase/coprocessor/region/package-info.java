/**
 * What all parts of one region rely on: its {@link io.retso.hbase.coprocessor.region.Horizon}, the
 * {@link io.retso.hbase.coprocessor.region.BatchesInFlight}, the {@link
 * io.retso.hbase.coprocessor.region.RegionMarks} of its writers, the {@link
 * io.retso.hbase.coprocessor.region.AdoptedOutcomes} on how they ended, and its metrics.
 *
 * <p><em>The states of a mark</em> that is no cell ({@link
 * io.retso.hbase.coprocessor.region.Mark}), and what takes it from one to the next; there are no
 * other ways:
 *
 * <pre>
 *   added ----------> numbered ----------> applied -----------------------------> gone
 *     |    HBase's    |    |     its batch  |   |     the transaction is adopted   ^
 *     |    append to  |    |     is in log  |   |     here, with all its marks     |
 *     |    the log    |    |     and memory |   |                                  |
 *     |               |    +-------+--------+   |                                  |
 *     |               |            | a flush    |                                  |
 *     |               |            v writes it  |       the flush has ended        |
 *     |               |          taken ---------|--------------------------------->|
 *     |               |            |            |                                  |
 *     |               +------------+------------+                                  |
 *     |                            | its cleanup is in log and memory              |
 *     |                            v                   that cleanup can be seen    |
 *     |                         cleaned ------------------------------------------>|
 *     |                                                                            |
 *     +--------------------------------------------------------------------------->+
 *          its batch failed before the append, or others have refused the write
 *
 *   state     by                                       under
 *   added     a batch, before it is applied            HBase's lock of updates, shared
 *   applied   that batch                               the same
 *   cleaned   a batch with the cleanup of the row      the same, and the latch of the row
 *   taken     a flush of !pw                           that lock, held alone
 *   gone      each of them when it is over             the lock of the transaction
 * </pre>
 *
 * <p>So none is cleaned and then taken, and none is adopted while it is taken: its transaction is
 * not above {@code floor} any more.
 */
package io.retso.hbase.coprocessor.region;
