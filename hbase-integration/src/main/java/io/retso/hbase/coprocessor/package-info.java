/**
 * What region servers do for transactional tables: snapshot reads, cleanup, the horizon and purge,
 * and the cleanup of what dead clients left behind. docs/hbase.md is the specification.
 *
 * <ul>
 *   <li>{@link io.retso.hbase.coprocessor.TransactionRegionObserver}: the hooks; the one class to
 *       install
 *   <li>{@code TransactionalRegion}: one open region, and its parts:
 *       <ul>
 *         <li>reads: {@code SnapshotFilter} within HBase's own scanners, {@code SnapshotReader} for
 *             rows in doubt
 *         <li>writes: {@code RegionWrites} admits and refuses, {@code RowCleaner} cleans up, {@code
 *             RowClaims} keeps the two apart
 *         <li>purge: {@code RegionPurge}, {@code VersionPurge} for data and {@code MarkScanner} for
 *             marks
 *         <li>{@code Horizon} and {@code BatchesInFlight}: what all of them rely on
 *       </ul>
 *   <li>{@code OracleLink}: one per region server and oracle, with {@code OrphanQueue}
 * </ul>
 */
package io.retso.hbase.coprocessor;
