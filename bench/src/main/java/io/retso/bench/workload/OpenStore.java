package io.retso.bench.workload;

import io.retso.admin.RootCause;
import io.retso.bench.report.BenchException;
import io.retso.bench.server.Servers;
import io.retso.client.OracleClient;
import io.retso.cluster.DeleteAtExit;
import io.retso.cluster.Directories;
import io.retso.cluster.LocalCluster;
import io.retso.cluster.LocalPostgres;
import io.retso.workload.Store;
import io.retso.workload.store.HBaseStore;
import io.retso.workload.store.OracleStore;
import io.retso.workload.store.PlainStore;
import io.retso.workload.store.PostgresStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;

/** A store with all that was started for it, which ends with it; so does its data. */
final class OpenStore implements AutoCloseable {
  private static final int HBASE_HEAP_MB = 2048;

  private final Deque<AutoCloseable> started = new ArrayDeque<>();
  private Store store;

  private OpenStore() {}

  /** Starts what a store needs: HBase takes some fifteen seconds. */
  static OpenStore of(StoreKind kind, StorePlan plan) throws BenchException, InterruptedException {
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

  /** The store. */
  Store store() {
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
        LocalCluster cluster = cluster(plan);
        yield new HBaseStore(cluster.configuration(), cluster.oracle());
      }
      case PLAIN -> new PlainStore(cluster(plan).configuration());
      case ORACLE -> {
        plan.oracle().makeDirectory();
        Servers servers = opened(Servers.start(plan.oracle()));
        var address = servers.address(servers.targets().get(0));
        yield new OracleStore(
            OracleClient.builder()
                .address(address.getAddress().getHostAddress() + ":" + address.getPort())
                .build());
      }
      case POSTGRESQL ->
          new PostgresStore(
              plan.postgresUrl().isEmpty() ? postgres(plan).url() : plan.postgresUrl());
    };
  }

  private LocalPostgres postgres(StorePlan plan) throws IOException, InterruptedException {
    return opened(LocalPostgres.in(emptyDirectory(plan, "workload-postgresql")));
  }

  private LocalCluster cluster(StorePlan plan) throws IOException, InterruptedException {
    Path data = emptyDirectory(plan, "workload-cluster");
    return opened(LocalCluster.in(data).hbaseHeapMb(HBASE_HEAP_MB).start());
  }

  /** A place for data that is deleted in the end, however that comes. */
  private Path emptyDirectory(StorePlan plan, String name) throws IOException {
    Path data = plan.directory().resolve(name);
    Directories.delete(data); // of a run that was killed
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
