package io.retso.hbase;

import static io.retso.hbase.Fixture.put;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture.Around;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.transaction.Inside;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.metrics.Counter;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** How often HBase and the oracle are asked, which is what latency is made of. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class RequestsTest {
  static final List<Options> MODES = Fixture.MODES;

  private static final List<Put> PUTS =
      IntStream.range(0, 20).mapToObj(i -> put("row" + i, "1")).toList();
  private static final List<Get> GETS = PUTS.stream().map(put -> new Get(put.getRow())).toList();

  private final Queue<String> calls = new ConcurrentLinkedQueue<>();
  private final Around noted =
      (method, call) -> {
        calls.add(method);
        return call.call();
      };

  private Fixture fixture;
  private TransactionManager manager;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
  }

  /** What region servers, or this client, asked the oracle about writers. */
  private long questions() {
    return Inside.counters(manager).statusQueries.sum()
        + MetricRegistries.global().getMetricRegistries().stream()
            .flatMap(registry -> registry.get("oracleQueries").stream())
            .mapToLong(metric -> ((Counter) metric).getCount())
            .sum();
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void whatIsCleanedUpIsReadInOneRequestWithoutAQuestion(Options options) throws Exception {
    TableName name = fixture.table(options);
    manager.run(
        tx -> {
          tx.table(name).put(PUTS);
          return null;
        });
    Fixture.eventually("cleaned up", () -> fixture.marks(name) == 0);
    long before = questions();
    try (ReadTransaction tx = manager.beginReadOnly()) {
      AsyncTransactionalTable table = Fixture.table(manager, tx, name, noted);
      for (Result row : table.getAll(GETS).get(60, TimeUnit.SECONDS)) {
        assertEquals("1", Fixture.text(row.getValue(Fixture.F, Fixture.Q)));
      }
      assertEquals(List.of("batchAll"), List.copyOf(calls));
      table.get(GETS.get(0)).get(60, TimeUnit.SECONDS);
      assertEquals(List.of("batchAll", "get"), List.copyOf(calls));
    }
    assertEquals(before, questions());
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void allWritesOfATableAreOneRequest(Options options) throws Exception {
    TableName name = fixture.table(options);
    try (Transaction tx = manager.begin()) {
      AsyncTransactionalTable table = Fixture.table(manager, tx, name, noted);
      for (Put put : PUTS) {
        table.put(put).get(60, TimeUnit.SECONDS);
      }
      assertEquals(List.of(), List.copyOf(calls));
      tx.commit();
    }
    assertEquals(List.of("batchAll"), written());
  }

  /** Cleanups are batches of another kind. */
  private List<String> written() {
    return calls.stream().filter(List.of("batchAll", "put")::contains).toList();
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void aWriteOfOneRowIsNoBatch(Options options) throws Exception {
    TableName name = fixture.table(options);
    try (Transaction tx = manager.begin()) {
      AsyncTransactionalTable table = Fixture.table(manager, tx, name, noted);
      table.put(PUTS.get(0)).get(60, TimeUnit.SECONDS);
      table.put(PUTS.get(0)).get(60, TimeUnit.SECONDS);
      tx.commit();
    }
    assertEquals(List.of("put"), written());
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void tablesAreWrittenSideBySide(Options options) throws Exception {
    TableName one = fixture.table(options);
    TableName other = fixture.table(options);
    AtomicInteger writes = new AtomicInteger();
    CompletableFuture<Void> both = new CompletableFuture<>();
    Around together =
        (method, call) -> {
          Object answer = call.call();
          if (!method.equals("put")) {
            return answer;
          }
          if (writes.incrementAndGet() == 2) {
            both.complete(null);
          }
          return ((CompletableFuture<?>) answer).thenCombine(both, (written, done) -> written);
        };
    try (Transaction tx = manager.begin()) {
      for (TableName name : List.of(one, other)) {
        Fixture.table(manager, tx, name, together).put(PUTS.get(0)).get(60, TimeUnit.SECONDS);
      }
      assertEquals(0, writes.get());
      tx.commitAsync().get(60, TimeUnit.SECONDS);
    }
    try (ReadTransaction tx = manager.beginReadOnly()) {
      assertTrue(tx.table(one).exists(GETS.get(0)) && tx.table(other).exists(GETS.get(0)));
    }
  }
}
