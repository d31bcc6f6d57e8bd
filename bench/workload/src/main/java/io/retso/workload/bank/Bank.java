package io.retso.workload.bank;

import static io.retso.workload.Numbers.bytes;
import static io.retso.workload.Numbers.number;

import io.retso.workload.Isolation;
import io.retso.workload.Options;
import io.retso.workload.Program;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import io.retso.workload.Workload;
import java.io.IOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Accounts in two tables, and a journal with one row for each transfer. Each account has money in
 * both tables; a transfer moves some of it from one table to the other, so the total stays as it
 * is. Several processes may work on the same accounts, each with a bank of another name: the ids of
 * its transfers begin with that.
 */
public final class Bank implements Workload {
  /** What every account has in each table at the start. */
  public static final long OPENING_BALANCE = 500;

  private static final String CHECKING = "demo_checking";
  private static final String SAVINGS = "demo_savings";
  private static final String JOURNAL = "demo_journal";
  private static final int AMOUNT_MAX = 100;

  private final String name;
  private final int accounts;
  private final Options transfer;
  private final Options audit;
  private final AtomicLong transfers = new AtomicLong();
  private final Set<String> committed = ConcurrentHashMap.newKeySet();

  /** A bank; {@link #load} comes first, in one of the processes. */
  public Bank(String name, int accounts, Isolation isolation) {
    this.name = name;
    this.accounts = accounts;
    this.transfer = new Options("transfer", isolation, false);
    this.audit = new Options("audit", isolation, true);
  }

  @Override
  public List<String> schema() {
    return List.of(CHECKING, SAVINGS, JOURNAL);
  }

  /** Opens the accounts; the journal is to be empty. */
  @Override
  public void load(Store store) throws IOException {
    Map<Row, byte[]> rows = new LinkedHashMap<>();
    for (String table : List.of(CHECKING, SAVINGS)) {
      for (int account = 0; account < accounts; account++) {
        rows.put(row(table, account), bytes(OPENING_BALANCE));
      }
    }
    store.fill(rows);
    committed.clear();
  }

  /** The money there is. */
  public long total() {
    return 2 * OPENING_BALANCE * accounts;
  }

  @Override
  public Transfer next(SplittableRandom random) {
    boolean fromChecking = random.nextBoolean();
    return new Transfer(
        name + "-" + transfers.incrementAndGet(),
        row(fromChecking ? CHECKING : SAVINGS, random.nextInt(accounts)),
        row(fromChecking ? SAVINGS : CHECKING, random.nextInt(accounts)),
        1 + random.nextInt(AMOUNT_MAX));
  }

  /** Moves money from an account in one table to an account in the other, and writes it down. */
  public final class Transfer implements Program {
    private final String id;
    private final Row source;
    private final Row target;
    private final long amount;

    private Transfer(String id, Row source, Row target, long amount) {
      this.id = id;
      this.source = source;
      this.target = target;
      this.amount = amount;
    }

    /** What the journal calls it; no other transfer is called so. */
    public String id() {
      return id;
    }

    @Override
    public Options options() {
      return transfer;
    }

    @Override
    public boolean run(StoreTransaction tx) throws IOException {
      long has = number(tx.get(source));
      long moved = Math.min(amount, has);
      tx.put(source, bytes(has - moved));
      tx.put(target, bytes(number(tx.get(target)) + moved));
      tx.put(new Row(JOURNAL, id), bytes(moved));
      return true;
    }

    @Override
    public void committed() {
      committed.add(id);
    }
  }

  /** Adds up all accounts of both tables in one snapshot. */
  public long audit(Store store) throws IOException {
    return audit(store, audit);
  }

  private static long audit(Store store, Options options) throws IOException {
    long[] sum = {0};
    try (StoreTransaction tx = store.begin(options)) {
      for (String table : List.of(CHECKING, SAVINGS)) {
        tx.scan(table, (key, value) -> sum[0] += number(value));
      }
      tx.commit();
    }
    return sum[0];
  }

  /** Ids of all transfers in the journal, of those that were acknowledged a moment ago, too. */
  public Set<String> journal(Store store) throws IOException {
    Set<String> ids = new HashSet<>();
    try (StoreTransaction tx = store.begin(Options.DEFERRED)) {
      tx.scan(JOURNAL, (id, amount) -> ids.add(id));
      tx.commit();
    }
    return ids;
  }

  /** The total, and the journal; only for a bank that works alone, and knows all outcomes. */
  @Override
  public String check(Store store) throws IOException {
    long found = audit(store, Options.DEFERRED);
    Set<String> journal = journal(store);
    return found == total() && journal.equals(committed)
        ? ""
        : String.format(
            Locale.ROOT,
            "there is %,d in all accounts instead of %,d; %,d transfers are in the journal, and"
                + " %,d were committed",
            found,
            total(),
            journal.size(),
            committed.size());
  }

  private static Row row(String table, int account) {
    return new Row(table, String.format(Locale.ROOT, "account-%06d", account));
  }
}
