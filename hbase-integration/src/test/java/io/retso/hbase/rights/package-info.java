/**
 * HBase that checks rights or visibility, and servers that load no coprocessors of tables: no user
 * is shown too much, and nothing that a user could not see is taken for cleaned up.
 */
package io.retso.hbase.rights;
