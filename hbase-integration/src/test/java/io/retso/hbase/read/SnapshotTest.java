package io.retso.hbase.read;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.scan;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.hbase.AsyncReadTable;
import io.retso.hbase.Fixture;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.options.Reads;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.transaction.Inside;
import io.retso.server.RetsoServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Snapshots that read-only transactions take with their first read: fresh, one for all reads, and
 * the same as any other with their timestamp.
 */
@ExtendWith(RetsoCluster.Extension.class)
class SnapshotTest {
  static final List<Options> MODES = Fixture.MODES;
  private static final long SEED = Long.getLong("retso.snapshot.seed", 20_061_001L);
  private static final int ROWS = 12;
  private static final int READS = 400;
  private static final int READS_MAX = 20 * READS;

  private Fixture fixture;
  private TransactionManager manager;
  private TransactionManager other;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
    other = fixture.manager();
  }

  /** A reader, after another one, so that there is an older snapshot to read at. */
  private ReadTransaction reader() throws Exception {
    try (ReadTransaction tx = manager.beginReadOnly()) {
      tx.readTimestamp();
    }
    return manager.beginReadOnly();
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void whatWasCommittedBeforeTheBeginIsNeverMissed(Options options) throws Exception {
    TableName name = fixture.table(options);
    other.run(
        tx -> {
          tx.table(name).put(put("still", "0"));
          return null;
        });
    for (int i = 0; i < 100; i++) {
      String value = String.valueOf(i);
      other.run(
          tx -> {
            tx.table(name).put(put("moving", value));
            return null;
          });
      for (String row : List.of("still", "moving", "still")) {
        try (ReadTransaction tx = reader()) {
          assertEquals(row.equals("still") ? "0" : value, column(tx, name, row));
        }
      }
    }
    assertTrue(Inside.counters(manager).currentReads.sum() > 0 || isByClient(options));
  }

  /** Client reads validate nothing: they take a timestamp. */
  private static boolean isByClient(Options options) {
    return options.reads() == Reads.CLIENT;
  }

  private static String column(ReadTransaction tx, TableName name, String row) throws Exception {
    Result result = tx.table(name).get(new Get(bytes(row)).addColumn(F, Q));
    return Fixture.text(result.getValue(F, Q));
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void theFirstReadTakesTheSnapshotOfAllOthers(Options options) throws Exception {
    TableName name = fixture.table(options);
    other.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "0"), put("b", "0")));
          return null;
        });
    for (boolean byScan : new boolean[] {false, true}) {
      try (ReadTransaction tx = reader()) {
        other.run(
            t -> {
              t.table(name).put(List.of(put("a", "1"), put("b", "1")));
              return null;
            });
        if (byScan) {
          assertEquals("a=1 b=1", scan(tx.table(name), new Scan()));
        } else {
          assertEquals("1", read(tx.table(name), "a"));
        }
        long start = tx.readTimestamp();
        other.run(
            t -> {
              t.table(name).put(List.of(put("a", "0"), put("b", "0")));
              return null;
            });
        assertEquals("1", read(tx.table(name), "b"));
        assertEquals("1", column(tx, name, "a"));
        assertEquals("a=1 b=1", scan(tx.table(name), new Scan()));
        assertEquals(start, tx.readTimestamp());
      }
    }
  }

  @Test
  void theTimestampMayBeTakenBeforeAnyRead() throws Exception {
    TableName name = fixture.table(Options.DEFAULT);
    try (ReadTransaction tx = reader()) {
      assertTrue(tx.toString().contains("without a timestamp"), tx::toString);
      long start = tx.readTimestamp();
      assertTrue(tx.toString().contains(String.valueOf(start)), tx::toString);
      other.run(
          t -> {
            t.table(name).put(put("a", "1"));
            return null;
          });
      assertNull(read(tx.table(name), "a"));
      assertThrows(IllegalStateException.class, () -> tx.table(name).asTable().put(put("a", "2")));
    }
    ReadTransaction idle = reader();
    idle.close();
    String message = assertThrows(IllegalStateException.class, idle::readTimestamp).getMessage();
    assertTrue(message.contains("begin a new one"), message);
  }

  @Test
  void aTransactionHoldsTheLowWatermarkUntilItEnds() throws Exception {
    // With an oracle of its own: other tests leave transactions open in theirs.
    RetsoServer server = fixture.opened(RetsoCluster.startOracle());
    String address = "127.0.0.1:" + server.port();
    TableName name = fixture.cluster.freshName("t");
    fixture.preparation(address).create(Fixture.descriptor(name).build(), Options.DEFAULT);
    TransactionManager readers = fixture.opened(fixture.builder().oracle(address).build());
    TransactionManager writers = fixture.opened(fixture.builder().oracle(address).build());
    OracleClient oracle = fixture.opened(OracleClient.builder().address(address).build());
    try (ReadTransaction another = readers.beginReadOnly()) {
      another.readTimestamp(); // a snapshot to begin with
    }
    ReadTransaction tx = readers.beginReadOnly();
    assertNull(read(tx.table(name), "a"));
    long start = tx.readTimestamp();
    for (int i = 0; i < 50; i++) {
      try (ReadTransaction another = readers.beginReadOnly()) {
        another.readTimestamp();
      }
      writers.run(
          t -> {
            t.table(name).put(put("a", "1"));
            return null;
          });
    }
    assertTrue(oracle.lowWatermark() < start);
    tx.close();
    eventually("it rises", () -> oracle.lowWatermark() > start);
  }

  @Test
  void aReadThatCannotBeSentLeavesTheSnapshotToTheNext() throws Exception {
    TableName name = fixture.table(Options.CLIENT_READS);
    PreparedTable table =
        Fixture.prepared(
            manager,
            name,
            (method, call) -> {
              throw new UnsupportedOperationException("not this time");
            });
    TableReader reader = Inside.readers(manager).of(table);
    OracleClient oracle =
        fixture.opened(OracleClient.builder().address(fixture.cluster.oracleAddress()).build());
    SharedSnapshots shared = new SharedSnapshots(oracle);
    SharedSnapshots.Lease older = shared.acquire().get(1, TimeUnit.MINUTES);
    older.snapshot().release();
    Snapshot snapshot = Snapshot.fresh(shared, oracle, new Counters());
    CompletableFuture<List<Result>> read = snapshot.read(reader, List.of(Fixture.get("a")));
    assertThrows(ExecutionException.class, () -> read.get(1, TimeUnit.MINUTES));
    assertTrue(snapshot.timestamp().get(1, TimeUnit.MINUTES) > older.start());
    snapshot.release();
    shared.close();
  }

  @Test
  void readsThatBeginTogetherShareTheSnapshot() throws Exception {
    TableName name = fixture.table(Options.DEFAULT);
    for (int i = 0; i < 30; i++) {
      try (ReadTransaction tx = reader()) {
        AsyncReadTable table = tx.asyncTable(name).get();
        List<CompletableFuture<Result>> reads = new ArrayList<>();
        for (int k = 0; k < 10; k++) {
          reads.add(table.get(Fixture.get("a")));
          CompletableFuture<Result> last = reads.get(k);
          if (k == 5) {
            other.run(
                t -> {
                  t.table(name).put(put("a", String.valueOf(System.nanoTime())));
                  return null;
                });
          }
          assertTrue(last.get(1, TimeUnit.MINUTES) != null);
        }
        String first = Fixture.text(reads.get(0).get().getValue(F, Q));
        for (CompletableFuture<Result> read : reads) {
          assertEquals(first, Fixture.text(read.get().getValue(F, Q)));
        }
      }
    }
  }

  /** What was read at an older timestamp, while others wrote, is read again at the new one. */
  @ParameterizedTest
  @FieldSource("MODES")
  void readsBesideWritersAreThoseOfTheirTimestamp(Options options) throws Exception {
    TableName name = fixture.table(options);
    AtomicBoolean done = new AtomicBoolean();
    ExecutorService threads = Executors.newFixedThreadPool(2);
    try {
      List<Future<?>> writers = new ArrayList<>();
      for (TransactionManager writer : List.of(other, fixture.dyingManager())) {
        Random random = new Random(SEED + writers.size());
        writers.add(threads.submit(() -> write(writer, name, random, done)));
      }
      Random random = new Random(~SEED);
      for (int i = 0; i < READS || i < READS_MAX && !bothWays(options); i++) {
        List<Get> gets = new ArrayList<>();
        for (int row : random.ints(1 + random.nextInt(3), 0, ROWS).toArray()) {
          gets.add(new Get(bytes("r" + row)).addColumn(F, Q));
        }
        try (ReadTransaction tx = manager.beginReadOnly()) {
          Result[] first = tx.table(name).get(gets);
          Result[] again = tx.table(name).get(gets);
          for (int k = 0; k < first.length; k++) {
            assertTrue(
                Arrays.equals(first[k].getValue(F, Q), again[k].getValue(F, Q)),
                gets.get(k) + " at " + tx + ", seed " + SEED);
          }
        }
      }
      done.set(true);
      for (Future<?> writer : writers) {
        writer.get(1, TimeUnit.MINUTES);
      }
    } finally {
      done.set(true);
      threads.shutdownNow();
    }
    assertTrue(bothWays(options), "hardly ever");
  }

  /** Whether rows were found changed, and unchanged, often enough to prove something. */
  private boolean bothWays(Options options) {
    Counters counters = Inside.counters(manager);
    return isByClient(options)
        || counters.currentReads.sum() > 20 && counters.changedSnapshots.sum() > 20;
  }

  private static Void write(
      TransactionManager writer, TableName name, Random random, AtomicBoolean done)
      throws Exception {
    for (int i = 0; !done.get(); i++) {
      String value = String.valueOf(i);
      try (Transaction tx = writer.begin()) {
        tx.table(name)
            .put(
                List.of(
                    put("r" + random.nextInt(ROWS), value),
                    put("r" + random.nextInt(ROWS), value)));
        tx.commit();
      } catch (ConflictException e) {
        // The other one got ahead.
      }
    }
    return null;
  }
}
