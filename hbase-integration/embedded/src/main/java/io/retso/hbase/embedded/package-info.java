/**
 * HBase inside of this process: real master, region servers, write-ahead log, flushes, compactions
 * and splits over the local file system. For tests, demonstrations and first steps, here and in
 * applications; it needs {@code hbase-server} on the class path.
 */
package io.retso.hbase.embedded;
