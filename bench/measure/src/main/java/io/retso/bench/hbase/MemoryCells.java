package io.retso.bench.hbase;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.util.Bytes;

/** Tells how many cells the memory of a region holds: HBase itself tells megabytes only. */
public final class MemoryCells implements RegionCoprocessor, RegionObserver {
  private static final String ATTRIBUTE = "retso.bench.memory.cells";
  private static final byte[] NAME = Bytes.toBytes("cells");

  /** Called by HBase. */
  public MemoryCells() {}

  /** Asks the region of a row; the answer is for {@link #answer}. */
  static Get question(byte[] row) {
    return new Get(row).setAttribute(ATTRIBUTE, NAME);
  }

  /** What the region said. */
  static long answer(Result result) {
    return Bytes.toLong(result.value());
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public void preGetOp(
      ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result) {
    if (get.getAttribute(ATTRIBUTE) != null) {
      long cells = 0;
      for (Store store : context.getEnvironment().getRegion().getStores()) {
        cells += store.getMemStoreSize().getCellsCount();
      }
      result.add(new KeyValue(get.getRow(), NAME, NAME, Bytes.toBytes(cells)));
      context.bypass();
    }
  }
}
