/**
 * What flushes and compactions write ({@link io.retso.hbase.coprocessor.purge.RegionPurge}): {@link
 * io.retso.hbase.coprocessor.purge.VersionPurge} leaves out versions that no snapshot sees, {@link
 * io.retso.hbase.coprocessor.purge.AdoptingScanner} moves or drops those of adopted transactions,
 * {@link io.retso.hbase.coprocessor.purge.MarkScanner} keeps one state of each mark, and {@link
 * io.retso.hbase.coprocessor.purge.MemoryMarkScanner} adds the marks that are no cells.
 */
package io.retso.hbase.coprocessor.purge;
