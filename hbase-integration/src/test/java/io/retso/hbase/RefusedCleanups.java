package io.retso.hbase;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CoprocessorDescriptor;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.wal.WALEdit;

/**
 * Another coprocessor of a table, in front of ours, that refuses the puts of region servers
 * themselves in tables of which a test wants that: so a region that has just opened cleans nothing
 * up. Those of clients pass.
 */
public final class RefusedCleanups implements RegionCoprocessor, RegionObserver {
  private static final Set<TableName> REFUSED = ConcurrentHashMap.newKeySet();
  private static final Map<TableName, Integer> PASSED = new ConcurrentHashMap<>();

  /** Called by HBase. */
  public RefusedCleanups() {}

  /** To be set in the table's descriptor. */
  public static CoprocessorDescriptor descriptor() {
    return CoprocessorDescriptorBuilder.newBuilder(RefusedCleanups.class.getName())
        .setPriority(Coprocessor.PRIORITY_HIGHEST)
        .build();
  }

  /** From now on they are refused; or not. */
  public static void set(TableName table, boolean isRefusing) {
    if (isRefusing) {
      REFUSED.add(table);
    } else {
      REFUSED.remove(table);
    }
  }

  /** How many came by and were not refused. */
  public static int passed(TableName table) {
    return PASSED.getOrDefault(table, 0);
  }

  @Override
  public Optional<RegionObserver> getRegionObserver() {
    return Optional.of(this);
  }

  @Override
  public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
      throws IOException {
    TableName table = context.getEnvironment().getRegionInfo().getTable();
    if (RpcServer.getCurrentCall().isEmpty()) {
      if (REFUSED.contains(table)) {
        throw new IOException("no cleanups before the test wants them");
      }
      PASSED.merge(table, 1, Integer::sum);
    }
  }
}
