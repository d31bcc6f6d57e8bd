package io.retso.bench.stores;

import io.retso.admin.RootCause;
import io.retso.bench.server.ServerMetrics;
import io.retso.bench.server.ServerProcess;
import io.retso.bench.server.Servers;
import io.retso.client.OracleClient;
import io.retso.cluster.ChildProcess;
import io.retso.cluster.DeleteAtExit;
import io.retso.cluster.Directories;
import io.retso.cluster.LocalCluster;
import io.retso.cluster.LocalPostgres;
import io.retso.machine.Machine;
import io.retso.report.BenchException;
import io.retso.report.ProgressLine;
import io.retso.verify.clients.ClusterAccess;
import io.retso.workload.Store;
import io.retso.workload.store.HBaseStore;
import io.retso.workload.store.OracleStore;
import io.retso.workload.store.PlainStore;
import io.retso.workload.store.PostgresStore;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.apache.hadoop.conf.Configuration;

/** A store with all that was started for it, which ends with it; so does its data. */
public final class OpenStore implements AutoCloseable {
  private static final int HBASE_HEAP_MB = 2048;

  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private Store store;

  /** Processor time of the oracle's process so far, nanoseconds. */
  private LongSupplier oracle = () -> 0;

  /** The oracle's process; 0 if there is none. */
  private LongSupplier oraclePid = () -> 0;

  /** The port of the oracle's metrics; 0 if there are none. */
  private IntSupplier oraclePort = () -> 0;

  private final ServerMetrics metrics = new ServerMetrics();

  /** The processes that keep rows. */
  private List<ChildProcess> rows = List.of();

  private OpenStore() {}

  /** What is measured on a store. */
  public interface Measurement {
    /** Measures while the store is open. */
    void measure(StoreKind kind, OpenStore open) throws IOException, InterruptedException;
  }

  /**
   * Starts all stores of a plan, one after the other, and measures something on each.
   *
   * @param what is measured, for messages
   * @param line shows what goes on; it is cleared at the end
   */
  public static void each(StorePlan plan, String what, ProgressLine line, Measurement measurement)
      throws BenchException, InterruptedException {
    for (StoreKind kind : plan.kinds()) {
      line.show("starting " + kind + " ...");
      try (OpenStore open = of(kind, plan)) {
        measurement.measure(kind, open);
      } catch (IOException e) {
        throw new BenchException(what + " on " + kind + " failed: " + RootCause.of(e), e);
      }
    }
    line.clear();
  }

  /** Starts what a store needs: HBase takes some fifteen seconds. */
  public static OpenStore of(StoreKind kind, StorePlan plan)
      throws BenchException, InterruptedException {
    OpenStore open = new OpenStore();
    try {
      open.store = open.opened(open.connect(kind, plan));
      return open;
    } catch (IOException e) {
      open.close();
      throw new BenchException("cannot start " + kind + ": " + RootCause.of(e), e);
    } catch (BenchException | InterruptedException | RuntimeException e) {
      open.close();
      throw e;
    }
  }

  /** Processor time that all processes have used so far, nanoseconds. */
  public Work work() {
    return new Work(
        Machine.ownCpuNanos(),
        oracle.getAsLong(),
        rows.stream().mapToLong(ChildProcess::allCpuNanos).sum());
  }

  /** Memory that all processes have now. */
  public Memory memory() {
    return Memory.of(oraclePid.getAsLong(), rows);
  }

  /** More managers of the same tables; they end with the store. */
  public List<Store> managers(int count) throws IOException {
    List<Store> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      all.add(opened(((HBaseStore) store).another()));
    }
    return all;
  }

  /** What the oracle says of itself; empty if it has no process of its own here. */
  public Map<String, Double> oracleMetrics() {
    int port = oraclePort.getAsInt();
    try {
      return port == 0 ? Map.of() : metrics.read(port);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the next wait finds it
      return Map.of();
    }
  }

  /** The store. */
  public Store store() {
    return store;
  }

  private <T extends AutoCloseable> T opened(T resource) {
    started.push(resource);
    return resource;
  }

  private Store connect(StoreKind kind, StorePlan plan)
      throws IOException, BenchException, InterruptedException {
    return switch (kind) {
      case HBASE -> {
        if (plan.hbase().isPresent()) {
          ClusterAccess given = plan.hbase().get();
          yield new HBaseStore(configuration(given), given.oracle());
        }
        LocalCluster cluster = cluster(kind, plan);
        oracle = () -> cluster.oracleProcess().cpuTime().toNanos();
        oraclePid = () -> cluster.oracleProcess().pid();
        oraclePort = cluster::oracleHttpPort;
        yield new HBaseStore(cluster.configuration(), cluster.oracle());
      }
      case PLAIN ->
          new PlainStore(
              plan.hbase().isPresent()
                  ? configuration(plan.hbase().get())
                  : cluster(kind, plan).configuration());
      case ORACLE -> {
        plan.oracle().makeDirectory();
        Servers servers = opened(Servers.start(plan.oracle()));
        ServerProcess child = servers.child(servers.targets().get(0));
        if (child != null) {
          oracle = () -> child.cpuTime().toNanos();
          oraclePid = child::pid;
          oraclePort = child::httpPort;
        }
        var address = servers.address(servers.targets().get(0));
        yield new OracleStore(
            OracleClient.builder()
                .address(address.getAddress().getHostAddress() + ":" + address.getPort())
                .build());
      }
      case OMID -> {
        if (plan.hbase().isPresent()) {
          throw new BenchException(
              "Omid is measured on a cluster of its own: leave --cluster and --oracle out");
        }
        yield omid(cluster(kind, plan));
      }
      case POSTGRESQL ->
          new PostgresStore(
              plan.postgresUrl().isEmpty() ? postgres(kind, plan).url() : plan.postgresUrl());
    };
  }

  /** Whether this build has Omid. */
  public static boolean hasOmid() {
    return omidStore().isPresent();
  }

  private static Optional<Class<?>> omidStore() {
    try {
      return Optional.of(Class.forName("io.retso.bench.omid.OmidStore"));
    } catch (ClassNotFoundException e) {
      return Optional.empty(); // a build without the profile
    }
  }

  private static Store omid(LocalCluster cluster) throws IOException {
    try {
      Class<?> store = omidStore().orElseThrow(); // the options have asked for it
      return (Store) store.getConstructor(LocalCluster.class).newInstance(cluster);
    } catch (InvocationTargetException e) {
      throw new IOException(e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e); // the class is ours
    }
  }

  /** A cluster that runs: what workloads make there is dropped in the end. */
  private Configuration configuration(ClusterAccess given) throws IOException {
    Configuration configuration = given.configuration();
    opened(() -> HBaseStore.dropAll(configuration));
    return configuration;
  }

  private LocalPostgres postgres(StoreKind kind, StorePlan plan)
      throws IOException, InterruptedException {
    LocalPostgres server = opened(LocalPostgres.in(emptyDirectory(kind, plan)));
    rows = List.of(server.process());
    return server;
  }

  private LocalCluster cluster(StoreKind kind, StorePlan plan)
      throws IOException, InterruptedException {
    Path data = emptyDirectory(kind, plan);
    LocalCluster cluster = opened(LocalCluster.in(data).hbaseHeapMb(HBASE_HEAP_MB).start());
    rows = cluster.hbaseProcesses();
    return cluster;
  }

  /**
   * A place for the data of a store, deleted in the end, however that comes. Stores that take turns
   * are there at the same time.
   */
  private Path emptyDirectory(StoreKind kind, StorePlan plan) throws IOException {
    Path data = plan.directory().resolve("workload-" + kind.name().toLowerCase(Locale.ROOT));
    Directories.delete(data); // left by a run that was killed
    opened(DeleteAtExit.of(data));
    opened(() -> Directories.delete(data));
    return data;
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
