package io.retso.hbase.check;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.eventually;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.TransactionException;
import io.retso.server.RetsoServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.JVMClusterUtil.RegionServerThread;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Nothing is found in tables in which transactions work, whatever happens to their regions. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(240)
class DataCheckUnderLoadTest {
  static final List<Options> MODES = Fixture.MODES;

  private static final int ROWS = 60;
  private static final int WRITERS = 3;
  private static final long SEED = Long.getLong("retso.check.seed", 37);
  private static final DataCheckOptions STRICT =
      new DataCheckOptions(true, false, 2, Duration.ofSeconds(30));

  private final AtomicBoolean isOpen = new AtomicBoolean(true);
  private final AtomicLong ended = new AtomicLong();
  private TableName name;

  @ParameterizedTest
  @FieldSource("MODES")
  void nothingIsFoundWhileRegionsAreFlushedSplitAndKilled(Options options, Fixture fixture)
      throws Exception {
    System.out.println("seed " + SEED);
    RetsoServer server = fixture.opened(RetsoCluster.startOracle());
    String address = "127.0.0.1:" + server.port();
    OracleClient oracle = fixture.opened(OracleClient.builder().address(address).build());
    AsyncConnection hbase =
        fixture.opened(
            ConnectionFactory.createAsyncConnection(fixture.cluster.configuration()).get());
    TransactionManager manager = fixture.opened(fixture.builder().oracle(address).build());
    name = fixture.cluster.freshName("load");
    fixture
        .preparation(address)
        .create(Fixture.descriptor(name).build(), options, bytes("r20"), bytes("r40"));
    Callable<Void> nothingIsFound =
        () -> {
          List<Finding> findings = new ArrayList<>();
          DataCheckResult result =
              new DataCheck(oracle, hbase, STRICT, findings::add, line -> {}).check(name);
          assertEquals(List.of(), findings, result::toString);
          return null;
        };
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS + 1);
    List<Future<?>> writers = new ArrayList<>();
    try (Admin admin = fixture.cluster.connection().getAdmin()) {
      for (int i = 0; i < WRITERS; i++) {
        Random random = new Random(SEED + i);
        writers.add(threads.submit(() -> write(manager, random)));
      }
      goOn(writers, 50);
      nothingIsFound.call();
      Future<Void> beside = threads.submit(nothingIsFound);
      for (HRegion region : fixture.regions(name)) {
        region.flush(true);
      }
      admin.split(name, bytes("r30"));
      eventually("it is split", () -> fixture.regions(name).size() == 4);
      beside.get(60, TimeUnit.SECONDS);
      nothingIsFound.call();
      goOn(writers, 50);
      RegionServerThread other = fixture.cluster.hbase().startRegionServer();
      HRegion moved = fixture.regions(name).get(0);
      admin.move(
          moved.getRegionInfo().getEncodedNameAsBytes(), other.getRegionServer().getServerName());
      goOn(writers, 50);
      beside = threads.submit(nothingIsFound);
      other.getRegionServer().abort("killed by a test");
      beside.get(120, TimeUnit.SECONDS);
      goOn(writers, 20);
      nothingIsFound.call();
      isOpen.set(false);
      for (Future<?> writer : writers) {
        writer.get(60, TimeUnit.SECONDS);
      }
      nothingIsFound.call();
    } finally {
      isOpen.set(false);
      threads.shutdownNow();
    }
  }

  /** Puts, deletes, some in two rows, some rolled back, some of many cells. */
  private Void write(TransactionManager manager, Random random) throws IOException {
    while (isOpen.get()) {
      boolean isTakenBack = random.nextInt(4) == 0;
      try {
        manager.run(
            tx -> {
              TransactionalTable table = tx.table(name);
              for (int i = random.nextInt(3); i >= 0; i--) {
                byte[] row = bytes("r" + (10 + random.nextInt(ROWS - 10)));
                if (random.nextInt(5) == 0) {
                  table.delete(new Delete(row).addColumns(F, Q));
                } else {
                  table.put(new Put(row).addColumn(F, Q, Bytes.toBytes(random.nextLong())));
                }
                if (random.nextInt(4) == 0) {
                  Fixture.read(table, Bytes.toString(row)); // sends what is kept back
                }
              }
              if (isTakenBack) {
                throw new TakenBack();
              }
              return null;
            });
      } catch (TakenBack e) {
        assertTrue(isTakenBack);
      } catch (TransactionException e) {
        continue; // a region was away for too long
      }
      ended.incrementAndGet();
    }
    return null;
  }

  private static final class TakenBack extends IOException {
    private static final long serialVersionUID = 1L;
  }

  private void goOn(List<Future<?>> writers, int more) throws Exception {
    long enough = ended.get() + more;
    eventually(
        "transactions", () -> ended.get() >= enough || writers.stream().anyMatch(Future::isDone));
    for (Future<?> writer : writers) {
      if (writer.isDone()) {
        writer.get();
      }
    }
  }
}
