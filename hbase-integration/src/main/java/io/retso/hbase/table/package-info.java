/**
 * The tables that a transaction manager uses: {@link io.retso.hbase.table.TableCatalog} reads and
 * remembers their descriptors, {@link io.retso.hbase.table.TableRules} says what must be true of
 * them.
 *
 * <p>Internal: applications use {@code io.retso.hbase}.
 */
package io.retso.hbase.table;
