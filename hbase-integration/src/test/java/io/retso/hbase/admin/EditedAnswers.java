package io.retso.hbase.admin;

import io.retso.hbase.layout.DescriptorQuery;
import io.retso.hbase.layout.RegionSettings;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;

/** Another coprocessor, before ours, that has a region answer as one of another server would. */
public final class EditedAnswers implements RegionCoprocessor, RegionObserver {
  private int tableVersion = 3;
  private boolean splitsLogToFiles;
  private boolean isOlder;

  /** Called by HBase. */
  public EditedAnswers() {}

  static EditedAnswers into(HRegion region) throws IOException {
    region
        .getCoprocessorHost()
        .load(EditedAnswers.class, Coprocessor.PRIORITY_HIGHEST, region.getReadOnlyConfiguration());
    return (EditedAnswers)
        region.getCoprocessorHost().findCoprocessor(EditedAnswers.class.getName());
  }

  /** Answers as versions did that do not say which tables they know. */
  synchronized void older(boolean older) {
    isOlder = older;
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
      Cell cell = DescriptorQuery.answer(here.getRegion().getTableDescriptor(), settings);
      result.add(isOlder ? withoutVersion(cell) : cell);
      context.bypass();
    }
  }

  private static Cell withoutVersion(Cell answer) throws IOException {
    TableDescriptorBuilder reported =
        TableDescriptorBuilder.newBuilder(DescriptorQuery.parse(Result.create(List.of(answer))));
    for (String key : List.of("name", "table.version", RegionSettings.LOG_TO_FILES)) {
      reported.removeValue("RETSO_SERVER:" + key);
    }
    return CellBuilderFactory.create(CellBuilderType.DEEP_COPY)
        .setRow(CellUtil.cloneRow(answer))
        .setFamily(CellUtil.cloneFamily(answer))
        .setQualifier(CellUtil.cloneQualifier(answer))
        .setTimestamp(0)
        .setType(Cell.Type.Put)
        .setValue(TableDescriptorBuilder.toByteArray(reported.build()))
        .build();
  }
}
