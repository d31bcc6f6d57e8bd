package io.retso.bench.ycsb;

import io.retso.admin.RootCause;
import io.retso.cluster.DeleteAtExit;
import io.retso.cluster.Directories;
import io.retso.cluster.LocalCluster;
import io.retso.verify.clients.ClusterAccess;
import io.retso.workload.Store;
import io.retso.workload.store.HBaseStore;
import io.retso.workload.store.PlainStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;

/** An HBase with an oracle, and tables for the bindings, which are gone in the end. */
final class YcsbCluster implements AutoCloseable {
  private static final int HBASE_HEAP_MB = 2048;

  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private final Properties properties = new Properties();

  private YcsbCluster() {}

  /**
   * Starts a cluster, which takes some fifteen seconds, or takes the given one.
   *
   * @param directory for the data of what is started
   * @param tables each is made twice, plain and prepared
   */
  static YcsbCluster of(Optional<ClusterAccess> given, Path directory, List<String> tables)
      throws IOException, InterruptedException {
    YcsbCluster cluster = new YcsbCluster();
    try {
      if (given.isPresent()) {
        Configuration hbase = given.get().configuration();
        cluster.started.push(() -> HBaseStore.dropAll(hbase));
        cluster.use(hbase, given.get().oracle(), tables);
      } else {
        Directories.delete(directory); // left by a run that was killed
        cluster.started.push(DeleteAtExit.of(directory));
        cluster.started.push(() -> Directories.delete(directory));
        LocalCluster own = LocalCluster.in(directory).hbaseHeapMb(HBASE_HEAP_MB).start();
        cluster.started.push(own);
        cluster.use(own.configuration(), own.oracle(), tables);
      }
      return cluster;
    } catch (IOException | InterruptedException | RuntimeException e) {
      cluster.close();
      throw e;
    }
  }

  private void use(Configuration hbase, String oracle, List<String> tables) throws IOException {
    for (Map.Entry<String, String> each : hbase) {
      if (each.getKey().startsWith("hbase.") || each.getKey().startsWith("zookeeper.")) {
        properties.setProperty(each.getKey(), hbase.get(each.getKey()));
      }
    }
    properties.setProperty("retso.oracle", oracle);
    try (Store plain = new PlainStore(hbase);
        Store prepared = new HBaseStore(hbase, oracle)) {
      plain.create(tables.stream().map(table -> name(table, Binding.PLAIN)).toList());
      prepared.create(tables);
    }
  }

  private static String name(String table, Binding binding) {
    return binding.level() == null ? table + "_plain" : table;
  }

  /** What YCSB is told: a binding and its table of a name, for these properties of a workload. */
  Properties properties(String table, Binding binding, Properties workload) {
    Properties all = new Properties();
    all.putAll(properties);
    all.putAll(workload);
    all.setProperty("table", HBaseStore.tableName(name(table, binding)));
    binding.set(all);
    return all;
  }

  @Override
  public void close() {
    while (!started.isEmpty()) {
      try {
        started.pop().close();
      } catch (Exception e) {
        System.err.println("retso bench: " + RootCause.of(e)); // the others are to end, too
      }
    }
  }
}
