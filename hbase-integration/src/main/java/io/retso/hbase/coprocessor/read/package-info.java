/**
 * Snapshot reads in a region: {@link io.retso.hbase.coprocessor.read.SnapshotFilter} within HBase's
 * own scanners, {@link io.retso.hbase.coprocessor.read.RegionReader} for rows in doubt.
 */
package io.retso.hbase.coprocessor.read;
