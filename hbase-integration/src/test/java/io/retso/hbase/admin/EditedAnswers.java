package io.retso.hbase.admin;

import io.retso.hbase.layout.DescriptorQuery;
import io.retso.hbase.layout.RegionSettings;
import io.retso.hbase.layout.TableSettings;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;

/** Another coprocessor, before ours, that has a region answer as one of another server would. */
public final class EditedAnswers implements RegionCoprocessor, RegionObserver {
  private int tableVersion = TableSettings.VERSION;
  private boolean splitsLogToFiles;

  /** Called by HBase. */
  public EditedAnswers() {}

  static EditedAnswers into(HRegion region) throws IOException {
    region
        .getCoprocessorHost()
        .load(EditedAnswers.class, Coprocessor.PRIORITY_HIGHEST, region.getReadOnlyConfiguration());
    return (EditedAnswers)
        region.getCoprocessorHost().findCoprocessor(EditedAnswers.class.getName());
  }

  synchronized void with(int version, boolean toFiles) {
    tableVersion = version;
    splitsLogToFiles = toFiles;
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public synchronized void preGetOp(
      ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
      throws IOException {
    if (DescriptorQuery.isQuery(get)) {
      RegionCoprocessorEnvironment here = context.getEnvironment();
      RegionSettings settings =
          new RegionSettings(
              here.getServerName().getServerName(),
              tableVersion,
              splitsLogToFiles,
              true,
              Long.MAX_VALUE,
              "");
      result.add(DescriptorQuery.answer(here.getRegion().getTableDescriptor(), settings));
      context.bypass();
    }
  }
}
