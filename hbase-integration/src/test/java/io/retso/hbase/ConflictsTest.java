package io.retso.hbase;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.ConflictingChange;
import io.retso.hbase.errors.ConflictingChange.Place;
import io.retso.hbase.errors.ConflictingChange.Use;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Isolation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A refused transaction says what it met; {@code -Dretso.refusals=N} lets more meet. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class ConflictsTest {
  private static final int REFUSALS = Integer.getInteger("retso.refusals", 500);
  private static final int THREADS = 8;
  private static final int HOT = 10;
  private static final TransactionOptions SERIALIZABLE =
      TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE);

  private Fixture fixture;
  private TransactionManager manager;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
  }

  /** How a transaction comes to depend on a row. */
  private interface Step {
    void in(TransactionalTable table) throws IOException;
  }

  /** Changes row "r" while another is at work; what that one met. */
  private ConflictingChange met(TableName name, Step step) throws IOException {
    Transaction tx = manager.begin();
    TransactionalTable table = tx.table(name);
    table.put(put("before", "x"));
    step.in(table);
    table.put(put("tail", "x"));
    long commit = commit(name, "r");
    ConflictException refused = assertThrows(ConflictException.class, tx::commit);
    ConflictingChange met = known(refused.conflict());
    assertEquals(OptionalLong.of(commit), met.commitTimestamp());
    assertTrue(refused.getMessage().contains(met.toString()), refused::getMessage);
    return met;
  }

  private long commit(TableName name, String... rows) throws IOException {
    try (Transaction other = manager.begin()) {
      for (String row : rows) {
        other.table(name).put(put(row, "y"));
      }
      return other.commit().getAsLong();
    }
  }

  private static <T> T known(Optional<T> what) {
    return what.orElseThrow(() -> new AssertionError("it is not known"));
  }

  private static void assertIs(TableName table, Use use, String row, Place place) {
    assertEquals(table, place.table());
    assertEquals(use, place.use());
    assertArrayEquals(bytes(row), place.row());
  }

  @ParameterizedTest
  @EnumSource
  void whatWasWrittenLockedOrValidatedIsNamed(Conflicts rule) throws Exception {
    TableName name = fixture.table(Options.DEFAULT.withConflicts(rule));
    boolean byCell = rule == Conflicts.CELL;
    Get cell = get("r").addColumn(F, Q);
    CheckAndMutate check =
        CheckAndMutate.newBuilder(bytes("r"))
            .ifMatches(F, Q, CompareOperator.EQUAL, bytes("y"))
            .build(new Put(bytes("r")).addColumn(F, bytes("other"), bytes("x")));
    commit(name, "r");
    Map<Use, List<Step>> steps =
        Map.of(
            Use.WRITTEN, List.of(table -> table.put(put("r", "x"))),
            Use.LOCKED,
                List.of(
                    table -> table.getForUpdate(cell),
                    table -> table.addWriteConflict(cell),
                    table -> table.checkAndMutate(check)),
            Use.VALIDATED, List.of(table -> table.getValidated(cell)));
    for (Map.Entry<Use, List<Step>> each : steps.entrySet()) {
      for (Step step : each.getValue()) {
        ConflictingChange met = met(name, step);
        assertIs(name, each.getKey(), "r", met.changed());
        assertEquals(byCell, met.changed().family().isPresent());
        assertEquals(byCell, met.toString().startsWith("column f:q of row 'r' of table "));
        assertTrue(met.read().isEmpty());
      }
    }
  }

  @Test
  void longKeysAreCutInMessages() throws Exception {
    TableName name = fixture.table(Options.DEFAULT);
    String row = "\u0001" + "k".repeat(1000);
    Transaction tx = manager.begin();
    tx.table(name).put(put(row, "x"));
    commit(name, row);
    ConflictException refused = assertThrows(ConflictException.class, tx::commit);
    assertTrue(
        refused.getMessage().contains("row '\\x01" + "k".repeat(63) + "...'"), refused::getMessage);
  }

  @Test
  void pivotsNameWhatTheyReadAndWhatWasReadOfThem() throws Exception {
    TableName name = fixture.table(Options.DEFAULT);
    Transaction first = manager.begin(SERIALIZABLE);
    Transaction second = manager.begin(SERIALIZABLE);
    read(first.table(name), "b");
    first.table(name).put(put("a", "x"));
    read(second.table(name), "a");
    second.table(name).put(put("b", "x"));
    long commit = first.commit().getAsLong();
    SerializationException refused = assertThrows(SerializationException.class, second::commit);
    ConflictingChange met = known(refused.conflict());
    assertIs(name, Use.READ, "a", met.changed());
    assertEquals(OptionalLong.of(commit), met.commitTimestamp());
    assertIs(name, Use.WRITTEN, "b", known(met.read()));
    assertTrue(refused.getMessage().contains(met.toString()), refused::getMessage);
  }

  @Test
  void scansAreNamedByTheirRange() throws Exception {
    TableName name = fixture.table(Options.DEFAULT);
    Transaction first = manager.begin(SERIALIZABLE);
    Transaction second = manager.begin(SERIALIZABLE);
    read(first.table(name), "z");
    first.table(name).put(put("c", "x"));
    scan(second.table(name), "b", "d");
    second.table(name).put(put("z", "x"));
    first.commit();
    SerializationException refused = assertThrows(SerializationException.class, second::commit);
    Place scanned = known(refused.conflict()).changed();
    assertIs(name, Use.SCANNED, "b", scanned);
    assertArrayEquals(bytes("d"), scanned.stopRow().orElseThrow());
    String range = "a row of table " + name + " from 'b' to 'd', which it scanned,";
    assertEquals(range, scanned.toString());
  }

  private static void scan(TransactionalTable table, String from, String to) throws IOException {
    Scan scan = new Scan().withStartRow(bytes(from)).withStopRow(bytes(to));
    try (ResultScanner rows = table.getScanner(scan)) {
      rows.forEach(row -> {});
    }
  }

  /** A transaction that was refused, and began so. */
  private record Refused(long start, Optional<ConflictingChange> met) {}

  /** Customers of a bank, whose money is in two tables; ten of them are busy. */
  @Test
  void eachOfManyRefusalsNamesARowThatWasCommittedMeanwhile() throws Exception {
    TableName checking = fixture.table(Options.DEFAULT);
    TableName savings = fixture.table(Options.DEFAULT.withConflicts(Conflicts.CELL));
    Map<String, List<Long>> commits = new ConcurrentHashMap<>();
    ConcurrentLinkedQueue<Refused> refusals = new ConcurrentLinkedQueue<>();
    AtomicInteger left = new AtomicInteger(REFUSALS);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    List<CompletableFuture<Void>> tellers = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Random random = new Random(20_111_128 + i);
      tellers.add(
          CompletableFuture.runAsync(
              () -> {
                while (left.get() > 0) {
                  Refused refused = bank(random, List.of(checking, savings), commits);
                  if (refused != null && left.getAndDecrement() > 0) {
                    refusals.add(refused);
                  }
                }
              },
              threads));
    }
    CompletableFuture.allOf(tellers.toArray(CompletableFuture[]::new)).get(1, TimeUnit.HOURS);
    threads.shutdown();
    assertEquals(REFUSALS, refusals.size());
    for (Refused refused : refusals) {
      ConflictingChange met = known(refused.met);
      Place changed = met.changed();
      long at = met.commitTimestamp().orElseThrow();
      String row = changed.table() + "/" + Fixture.text(changed.row());
      assertTrue(at > refused.start, () -> row + " at " + at + " before " + refused.start);
      assertTrue(commits.getOrDefault(row, List.of()).contains(at), () -> row + " at " + at);
    }
  }

  /** Moves money between two customers; null if that is not refused. */
  private Refused bank(Random random, List<TableName> names, Map<String, List<Long>> commits) {
    TransactionOptions options = random.nextBoolean() ? SERIALIZABLE : TransactionOptions.DEFAULT;
    try (Transaction tx = manager.begin(options)) {
      List<String> written = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        TableName name = names.get(random.nextInt(2));
        TransactionalTable table = tx.table(name);
        String customer = "c" + random.nextInt(HOT);
        table.get(get("c" + random.nextInt(HOT)).addColumn(F, Q));
        table.get(get(customer).addColumn(F, Q));
        table.put(put(customer, "x"));
        written.add(name + "/" + customer);
      }
      try {
        long commit = tx.commit().getAsLong();
        written.forEach(
            row -> commits.computeIfAbsent(row, r -> new CopyOnWriteArrayList<>()).add(commit));
        return null;
      } catch (ConflictException e) {
        return new Refused(tx.startTimestamp(), e.conflict());
      } catch (SerializationException e) {
        return new Refused(tx.startTimestamp(), e.conflict());
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
