/**
 * The tables that a transaction manager uses: {@link io.retso.hbase.table.TableCatalog} reads and
 * remembers their descriptors, {@link io.retso.hbase.table.TableRules} says what must be true of
 * them. {@link io.retso.hbase.table.PreparedTable} gives the ids under which the oracle knows rows
 * and cells, {@link io.retso.hbase.table.Granules} those of parts of the table, of which {@link
 * io.retso.hbase.table.Cover} finds some for a range.
 *
 * <p>Internal: applications use {@code io.retso.hbase}.
 */
package io.retso.hbase.table;
