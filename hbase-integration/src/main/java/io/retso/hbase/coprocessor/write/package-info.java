/**
 * Writes and cleanups in a region: {@link io.retso.hbase.coprocessor.write.OpenBatches} knows which
 * are under way, {@link io.retso.hbase.coprocessor.write.RegionWrites} admits and refuses, {@link
 * io.retso.hbase.coprocessor.write.RowCleaner} cleans up, {@link
 * io.retso.hbase.coprocessor.write.RowLatches} keep the two apart. {@link
 * io.retso.hbase.coprocessor.write.AdoptionWrites} adopts outcomes for all rows of a transaction,
 * {@link io.retso.hbase.coprocessor.write.ReplayCleanup} cleans up what a crash leaves of them.
 */
package io.retso.hbase.coprocessor.write;
