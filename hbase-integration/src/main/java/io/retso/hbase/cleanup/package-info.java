/**
 * The cleanup of rows whose transaction is decided, by clients: {@link
 * io.retso.hbase.cleanup.Cleaner} behind the replies to commits, {@link
 * io.retso.hbase.cleanup.Orphans} for what readers came across; both by {@link
 * io.retso.hbase.cleanup.RowCleanup}.
 *
 * <p>Internal: applications use {@code io.retso.hbase}.
 */
package io.retso.hbase.cleanup;
