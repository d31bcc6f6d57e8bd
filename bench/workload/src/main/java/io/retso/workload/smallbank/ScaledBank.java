package io.retso.workload.smallbank;

import static io.retso.workload.Numbers.bytes;

import io.retso.workload.Isolation;
import io.retso.workload.Program;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.Workload;
import java.io.IOException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/**
 * SmallBank as BenchBase has it: with SendPayment, customers that are all equally likely, and fixed
 * amounts. How many customers there are decides how often programs meet. Amounts are in cents.
 */
public final class ScaledBank implements Workload {
  /** Customers of which keys and names have room. */
  public static final int CUSTOMERS_MAX = 50_000_000;

  /** Customers with which a program may deal at once, at the least. */
  public static final int CUSTOMERS_MIN = 2;

  private static final long DEPOSIT = 130;
  private static final long FROM_SAVINGS = 2020;
  private static final long CHECK = 500;
  private static final long PAYMENT = 500;
  private static final int BALANCE_MIN = 1_000_000;
  private static final int BALANCE_MAX = 5_000_000;
  private static final long SEED = 1;
  private static final int FILLED = 50_000;

  /** Each program so often of a hundred. */
  private static final int EACH = 15;

  private static final List<Kind> EQUAL = List.of(Kind.AMG, Kind.BAL, Kind.DC, Kind.TS, Kind.WC);
  private static final int PERCENT = 100;

  private final int customers;
  private final String prefix;
  private final Isolation isolation;
  private final Map<Isolation, Programs> programs;
  private final AtomicLong moneyBefore;

  /**
   * A workload; {@link #load} comes first.
   *
   * @param customers {@link #CUSTOMERS_MIN} to {@link #CUSTOMERS_MAX}; each number of them has
   *     tables of its own
   * @param isolation at which the programs run: a level that keeps updates
   */
  public ScaledBank(int customers, Isolation isolation) {
    if (customers < CUSTOMERS_MIN || customers > CUSTOMERS_MAX) {
      throw new IllegalArgumentException("not 2 to 50,000,000 customers: " + customers);
    }
    this.customers = customers;
    this.prefix = "bank" + customers + "_";
    this.isolation = isolation;
    this.programs = new EnumMap<>(Isolation.class);
    for (Strategy strategy : List.of(Strategy.SI, Strategy.SERIALIZABLE)) {
      programs.put(strategy.isolation(), new Programs(strategy, prefix));
    }
    this.moneyBefore = new AtomicLong();
    requireLevel(isolation);
  }

  private ScaledBank(ScaledBank tables, Isolation isolation) {
    this.customers = tables.customers;
    this.prefix = tables.prefix;
    this.isolation = isolation;
    this.programs = tables.programs;
    this.moneyBefore = tables.moneyBefore;
    requireLevel(isolation);
  }

  private void requireLevel(Isolation asked) {
    if (!programs.containsKey(asked)) {
      throw new IllegalArgumentException("updates would be lost at " + asked);
    }
  }

  /** Programs at another level, on these tables. */
  public ScaledBank at(Isolation other) {
    return new ScaledBank(this, other);
  }

  @Override
  public List<String> schema() {
    return Stream.of(Accounts.ACCOUNT, Accounts.SAVINGS, Accounts.CHECKING)
        .map(table -> prefix + table)
        .toList();
  }

  @Override
  public void load(Store store) throws IOException {
    SplittableRandom random = new SplittableRandom(SEED);
    Map<Row, byte[]> rows = new LinkedHashMap<>();
    for (int customer = 0; customer < customers; customer++) {
      rows.put(new Row(prefix + Accounts.ACCOUNT, Accounts.name(customer)), bytes(customer));
      for (String table : List.of(Accounts.SAVINGS, Accounts.CHECKING)) {
        rows.put(
            Accounts.row(prefix + table, customer),
            bytes(random.nextInt(BALANCE_MIN, BALANCE_MAX + 1)));
      }
      if (rows.size() >= FILLED || customer == customers - 1) {
        store.fill(rows);
        rows.clear();
      }
    }
    moneyBefore.set(SmallBank.money(store, prefix) - journal());
  }

  private long journal() {
    return programs.values().stream().mapToLong(Programs::journal).sum();
  }

  @Override
  public Program next(SplittableRandom random) {
    Programs here = programs.get(isolation);
    int customer = random.nextInt(customers);
    String name = Accounts.name(customer);
    return switch (kind(random)) {
      case BAL -> here.balance(name);
      case DC -> here.depositChecking(name, DEPOSIT);
      case TS -> here.transactSaving(name, -FROM_SAVINGS);
      case WC -> here.writeCheck(name, CHECK);
      case AMG -> here.amalgamate(name, another(customer, random));
      case SP -> here.sendPayment(name, another(customer, random), PAYMENT);
    };
  }

  private static Kind kind(SplittableRandom random) {
    int drawn = random.nextInt(PERCENT) / EACH;
    return drawn < EQUAL.size() ? EQUAL.get(drawn) : Kind.SP;
  }

  private String another(int customer, SplittableRandom random) {
    int other = random.nextInt(customers - 1);
    return Accounts.name(other < customer ? other : other + 1);
  }

  @Override
  public String check(Store store) throws IOException {
    return SmallBank.wrong(SmallBank.money(store, prefix), moneyBefore.get() + journal());
  }
}
