package io.retso.hbase.coprocessor;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterBase;
import org.apache.hadoop.hbase.filter.FilterList;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A coprocessor in front of ours that hides from gets all values that begin with "hidden", in the
 * way in which HBase's own do it for rights and visibility labels.
 */
public final class HiddenFromReaders implements RegionCoprocessor, RegionObserver {
  /** Called by HBase. */
  public HiddenFromReaders() {}

  static void into(HRegion region) throws IOException {
    region
        .getCoprocessorHost()
        .load(
            HiddenFromReaders.class,
            Coprocessor.PRIORITY_SYSTEM,
            region.getReadOnlyConfiguration());
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public void preGetOp(
      ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result) {
    Filter own = get.getFilter();
    get.setFilter(own == null ? new Hiding() : new FilterList(new Hiding(), own));
  }

  private static final class Hiding extends FilterBase {
    @Override
    public ReturnCode filterCell(Cell cell) {
      return Bytes.toString(CellUtil.cloneValue(cell)).startsWith("hidden")
          ? ReturnCode.SKIP
          : ReturnCode.INCLUDE;
    }
  }
}
