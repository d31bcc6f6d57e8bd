package io.retso.hbase.beside;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.beside.SerialOrder.Committed;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Isolation;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random transactions beside each other, of all that the API can say: of those that are
 * serializable and committed there is an order in which each learns what it has learnt. {@code
 * -Dretso.orders.histories=N} for a longer run, {@code -Dretso.orders.seed=N} for the same one
 * again.
 */
@ExtendWith(RetsoCluster.Extension.class)
class RandomTransactionsTest {
  private static final int HISTORIES = Integer.getInteger("retso.orders.histories", 12);
  private static final long SEED = Long.getLong("retso.orders.seed", new Random().nextLong());
  private static final int TRANSACTIONS = 3;
  private static final int STEPS_MAX = 4;
  private static final int ENOUGH = 500;
  private static final byte[] SPLIT = {'b'};

  static Stream<Arguments> modes() {
    AtomicInteger count = new AtomicInteger();
    return Stream.of(Options.DEFAULT, Options.CLIENT_READS)
        .flatMap(options -> Stream.of(options, options.with(Conflicts.CELL)))
        .map(options -> Arguments.of(options, SEED + count.getAndIncrement()));
  }

  /** One that is under way. */
  private static final class Open {
    final Transaction tx;
    final List<SerialStep> steps = new ArrayList<>();
    final List<String> outcomes = new ArrayList<>();
    int left;

    Open(Transaction tx, int left) {
      this.tx = tx;
      this.left = left;
    }
  }

  private TransactionManager manager;
  private TransactionManager sendingAtOnce;
  private TableName name;
  private TableName another;
  private SerialOrder orders;
  private final List<String> log = new ArrayList<>();
  private int committed;
  private int refused;

  private TableName table(Fixture fixture, Options options) throws Exception {
    TableName fresh = fixture.cluster.freshName("orders");
    TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(fresh);
    for (String family : Draw.FAMILIES) {
      table.setColumnFamily(ColumnFamilyDescriptorBuilder.of(Bytes.toBytes(family)));
    }
    fixture.preparation().create(table.build(), options, SPLIT);
    return fresh;
  }

  private void open(Options options, Fixture fixture) throws Exception {
    manager = fixture.manager();
    sendingAtOnce = fixture.opened(fixture.builder().flushBytes(1).build());
    name = table(fixture, options);
    another = table(fixture, options);
    orders = new SerialOrder(manager, another);
  }

  @ParameterizedTest
  @MethodSource("modes")
  void whatCommitsFitsOneOrder(Options options, long seed, Fixture fixture) throws Exception {
    String repeat = "-Dretso.orders.histories=" + HISTORIES + " -Dretso.orders.seed=" + SEED;
    System.out.println(repeat + " " + options);
    open(options, fixture);
    Random random = new Random(seed);
    for (int i = 0; i < HISTORIES; i++) {
      if (!run(random, Isolation.SERIALIZABLE)) {
        fail("again by " + repeat + "\n" + options + "\n" + String.join("\n", log));
      }
    }
    System.out.println(committed + " committed, " + refused + " refused");
  }

  /** So what is looked for would be found. */
  @Test
  void underSnapshotIsolationSomeFitNone(Fixture fixture) throws Exception {
    open(Options.DEFAULT, fixture);
    Random random = new Random(SEED);
    int histories = 1;
    while (run(random, Isolation.SNAPSHOT)) {
      assertTrue(histories++ < ENOUGH, "no anomaly, -Dretso.orders.seed=" + SEED);
    }
    System.out.println("the first anomaly is in history " + histories);
  }

  private boolean run(Random random, Isolation isolation) throws Exception {
    log.clear();
    List<SerialStep> before = new ArrayList<>();
    for (int i = random.nextInt(8); i >= 0; i--) {
      before.add(new SerialStep(random.nextLong()));
    }
    begin(name, before);
    begin(another, before);
    List<Committed> all = new ArrayList<>();
    List<Open> open = new ArrayList<>();
    boolean atOnce = random.nextInt(4) > 0;
    int begun = 0;
    while (begun < TRANSACTIONS || !open.isEmpty()) {
      if (begun < TRANSACTIONS && (atOnce || open.isEmpty() || random.nextInt(3) > 0)) {
        TransactionManager own = random.nextBoolean() ? manager : sendingAtOnce;
        Transaction tx = own.begin(TransactionOptions.DEFAULT.withIsolation(isolation));
        open.add(new Open(tx, 2 + random.nextInt(STEPS_MAX - 1)));
        begun++;
        continue;
      }
      Open next = open.get(random.nextInt(open.size()));
      if (next.left-- > 0) {
        step(next, new SerialStep(random.nextLong()));
      } else {
        open.remove(next);
        commit(next, all);
      }
    }
    try (Transaction tx = manager.begin()) {
      return orders.exists(all, SerialOrder.all(tx, name));
    }
  }

  /** The same rows in both tables. */
  private void begin(TableName table, List<SerialStep> steps) throws Exception {
    try (Transaction tx = manager.begin()) {
      try (ResultScanner rows = tx.table(table).getScanner(new Scan())) {
        for (Result row : rows) {
          tx.table(table).delete(new Delete(row.getRow()));
        }
      }
      for (SerialStep step : steps) {
        step.in(tx, table);
      }
      tx.commit();
    }
  }

  private void step(Open open, SerialStep step) throws Exception {
    String outcome = step.in(open.tx, name);
    open.steps.add(step);
    open.outcomes.add(outcome);
    log.add(open.tx.startTimestamp() + " " + step + "\n    " + outcome);
  }

  private void commit(Open open, List<Committed> all) throws Exception {
    long start = open.tx.startTimestamp();
    try {
      // One that wrote nothing has its place at its start.
      long commit = open.tx.commit().orElse(start);
      log.add(start + " commits at " + commit);
      all.add(new Committed(start, commit, open.steps, open.outcomes));
      committed++;
    } catch (ConflictException | SerializationException e) {
      log.add(start + " " + e);
      refused++;
    }
  }
}
