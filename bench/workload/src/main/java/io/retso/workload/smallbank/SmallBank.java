package io.retso.workload.smallbank;

import static io.retso.workload.Numbers.bytes;
import static io.retso.workload.Numbers.number;

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
import java.util.stream.IntStream;

/** The workload: a mix of the five programs, as a strategy wants them. */
public final class SmallBank implements Workload {
  /** What every customer has in each account at first. */
  static final long OPENING_BALANCE = 10_000;

  private static final int AMOUNT_MAX = 100;

  private final Mix mix;
  private final Programs programs;
  private long moneyBefore;

  /** A workload; {@link #load} comes first. */
  public SmallBank(Mix mix, Strategy strategy) {
    this.mix = mix;
    this.programs = new Programs(strategy);
  }

  @Override
  public List<String> schema() {
    return Accounts.TABLES;
  }

  /**
   * Fills the tables if they are empty; otherwise gives the customers of the hot spot, whose money
   * an earlier run has moved, what they had. The others are left with what they have.
   */
  @Override
  public void load(Store store) throws IOException {
    boolean isEmpty;
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      isEmpty = tx.get(Accounts.account(Accounts.name(mix.customers() - 1))) == null;
    }
    int customers = isEmpty ? mix.customers() : mix.hot();
    Map<Row, byte[]> rows = new LinkedHashMap<>();
    for (int customer = 0; customer < customers; customer++) {
      for (String table : List.of(Accounts.SAVINGS, Accounts.CHECKING)) {
        rows.put(Accounts.row(table, customer), bytes(OPENING_BALANCE));
      }
      if (isEmpty) {
        rows.put(Accounts.row(Accounts.CONFLICT, customer), bytes(0));
        rows.put(Accounts.account(Accounts.name(customer)), bytes(customer));
      }
    }
    store.fill(rows);
    moneyBefore = money(store, "");
  }

  /** Checking accounts of the first customers, those of the hot spot before all. */
  public List<Row> checkingAccounts(int count) {
    return IntStream.range(0, count)
        .mapToObj(customer -> Accounts.row(Accounts.CHECKING, customer))
        .toList();
  }

  @Override
  public Program next(SplittableRandom random) {
    boolean isHot = mix.isHot(random);
    int customer = mix.customer(isHot, random);
    String name = Accounts.name(customer);
    long amount = 1 + random.nextInt(AMOUNT_MAX);
    return switch (mix.kind(random)) {
      case BAL -> programs.balance(name);
      case DC -> programs.depositChecking(name, amount);
      case TS -> programs.transactSaving(name, random.nextBoolean() ? amount : -amount);
      case WC -> programs.writeCheck(name, amount);
      case SP -> throw new IllegalStateException("the mix of 2008 has no " + Kind.SP);
      case AMG -> {
        int other = customer;
        while (other == customer) {
          other = mix.customer(isHot, random);
        }
        yield programs.amalgamate(name, Accounts.name(other));
      }
    };
  }

  @Override
  public String check(Store store) throws IOException {
    return wrong(money(store, ""), moneyBefore + programs.journal());
  }

  /** What is wrong with a sum of all accounts; empty if nothing is. */
  static String wrong(long found, long expected) {
    return found == expected
        ? ""
        : String.format(
            Locale.ROOT,
            "there is %,d in all accounts, but the committed programs leave %,d",
            found,
            expected);
  }

  /** The sum of all accounts in tables of which the names have a prefix. */
  static long money(Store store, String prefix) throws IOException {
    long[] sum = {0};
    try (StoreTransaction tx = store.begin(Options.ALONE)) {
      for (String table : List.of(Accounts.SAVINGS, Accounts.CHECKING)) {
        tx.scan(prefix + table, (key, value) -> sum[0] += number(value));
      }
    }
    return sum[0];
  }
}
