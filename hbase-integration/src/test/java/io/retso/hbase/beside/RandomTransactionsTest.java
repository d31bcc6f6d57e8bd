package io.retso.hbase.beside;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.retso.hbase.Fixture;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.beside.SerialOrder.Committed;
import io.retso.hbase.beside.SerialTransaction.Kind;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Isolation;
import io.retso.hbase.read.ReadSet;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
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
 * serializable and committed there is an order in which each learns what it has learnt. Two write;
 * the others write or only read, in all ways in which that is serializable, mostly from snapshots
 * between the commits of the two. {@code -Dretso.orders.histories=N} for a longer run, {@code
 * -Dretso.orders.seed=N} for the same one again.
 */
@ExtendWith(RetsoCluster.Extension.class)
class RandomTransactionsTest {
  private static final int HISTORIES = Integer.getInteger("retso.orders.histories", 12);
  private static final long SEED = Long.getLong("retso.orders.seed", new Random().nextLong());
  private static final int WRITERS = 2;
  private static final int TRANSACTIONS = 4;
  private static final int STEPS_MAX = 4;
  private static final int ENOUGH = 500;
  private static final Kind[] KINDS = Kind.values();
  private static final byte[] SPLIT = {'b'};

  /** Gets of other rows, as many as a transaction remembers one by one. */
  private static final List<Get> MANY =
      IntStream.range(0, ReadSet.IDS_MAX / 2).mapToObj(i -> new Get(Bytes.toBytes(i))).toList();

  static Stream<Arguments> modes() {
    AtomicInteger count = new AtomicInteger();
    return Stream.of(Options.DEFAULT, Options.CLIENT_READS)
        .flatMap(options -> Stream.of(options, options.withConflicts(Conflicts.CELL)))
        .map(options -> Arguments.of(options, SEED + count.getAndIncrement()));
  }

  /** One that is under way. */
  private static final class Open {
    final SerialTransaction of;
    int left;

    /** Whatever was committed before it began. */
    final long after;

    Open(SerialTransaction of, int left, long after) {
      this.of = of;
      this.left = left;
      this.after = after;
    }
  }

  private TransactionManager manager;
  private TransactionManager sendingAtOnce;
  private TableName name;
  private TableName another;
  private SerialOrder orders;
  private final List<String> log = new ArrayList<>();
  private final Map<String, Integer> counts = new TreeMap<>();

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
    System.out.println(counts);
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
      before.add(new SerialStep(random.nextLong(), false));
    }
    begin(name, before);
    long last = begin(another, before);
    Fixture.eventually("recent snapshots have it", () -> recentSnapshot() > last);
    List<Committed> all = new ArrayList<>();
    List<Open> open = new ArrayList<>();
    boolean atOnce = random.nextInt(4) > 0;
    int begun = 0;
    while (begun < TRANSACTIONS || !open.isEmpty()) {
      boolean waits =
          begun < WRITERS
              ? !atOnce && random.nextInt(3) == 0
              : all.isEmpty() || random.nextBoolean();
      if (begun < TRANSACTIONS && (open.isEmpty() || !waits)) {
        Kind kind = begun < WRITERS ? Kind.WRITES : KINDS[random.nextInt(KINDS.length)];
        long after = all.stream().mapToLong(Committed::commit).max().orElse(last);
        SerialTransaction tx = begin(random, kind, isolation);
        open.add(new Open(tx, 1 + random.nextInt(STEPS_MAX), after));
        begun++;
        continue;
      }
      Open next = open.get(random.nextInt(open.size()));
      if (next.left-- > 0) {
        log.add(next.of.step(random.nextLong(), name));
      } else {
        open.remove(next);
        commit(next, all);
      }
    }
    try (Transaction tx = manager.begin()) {
      return orders.exists(all, SerialOrder.all(tx, name));
    }
  }

  private long recentSnapshot() throws IOException {
    return manager.read(
        TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE),
        ReadTransaction::readTimestamp);
  }

  private SerialTransaction begin(Random random, Kind kind, Isolation isolation) throws Exception {
    TransactionManager own = kind == Kind.WRITES && random.nextBoolean() ? sendingAtOnce : manager;
    SerialTransaction tx = SerialTransaction.begin(kind, own, isolation);
    if (random.nextInt(4) == 0) {
      // Whatever it reads from now on counts as granules.
      Inside.reads(tx.tx()).add(Inside.tables(manager).find(name).join(), MANY);
    }
    return tx;
  }

  /** Begins with the same rows in both tables. */
  private long begin(TableName table, List<SerialStep> steps) throws Exception {
    try (Transaction tx = manager.begin()) {
      try (ResultScanner rows = tx.table(table).getScanner(new Scan())) {
        for (Result row : rows) {
          tx.table(table).delete(new Delete(row.getRow()));
        }
      }
      for (SerialStep step : steps) {
        step.in(tx, table);
      }
      return tx.commit().orElse(0);
    }
  }

  private void commit(Open open, List<Committed> all) throws Exception {
    Kind kind = open.of.kind();
    long start = open.of.tx().readTimestamp();
    try {
      Committed of = open.of.commit();
      log.add(kind + " of " + start + " commits at " + of.commit());
      assertTrue(kind == Kind.RECENT || start > open.after, () -> "a stale snapshot: " + log);
      all.add(of);
      count(kind + " committed");
    } catch (ConflictException | SerializationException e) {
      assertTrue(kind != Kind.RECENT && kind != Kind.DEFERRED, () -> "refused: " + log);
      log.add(kind + " of " + start + " " + e);
      count(kind + " refused");
    }
  }

  private void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }
}
