/** What the coprocessor uses of HBase that HBase keeps for itself. */
package io.retso.hbase.coprocessor.hbase;
