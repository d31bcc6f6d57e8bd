package io.retso.hbase.coprocessor;

import io.retso.hbase.layout.CleanupRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A coprocessor in front of ours that gives a tag to all cells of writes, marks included, as
 * HBase's own do with visibility labels.
 */
public final class TaggedWrites implements RegionCoprocessor, RegionObserver {
  private static final Tag TAG = new ArrayBackedTag((byte) 100, Bytes.toBytes("tag"));

  /** Called by HBase. */
  public TaggedWrites() {}

  static void into(HRegion region) throws IOException {
    region
        .getCoprocessorHost()
        .load(TaggedWrites.class, Coprocessor.PRIORITY_SYSTEM, region.getReadOnlyConfiguration());
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public void preBatchMutate(
      ObserverContext<RegionCoprocessorEnvironment> context,
      MiniBatchOperationInProgress<Mutation> mutations) {
    for (int i = 0; i < mutations.size(); i++) {
      Mutation mutation = mutations.getOperation(i);
      if (mutation.getAttribute(CleanupRequest.ATTRIBUTE) == null) {
        for (List<Cell> family : mutation.getFamilyCellMap().values()) {
          family.replaceAll(cell -> PrivateCellUtil.createCell(cell, List.of(TAG)));
        }
      }
    }
  }
}
