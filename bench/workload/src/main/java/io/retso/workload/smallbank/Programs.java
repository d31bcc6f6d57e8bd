package io.retso.workload.smallbank;

import static io.retso.workload.Numbers.bytes;
import static io.retso.workload.Numbers.number;
import static io.retso.workload.smallbank.Accounts.CHECKING;
import static io.retso.workload.smallbank.Accounts.CONFLICT;
import static io.retso.workload.smallbank.Accounts.SAVINGS;

import io.retso.workload.Options;
import io.retso.workload.Program;
import io.retso.workload.Row;
import io.retso.workload.StoreTransaction;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Makes the programs as a strategy wants them. Thread-safe. */
final class Programs {
  private static final long PENALTY = 1;

  private final Strategy strategy;
  private final String prefix;
  private final LongAdder journal = new LongAdder();
  private final Map<Kind, Options> options = new EnumMap<>(Kind.class);

  /** Programs on the tables of {@link Accounts}. */
  Programs(Strategy strategy) {
    this(strategy, "");
  }

  /** Programs on tables of these names behind a prefix. */
  Programs(Strategy strategy, String prefix) {
    this.strategy = strategy;
    this.prefix = prefix;
    for (Kind kind : Kind.values()) {
      options.put(kind, new Options(kind.label(), strategy.isolation(), strategy.isReadOnly(kind)));
    }
  }

  private Row row(String table, long customer) {
    return Accounts.row(prefix + table, customer);
  }

  /** The number of a customer; null if there is none of that name. */
  private byte[] customer(StoreTransaction tx, String name) throws IOException {
    return tx.get(new Row(prefix + Accounts.ACCOUNT, name));
  }

  /** What all committed programs have brought in, less what they have paid out. */
  long journal() {
    return journal.sum();
  }

  Call balance(String name) {
    return new Call(Kind.BAL, name, "", 0);
  }

  /** Takes itself back if the amount is negative. */
  Call depositChecking(String name, long amount) {
    return new Call(Kind.DC, name, "", amount);
  }

  /** Takes itself back if too little is left. */
  Call transactSaving(String name, long amount) {
    return new Call(Kind.TS, name, "", amount);
  }

  Call amalgamate(String from, String to) {
    return new Call(Kind.AMG, from, to, 0);
  }

  Call writeCheck(String name, long amount) {
    return new Call(Kind.WC, name, "", amount);
  }

  /** Takes itself back if the one that pays has less in the checking account. */
  Call sendPayment(String from, String to, long amount) {
    return new Call(Kind.SP, from, to, amount);
  }

  /** A program with its parameters. */
  final class Call implements Program {
    private final Kind kind;
    private final String name;
    private final String other;
    private final long amount;

    /** What the customer has, of Bal. */
    private long found;

    /** What comes in. */
    private long income;

    private Call(Kind kind, String name, String other, long amount) {
      this.kind = kind;
      this.name = name;
      this.other = other;
      this.amount = amount;
    }

    @Override
    public Options options() {
      return options.get(kind);
    }

    /** What Bal has found. */
    long found() {
      return found;
    }

    @Override
    public void committed() {
      journal.add(income);
    }

    /** An unknown name takes every program back. */
    @Override
    public boolean run(StoreTransaction tx) throws IOException {
      byte[] id = customer(tx, name);
      if (id == null) {
        return false;
      }
      long customer = number(id);
      if (strategy.isMaterialized(kind)) {
        tx.put(row(CONFLICT, customer), bytes(amount));
      }
      return switch (kind) {
        case BAL -> balance(tx, customer);
        case DC -> amount >= 0 && add(tx, row(CHECKING, customer));
        case TS -> add(tx, row(SAVINGS, customer));
        case AMG -> amalgamate(tx, customer);
        case WC -> writeCheck(tx, customer);
        case SP -> sendPayment(tx, customer);
      };
    }

    private boolean balance(StoreTransaction tx, long customer) throws IOException {
      found =
          number(strategy.savingsOfBalance().get(tx, row(SAVINGS, customer)))
              + number(strategy.checkingOfBalance().get(tx, row(CHECKING, customer)));
      return true;
    }

    private boolean add(StoreTransaction tx, Row account) throws IOException {
      long sum = number(tx.get(account)) + amount;
      income = amount;
      if (kind == Kind.TS && sum < 0) {
        return false;
      }
      tx.put(account, bytes(sum));
      return true;
    }

    private boolean amalgamate(StoreTransaction tx, long customer) throws IOException {
      byte[] target = other(tx);
      if (target == null) {
        return false;
      }
      long all = number(tx.get(row(SAVINGS, customer))) + number(tx.get(row(CHECKING, customer)));
      tx.put(row(SAVINGS, customer), bytes(0));
      tx.put(row(CHECKING, customer), bytes(0));
      Row gains = row(CHECKING, number(target));
      tx.put(gains, bytes(number(tx.get(gains)) + all));
      return true;
    }

    /** The number of the other customer; null if there is none. */
    private byte[] other(StoreTransaction tx) throws IOException {
      byte[] target = customer(tx, other);
      if (target != null && strategy.isMaterialized(kind)) {
        tx.put(row(CONFLICT, number(target)), bytes(amount));
      }
      return target;
    }

    private boolean sendPayment(StoreTransaction tx, long customer) throws IOException {
      byte[] target = other(tx);
      Row pays = row(CHECKING, customer);
      long left = number(tx.get(pays)) - amount;
      if (target == null || left < 0) {
        return false;
      }
      Row gains = row(CHECKING, number(target));
      tx.put(pays, bytes(left));
      tx.put(gains, bytes(number(tx.get(gains)) + amount));
      return true;
    }

    private boolean writeCheck(StoreTransaction tx, long customer) throws IOException {
      long savings = number(strategy.savingsOfWriteCheck().get(tx, row(SAVINGS, customer)));
      long checking = number(tx.get(row(CHECKING, customer)));
      long paid = savings + checking < amount ? amount + PENALTY : amount;
      income = -paid;
      tx.put(row(CHECKING, customer), bytes(checking - paid));
      return true;
    }
  }
}
