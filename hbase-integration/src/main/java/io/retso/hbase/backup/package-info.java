/**
 * Backups of prepared tables at one snapshot, while applications go on writing. Needs {@code
 * hbase-server} on the class path, for HBase's files and loads.
 */
package io.retso.hbase.backup;
