package io.retso.hbase.read;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.hbase.AsyncTransactionalTable;
import io.retso.hbase.Fixture;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.metrics.Counters;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.transaction.Inside;
import io.retso.server.RetsoServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Read-only transactions that have read without a timestamp, and then need one. */
@ExtendWith(RetsoCluster.Extension.class)
class PinningTest {
  private Fixture fixture;
  private TransactionManager manager;
  private TransactionManager other;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
    other = fixture.manager();
    name = fixture.table(Options.DEFAULT);
  }

  private void takeOlderSnapshot() throws Exception {
    try (ReadTransaction tx = manager.beginReadOnly()) {
      tx.readTimestamp();
    }
  }

  /** {@code new Get(row)} does not copy the row, and a get that is done may have it reused. */
  @Test
  void twoReadsAreOfOneMomentThoughTheKeyIsReused() throws Exception {
    other.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "0"), put("b", "0"), put("c", "0")));
          return null;
        });
    takeOlderSnapshot();
    try (ReadTransaction tx = manager.beginReadOnly()) {
      byte[] key = bytes("a");
      assertEquals("0", text(tx.table(name).get(new Get(key)).getValue(F, Q)));
      key[0] = 'z';
      assertEquals(null, text(tx.table(name).get(new Get(key)).getValue(F, Q)));
      other.run(
          t -> {
            t.table(name).put(List.of(put("a", "1"), put("c", "1")));
            return null;
          });
      assertEquals("0", read(tx.table(name), "c"), "a was 0, and both changed together");
    }
  }

  @Test
  void aPlainCellOfTheFirstVersionIsNoTransaction() throws Exception {
    try (Table plain = fixture.cluster.connection().getTable(name)) {
      plain.put(new Put(bytes("z")).addColumn(F, Q, 1, bytes("old")));
      plain.put(new Put(bytes("y")).addColumn(F, Q, 0, bytes("older")));
    }
    other.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "0"), put("c", "0")));
          return null;
        });
    takeOlderSnapshot();
    try (ReadTransaction tx = manager.beginReadOnly()) {
      assertEquals("old", read(tx.table(name), "z"));
      assertEquals("older", read(tx.table(name), "y"));
      assertEquals(2, Inside.counters(manager).currentReads.sum());
      assertEquals("0", read(tx.table(name), "a"));
      other.run(
          t -> {
            t.table(name).put(List.of(put("a", "1"), put("c", "1")));
            return null;
          });
      assertEquals("0", read(tx.table(name), "c"));
    }
  }

  /** A version that is 1 mod 16 may be a plain writer's: what is below it was not decided then. */
  @Test
  void aPlainWriterDoesNotTakeTheReaderBack() throws Exception {
    other.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "0"), put("c", "0")));
          return null;
        });
    takeOlderSnapshot();
    SharedSnapshots.Lease older = Inside.snapshots(manager).recent();
    other.run(
        tx -> {
          tx.table(name).put(put("c", "1"));
          return null;
        }); // before the reader begins
    try (ReadTransaction tx = manager.beginReadOnly();
        Table plain = fixture.cluster.connection().getTable(name)) {
      assertEquals("0", read(tx.table(name), "a"));
      // A column of its own, in a row that the reader reads.
      plain.put(new Put(bytes("a")).addColumn(F, bytes("p"), older.start() + 1, bytes("plain")));
      other.run(
          t -> {
            t.table(name).put(put("a", "2"));
            return null;
          });
      assertEquals("1", read(tx.table(name), "c"), "committed before the begin");
    } finally {
      older.snapshot().release();
    }
  }

  @Test
  void whoHasReadHasATimestampWhenItHasEnded() throws Exception {
    other.run(
        tx -> {
          tx.table(name).put(put("a", "0"));
          return null;
        });
    takeOlderSnapshot();
    ReadTransaction tx = manager.beginReadOnly();
    assertEquals("0", read(tx.table(name), "a"));
    tx.close();
    assertTrue(tx.readTimestamp() > 0);
  }

  @Test
  void theGetThatTakesTheTimestampIsSentOnce() throws Exception {
    takeOlderSnapshot();
    AtomicInteger requests = new AtomicInteger();
    try (ReadTransaction tx = manager.beginReadOnly()) {
      AsyncTransactionalTable table =
          Fixture.table(
              manager,
              tx,
              name,
              (method, call) -> {
                requests.incrementAndGet();
                return call.call();
              });
      for (int i = 0; i < Snapshot.UNPINNED_MAX; i++) {
        table.get(get("r" + i)).get(1, TimeUnit.MINUTES);
      }
      assertTrue(tx.toString().contains("without a timestamp"), tx::toString);
      requests.set(0);
      table.get(get("last")).get(1, TimeUnit.MINUTES);
      assertFalse(tx.toString().contains("without a timestamp"), tx::toString);
      assertEquals(2, requests.get(), "the question about what was read before, and the get");
    }
  }

  /** Regions find the first change of whole rows, briefly. */
  @Test
  void pinningDoesNotFetchTheHistoryOfARow() throws Exception {
    TableName cells = fixture.table(Options.DEFAULT.withConflicts(Conflicts.CELL));
    byte[] value = new byte[100_000];
    for (int i = 0; i < 50; i++) {
      other.run(
          tx -> {
            tx.table(cells).put(new Put(bytes("a")).addColumn(F, Q, value));
            return null;
          });
    }
    takeOlderSnapshot();
    List<CompletableFuture<Result>> answers = new ArrayList<>();
    try (ReadTransaction tx = manager.beginReadOnly()) {
      AsyncTransactionalTable table =
          Fixture.table(
              manager,
              tx,
              cells,
              (method, call) -> {
                @SuppressWarnings("unchecked")
                CompletableFuture<Result> answer = (CompletableFuture<Result>) call.call();
                answers.add(answer);
                return answer;
              });
      table.get(get("a")).get(1, TimeUnit.MINUTES);
      tx.readTimestamp();
    }
    assertEquals(2, answers.size());
    assertEquals(1, answers.get(1).get().size());
    assertTrue(answers.get(1).get().rawCells()[0].getSerializedSize() < 100);
  }

  /**
   * {@code readTimestamp()} in one thread, between its check and this, {@code close()} in another.
   */
  @Test
  void aSnapshotThatWasReleasedTakesNoOtherLease() throws Exception {
    RetsoServer server = fixture.opened(RetsoCluster.startOracle());
    OracleClient oracle =
        fixture.opened(OracleClient.builder().address("127.0.0.1:" + server.port()).build());
    SharedSnapshots shared = new SharedSnapshots(oracle);
    SharedSnapshots.Lease older = shared.acquire().get(1, TimeUnit.MINUTES);
    older.snapshot().release();
    Snapshot snapshot = Snapshot.fresh(shared, oracle, new Counters());
    snapshot.release();
    snapshot.timestamp().get(1, TimeUnit.MINUTES);
    shared.close();
    eventually(
        "nobody holds the low watermark",
        () -> {
          oracle.abort(oracle.begin());
          return oracle.lowWatermark() > older.start();
        });
  }
}
