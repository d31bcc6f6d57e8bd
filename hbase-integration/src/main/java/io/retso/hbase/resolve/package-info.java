/**
 * What a snapshot sees of a row, decided by the same code in clients and region servers: {@link
 * io.retso.hbase.resolve.SnapshotRow} decides a row with the help of {@link
 * io.retso.hbase.resolve.WriterStatuses} and the shared {@link io.retso.hbase.resolve.StatusCache},
 * {@link io.retso.hbase.resolve.RowFilter} applies the application's filter to what is visible.
 * {@link io.retso.hbase.resolve.SnapshotRequests} checks what the application asks for and turns it
 * into reads of versions and marks. docs/protocol.md is the specification.
 *
 * <p>Internal to this module.
 */
package io.retso.hbase.resolve;
