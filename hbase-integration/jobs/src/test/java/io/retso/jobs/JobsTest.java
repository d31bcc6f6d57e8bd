package io.retso.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.HeldSnapshot;
import io.retso.hbase.HoldOptions;
import io.retso.hbase.TransactionManager;
import io.retso.jobs.Engine.Found;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * MapReduce and Spark read a held snapshot of two tables, while tellers move money between them,
 * regions move and split, and the oracle's leader changes: each job finds all the money. {@code
 * -Dretso.jobs=200} is so many of each.
 */
class JobsTest {
  private static final int JOBS = Integer.getInteger("retso.jobs", 3);

  /** Jobs without a snapshot, of which one is to find another total. */
  private static final int CONTROL_MAX = 20;

  private static final long SEED = Long.getLong("retso.jobs.seed", 1);

  @TempDir private static Path directory;

  private static Servers servers;
  private static Connection connection;
  private static TransactionManager manager;
  private static Bank bank;
  private static Disturbances disturbances;

  @BeforeAll
  static void open() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    servers = new Servers(directory);
    connection = ConnectionFactory.createConnection(servers.configuration());
    manager =
        TransactionManager.builder(servers.configuration()).oracle(servers.addresses()).build();
    bank = new Bank(connection, servers.addresses(), manager, random.split());
    disturbances = new Disturbances(servers, connection, random.split());
  }

  @AfterAll
  static void close() throws Exception {
    disturbances.end();
    bank.end();
    manager.close();
    connection.close();
    servers.close();
  }

  @Test
  void mapReduceFindsAllTheMoney() throws Exception {
    try (Engine engine = mapReduce()) {
      assertFindsAll(engine);
    }
  }

  @Test
  void sparkFindsAllTheMoney() throws Exception {
    try (Engine engine = spark()) {
      assertFindsAll(engine);
    }
  }

  /** So the jobs above could have failed. */
  @Test
  void withoutSnapshotMapReduceFindsAnotherTotal() throws Exception {
    try (Engine engine = mapReduce()) {
      assertFindsAnother(engine);
    }
  }

  /** Likewise. */
  @Test
  void withoutSnapshotSparkFindsAnotherTotal() throws Exception {
    try (Engine engine = spark()) {
      assertFindsAnother(engine);
    }
  }

  private static Engine mapReduce() {
    return new MapReduceEngine(servers.configuration(), directory.resolve("mapreduce"));
  }

  private static Engine spark() {
    return new SparkEngine(servers.configuration(), directory.resolve("spark"));
  }

  private static Scan balances() {
    return new Scan().addFamily(Bank.FAMILY);
  }

  /** Goes on until everything that disturbs has happened. */
  private static void assertFindsAll(Engine engine) throws Exception {
    long began = System.nanoTime();
    Found all = new Found(2 * Bank.ACCOUNTS, Bank.TOTAL);
    int jobs = 0;
    long transfers = bank.transfers();
    while (jobs < JOBS || !disturbances.allHappened()) {
      try (HeldSnapshot held = manager.hold(HoldOptions.named("job"))) {
        Map<TableName, Scan> scans = new HashMap<>();
        for (TableName table : Bank.TABLES) {
          scans.put(table, held.scan(table, balances()));
        }
        assertEquals(all, engine.run(scans), () -> "seed " + SEED + " " + disturbances.counts());
        jobs++;
      }
    }
    long moved = bank.transfers() - transfers;
    assertTrue(moved > 0, "seed " + SEED + ": no money moved");
    System.out.printf(
        "%s: %d of %d jobs found all, in %d s, beside %d transfers and, since the begin, %s%n",
        engine.getClass().getSimpleName(),
        jobs,
        jobs,
        TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began),
        moved,
        disturbances.counts());
  }

  private static void assertFindsAnother(Engine engine) throws Exception {
    Map<TableName, Scan> scans = new HashMap<>();
    Bank.TABLES.forEach(table -> scans.put(table, balances()));
    Found found = engine.run(scans);
    for (int jobs = 1; found.sum() == Bank.TOTAL; jobs++) {
      assertNotEquals(CONTROL_MAX, jobs, () -> "seed " + SEED + ": the bank is too slow");
      found = engine.run(scans);
    }
    assertEquals(2 * Bank.ACCOUNTS, found.rows(), () -> "seed " + SEED);
  }
}
