/**
 * Judges what is in a table: {@link io.retso.hbase.check.DataCheck}, for {@code retso hbase check
 * --data}. What can be told from what is in docs/decisions/0037-what-a-table-says-of-itself.md.
 *
 * <p>Internal: operators use the command.
 */
package io.retso.hbase.check;
