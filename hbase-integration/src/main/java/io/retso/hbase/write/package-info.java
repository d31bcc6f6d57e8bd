/**
 * How a transaction writes: {@link io.retso.hbase.write.RowEdit} works out what mutations come to
 * in the snapshot, {@link io.retso.hbase.write.TableEdits} reads what that depends on, and {@link
 * io.retso.hbase.write.WriteBuffer} keeps it back until it is sent, cells and mark of a row
 * together.
 *
 * <p>Internal: applications use {@code io.retso.hbase}.
 */
package io.retso.hbase.write;
