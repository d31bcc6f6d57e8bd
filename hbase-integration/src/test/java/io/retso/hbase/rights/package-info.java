/**
 * HBase that checks rights or visibility, and servers that load no coprocessors of tables: nobody
 * is shown too much, and nothing that somebody could not see is taken for cleaned up.
 */
package io.retso.hbase.rights;
