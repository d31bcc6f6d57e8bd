package io.retso.ycsb;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.atomic.AtomicLong;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;
import site.ycsb.StringByteIterator;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;

/**
 * A closed economy, after Dey and others, "YCSB+T": money moves between {@code recordcount}
 * accounts (2 to 1,000,000), and its sum never changes. After a run all accounts are read; the
 * anomaly score, the money that came or went, divided by the transactions, is printed. Each
 * transfer, read or scan is one transaction of {@link RetsoClient}, whatever {@code
 * retso.operations} says. Thread-safe, as YCSB needs it.
 */
public final class ClosedEconomyWorkload extends Workload {
  private static final int ACCOUNTS_MAX = 1_000_000;
  private static final long INITIAL = 1000;
  private static final int SCANNED = 10;
  private static final String FIELD = "balance";

  private final AtomicLong inserted = new AtomicLong();
  private final AtomicLong transactions = new AtomicLong();
  private Properties properties;
  private String table;
  private int accounts;
  private double reads;
  private double scans;
  private long seed;

  /** As YCSB makes it. */
  public ClosedEconomyWorkload() {}

  @Override
  public void init(Properties given) throws WorkloadException {
    properties = given;
    table = given.getProperty("table", "usertable");
    accounts = (int) number("recordcount", "100", 2, ACCOUNTS_MAX);
    reads = number("economy.read.percent", "10", 0, 100) / 100.0;
    scans = number("economy.scan.percent", "10", 0, 100) / 100.0;
    seed = number("economy.seed", "1", 0, Long.MAX_VALUE);
    if (reads + scans > 1) {
      throw new WorkloadException(
          "economy.read.percent and economy.scan.percent are over 100 together: lower one");
    }
  }

  private long number(String name, String otherwise, long min, long max) throws WorkloadException {
    String value = properties.getProperty(name, otherwise);
    if (value.matches("[0-9]{1,18}")) {
      long number = Long.parseLong(value);
      if (number >= min && number <= max) {
        return number;
      }
    }
    throw new WorkloadException(name + " is " + value + ": pass " + min + " to " + max);
  }

  @Override
  public Object initThread(Properties given, int thread, int threads) {
    return new Random(seed * 31 + thread);
  }

  @Override
  public boolean doInsert(DB db, Object state) {
    int account = Math.toIntExact(inserted.getAndIncrement() % accounts);
    return db.insert(table, key(account), balance(INITIAL)).isOk();
  }

  @Override
  public boolean doTransaction(DB db, Object state) {
    Random random = (Random) state;
    RetsoClient client = RetsoClient.ofThread();
    if (client != null) {
      client.begin();
    }
    double kind = random.nextDouble();
    int from = random.nextInt(accounts);
    Status status;
    if (kind < reads) {
      status = db.read(table, key(from), Set.of(FIELD), new HashMap<>());
    } else if (kind < reads + scans) {
      status = db.scan(table, key(from), SCANNED, Set.of(FIELD), new Vector<>());
    } else {
      int to = (from + 1 + random.nextInt(accounts - 1)) % accounts;
      status = transfer(db, from, to, 1 + random.nextInt(10));
    }
    transactions.incrementAndGet();
    boolean committed = client == null || client.end(status.isOk()).isOk();
    return status.isOk() && committed;
  }

  private Status transfer(DB db, int from, int to, int amount) {
    Map<String, ByteIterator> source = new HashMap<>();
    Map<String, ByteIterator> target = new HashMap<>();
    Status status = db.read(table, key(from), Set.of(FIELD), source);
    if (status.isOk()) {
      status = db.read(table, key(to), Set.of(FIELD), target);
    }
    if (status.isOk()) {
      status = db.update(table, key(from), balance(amount(source) - amount));
    }
    return status.isOk() ? db.update(table, key(to), balance(amount(target) + amount)) : status;
  }

  /** Judges the run: YCSB calls it when all threads have ended. */
  @Override
  public void cleanup() throws WorkloadException {
    if (!Boolean.parseBoolean(properties.getProperty("dotransactions", "true"))) {
      return;
    }
    String name = properties.getProperty("db", "");
    try {
      DB db = (DB) Class.forName(name).getDeclaredConstructor().newInstance();
      db.setProperties(properties);
      db.init();
      try {
        System.out.printf(Locale.ROOT, "[ECONOMY], AnomalyScore, %.6f%n", anomalyScore(db));
      } finally {
        db.cleanup();
      }
    } catch (ReflectiveOperationException | DBException e) {
      throw new WorkloadException("the accounts cannot be judged with the binding " + name, e);
    }
  }

  /**
   * The money that came or went since the accounts were made, divided by the transactions of this
   * run; 0 if none is missing. Nothing else may write meanwhile.
   *
   * @throws WorkloadException if an account cannot be read
   */
  public double anomalyScore(DB db) throws WorkloadException {
    long sum = 0;
    for (int account = 0; account < accounts; account++) {
      Map<String, ByteIterator> row = new HashMap<>();
      Status status = db.read(table, key(account), Set.of(FIELD), row);
      if (!status.isOk()) {
        throw new WorkloadException(
            key(account) + " cannot be read, " + status.getName() + ": load the accounts first");
      }
      sum += amount(row);
    }
    return Math.abs(sum - INITIAL * accounts) / (double) Math.max(1, transactions.get());
  }

  private static String key(int account) {
    return String.format(Locale.ROOT, "account%07d", account);
  }

  private static Map<String, ByteIterator> balance(long amount) {
    return Map.of(FIELD, new StringByteIterator(Long.toString(amount)));
  }

  private static long amount(Map<String, ByteIterator> row) {
    return Long.parseLong(row.get(FIELD).toString());
  }
}
