package io.retso.hbase.transaction;

import io.retso.hbase.futures.Futures;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncTableRegionLocator;
import org.apache.hadoop.hbase.client.RegionLocator;

/** The blocking twin of HBase's asynchronous locator. Thread-safe, as that is. */
final class TableLocator implements RegionLocator {
  private final AsyncTableRegionLocator async;

  TableLocator(AsyncTableRegionLocator async) {
    this.async = async;
  }

  @Override
  public HRegionLocation getRegionLocation(byte[] row, int replicaId, boolean reload)
      throws IOException {
    return Futures.await(async.getRegionLocation(row, replicaId, reload));
  }

  @Override
  public List<HRegionLocation> getRegionLocations(byte[] row, boolean reload) throws IOException {
    return Futures.await(async.getRegionLocations(row, reload));
  }

  @Override
  public void clearRegionLocationCache() {
    async.clearRegionLocationCache();
  }

  @Override
  public List<HRegionLocation> getAllRegionLocations() throws IOException {
    return Futures.await(async.getAllRegionLocations());
  }

  @Override
  public TableName getName() {
    return async.getName();
  }

  /** Does nothing: the connection is the transaction manager's. */
  @Override
  public void close() {}
}
