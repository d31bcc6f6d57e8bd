/**
 * What clients and region servers share: the layout of a transactional table, and the decision of
 * what a snapshot sees of a row. docs/hbase.md is the specification.
 *
 * <p><strong>Internal to this module.</strong> The classes are public because two packages use
 * them; applications use {@code io.retso.hbase}.
 *
 * <ul>
 *   <li>layout: {@link io.retso.hbase.data.CellVersion}, {@link io.retso.hbase.data.PendingWrite},
 *       {@link io.retso.hbase.data.Tombstone}, {@link io.retso.hbase.data.TableSettings}
 *   <li>reading: {@link io.retso.hbase.data.SnapshotReads} checks what the application asks for and
 *       turns it into raw reads, {@link io.retso.hbase.data.SnapshotRow} decides a row with the
 *       help of {@link io.retso.hbase.data.WriterStatuses} and the shared {@link
 *       io.retso.hbase.data.StatusCache}, {@link io.retso.hbase.data.RowFilter} applies the
 *       application's filter to what is visible
 *   <li>requests to region servers: {@link io.retso.hbase.data.ReadAttribute}, {@link
 *       io.retso.hbase.data.CleanupRequest}
 * </ul>
 */
package io.retso.hbase.data;
