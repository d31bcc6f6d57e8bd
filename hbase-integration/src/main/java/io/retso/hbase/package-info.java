/** Transactional tables for HBase applications. */
package io.retso.hbase;
