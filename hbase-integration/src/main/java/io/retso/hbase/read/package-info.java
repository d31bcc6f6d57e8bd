/**
 * How a transaction reads.
 *
 * <pre>
 *   Snapshot          at which timestamp; SharedSnapshots has one at hand for read-only transactions,
 *                     SafeSnapshots for those that are serializable
 *     TableReader     asks regions; or decides the rows itself (ClientTableReader, package resolve)
 *       OracleQueries   asks the oracle about writers that a read met
 *   SnapshotScan      a scan, page after page; BlockingScanner holds its rows for the application
 *   ReadSet           what a serializable transaction has read; ScanRange is a scan's part of it
 * </pre>
 *
 * <p>Internal: applications use {@code io.retso.hbase}.
 */
package io.retso.hbase.read;
