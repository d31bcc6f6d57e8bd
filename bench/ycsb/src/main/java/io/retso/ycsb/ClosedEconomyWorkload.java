package io.retso.ycsb;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import org.apache.yetus.audience.InterfaceAudience;
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
 * anomaly score, the money that came or went, divided by the transactions, is printed. If it is
 * above 0, or cannot be told, the process ends with exit code 1, unless {@code economy.fail} is
 * false. Each transfer, read or scan is one transaction of {@link RetsoClient}, whatever {@code
 * retso.operations} says. Thread-safe, as YCSB needs it.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class ClosedEconomyWorkload extends Workload {
  private static final int ACCOUNTS_MAX = 1_000_000;
  private static final long INITIAL = 1000;
  private static final int SCANNED = 10;
  private static final int FAILED = 1;
  private static final String FIELD = "balance";

  private final AtomicLong inserted = new AtomicLong();
  private final LongAdder transactions = new LongAdder();
  private final LongAdder committed = new LongAdder();
  private Properties properties;
  private String table;
  private int accounts;
  private double reads;
  private double scans;
  private long seed;
  private boolean fails;

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
    String ending = given.getProperty("economy.fail", "true");
    if (!ending.equals("true") && !ending.equals("false")) {
      throw new WorkloadException("economy.fail is " + ending + ": pass true or false");
    }
    fails = ending.equals("true");
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

  /** One transaction; true also if it is refused, as YCSB ends a thread that is told false. */
  @Override
  public boolean doTransaction(DB db, Object state) {
    Random random = (Random) state;
    RetsoClient client = RetsoClient.ofThread();
    if (client != null) {
      client.begin();
    }
    boolean isDone = work(db, random).isOk();
    boolean isCommitted = client == null || client.end(isDone).isOk();
    transactions.increment();
    if (isDone && isCommitted) {
      committed.increment();
    }
    return true;
  }

  private Status work(DB db, Random random) {
    double kind = random.nextDouble();
    int from = random.nextInt(accounts);
    if (kind < reads) {
      return db.read(table, key(from), Set.of(FIELD), new HashMap<>());
    }
    if (kind < reads + scans) {
      return db.scan(table, key(from), SCANNED, Set.of(FIELD), new Vector<>());
    }
    int to = (from + 1 + random.nextInt(accounts - 1)) % accounts;
    return transfer(db, from, to, 1 + random.nextInt(10));
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

  /**
   * Judges the run: YCSB calls it when all threads have ended. YCSB's process ends with exit code
   * 0, whatever is thrown here, so that the code of a failure is set as the process ends; YCSB
   * writes its measurements before.
   */
  @Override
  public void cleanup() throws WorkloadException {
    if (!Boolean.parseBoolean(properties.getProperty("dotransactions", "true"))) {
      return;
    }
    boolean isGood = false;
    try {
      double score = anomalyScore();
      System.out.printf(Locale.ROOT, "[ECONOMY], Transactions, %d%n", transactions());
      System.out.printf(Locale.ROOT, "[ECONOMY], Committed, %d%n", committed());
      System.out.printf(Locale.ROOT, "[ECONOMY], AnomalyScore, %.6f%n", score);
      isGood = score == 0;
    } finally {
      if (fails && !isGood) {
        System.out.println(
            "[ECONOMY], Failed: money came or went, or cannot be counted; exit code 1."
                + " To end with 0 nevertheless, pass -p economy.fail=false");
        Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(FAILED)));
      }
    }
  }

  private double anomalyScore() throws WorkloadException {
    String name = properties.getProperty("db", "");
    try {
      DB db = (DB) Class.forName(name).getDeclaredConstructor().newInstance();
      db.setProperties(properties);
      db.init();
      try {
        return anomalyScore(db);
      } finally {
        db.cleanup();
      }
    } catch (ReflectiveOperationException | DBException e) {
      throw new WorkloadException("the accounts cannot be judged with the binding " + name, e);
    }
  }

  /** Transactions of this run so far, however they ended. */
  public long transactions() {
    return transactions.sum();
  }

  /** Those of them that are committed; without transactions, those that went through. */
  public long committed() {
    return committed.sum();
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
    return Math.abs(sum - INITIAL * accounts) / (double) Math.max(1, transactions());
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
