package io.retso.workload.tpcb;

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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * TPC-B as pgbench has it: a transaction adds an amount to an account, which it then reads, to a
 * teller and to a branch, and writes it down. All write their branch, so at scale 1 one row is
 * written by all. Safe under snapshot isolation: what is read is written, too.
 */
public final class Tpcb implements Workload {
  /** Accounts of a branch in TPC-B. */
  public static final int ACCOUNTS = 100_000;

  private static final int TELLERS = 10;
  private static final int DELTA_MAX = 5000;

  private final int scale;
  private final int accountsOfBranch;
  private final Options options;
  private final Totals totals;

  /** What the programs that committed have done, at whatever level. */
  private static final class Totals {
    final AtomicLong begun = new AtomicLong();
    final AtomicLong committed = new AtomicLong();
    final AtomicLong moved = new AtomicLong();
  }

  /**
   * A workload; {@link #load} comes first.
   *
   * @param scale branches
   * @param accountsOfBranch {@link #ACCOUNTS} in TPC-B
   */
  public Tpcb(int scale, int accountsOfBranch, Isolation isolation) {
    this(scale, accountsOfBranch, isolation, new Totals());
  }

  private Tpcb(int scale, int accountsOfBranch, Isolation isolation, Totals totals) {
    this.scale = scale;
    this.accountsOfBranch = accountsOfBranch;
    this.options = new Options("tpcb", isolation, false);
    this.totals = totals;
  }

  /** Programs at another level, on these tables. */
  public Tpcb at(Isolation isolation) {
    return new Tpcb(scale, accountsOfBranch, isolation, totals);
  }

  /** Each scale has tables of its own. */
  private String table(String name) {
    return "tpcb" + scale + "_" + name;
  }

  private Row row(String table, long number) {
    return new Row(table(table), String.format(Locale.ROOT, "%010d", number));
  }

  @Override
  public List<String> schema() {
    return List.of(table("account"), table("teller"), table("branch"), table("history"));
  }

  @Override
  public void load(Store store) throws IOException {
    Map<Row, byte[]> rows = new LinkedHashMap<>();
    addZeros(rows, "account", (long) scale * accountsOfBranch);
    addZeros(rows, "teller", (long) scale * TELLERS);
    addZeros(rows, "branch", scale);
    store.fill(rows);
    totals.committed.set(0);
    totals.moved.set(0);
  }

  private void addZeros(Map<Row, byte[]> rows, String table, long count) {
    for (long i = 0; i < count; i++) {
      rows.put(row(table, i), bytes(0));
    }
  }

  @Override
  public Program next(SplittableRandom random) {
    return new Move(
        random.nextLong((long) scale * accountsOfBranch),
        random.nextInt(scale * TELLERS),
        random.nextInt(scale),
        random.nextInt(2 * DELTA_MAX + 1) - DELTA_MAX);
  }

  private final class Move implements Program {
    private final Row account;
    private final Row teller;
    private final Row branch;
    private final long delta;

    Move(long account, int teller, int branch, long delta) {
      this.account = row("account", account);
      this.teller = row("teller", teller);
      this.branch = row("branch", branch);
      this.delta = delta;
    }

    @Override
    public Options options() {
      return options;
    }

    @Override
    public boolean run(StoreTransaction tx) throws IOException {
      add(tx, account);
      tx.get(account);
      add(tx, teller);
      add(tx, branch);
      // At each attempt another number: a refused one may have left nothing under its own.
      tx.insert(row("history", totals.begun.incrementAndGet()), bytes(delta));
      return true;
    }

    /** Where a read sees what is committed now, an update is one only if it holds its row. */
    private void add(StoreTransaction tx, Row row) throws IOException {
      boolean holds = options.isolation() == Isolation.READ_COMMITTED;
      tx.put(row, bytes(number(holds ? tx.lock(row) : tx.get(row)) + delta));
    }

    @Override
    public void committed() {
      totals.committed.incrementAndGet();
      totals.moved.addAndGet(delta);
    }
  }

  /** All three kinds of balances add up to what was moved, and so does the history. */
  @Override
  public String check(Store store) throws IOException {
    StringBuilder wrong = new StringBuilder();
    long[] rows = {0};
    for (String table : List.of("account", "teller", "branch", "history")) {
      long[] sum = {0};
      rows[0] = 0;
      try (StoreTransaction tx = store.begin(Options.ALONE)) {
        tx.scan(
            table(table),
            (key, value) -> {
              rows[0]++;
              sum[0] += number(value);
            });
      }
      if (sum[0] != totals.moved.get()) {
        wrong.append(
            String.format(
                Locale.ROOT,
                "%s: %,d in all, and %,d were moved; ",
                table,
                sum[0],
                totals.moved.get()));
      }
    }
    if (rows[0] != totals.committed.get()) {
      wrong.append(
          String.format(
              Locale.ROOT, "%,d rows of history of %,d programs", rows[0], totals.committed.get()));
    }
    return wrong.toString();
  }
}
