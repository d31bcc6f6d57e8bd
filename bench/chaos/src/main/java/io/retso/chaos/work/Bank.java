package io.retso.chaos.work;

import static io.retso.workload.Numbers.bytes;
import static io.retso.workload.Numbers.numbers;

import io.retso.verify.clients.RunIsolation;
import io.retso.verify.clients.StopSignal;
import io.retso.verify.history.Isolation;
import io.retso.verify.lists.Findings;
import io.retso.workload.Reason;
import io.retso.workload.RefusedException;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import io.retso.workload.UnknownOutcomeException;
import java.io.IOException;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Accounts between which money moves; the sum stays. Each account counts the transfers that it took
 * part in, so in the end the accounts say how many there were, and whether an acknowledged one is
 * missing. Thread-safe.
 *
 * <p>It is not the bank of {@code retso demo} ({@link io.retso.workload.bank}), whose journal has a
 * row for each transfer, and whose stores scan tables: here everything is added up after each
 * fault, however many transfers there were by then, and some outcomes stay unknown.
 */
public final class Bank {
  /** What it needs in its store. */
  public static final String TABLE = "accounts";

  private static final int ACCOUNTS = 16;
  private static final long INITIAL = 1000;
  private static final int PAUSE_MILLIS_AFTER_FAILURE = 20;
  private static final double AUDITS = 0.2;
  private static final int FINAL_ATTEMPTS = 200;
  private static final long FINAL_PAUSE_MILLIS = 300;

  private final Store store;
  private final RunIsolation isolation;
  private final Findings findings;
  private final int pauseMillis;
  private final StopSignal stop;
  private final AtomicLong acknowledged = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();
  private final AtomicLong audits = new AtomicLong();

  /** Transfers that are being committed. */
  private final AtomicLong underWay = new AtomicLong();

  /** Transfers that the accounts have though they were refused, as far as found. */
  private final AtomicLong refusedAndMade = new AtomicLong();

  /** What all accounts say. */
  private record Books(long money, long transfers) {}

  /**
   * What became of the transfers.
   *
   * @param acknowledged those that were committed to their clients' knowledge
   * @param unknown those of unknown outcome
   * @param audits how often all accounts were added up
   * @param lost acknowledged ones that the accounts do not have, at least
   */
  public record Outcome(long acknowledged, long unknown, long audits, long lost) {}

  /**
   * A bank of some accounts.
   *
   * @param pauseMillis of a thread after each transaction, at most
   */
  public Bank(
      Store store, RunIsolation isolation, int pauseMillis, Findings findings, StopSignal stop) {
    this.store = store;
    this.isolation = isolation;
    this.pauseMillis = pauseMillis;
    this.findings = findings;
    this.stop = stop;
  }

  /** Transfers and audits until it is to stop; for a thread. */
  public void work(long seed) {
    Random random = new Random(seed);
    int pause = pauseMillis;
    while (!stop.await(1 + random.nextInt(pause))) {
      boolean isAudit = random.nextDouble() < AUDITS;
      boolean isAnswered = isAudit ? audit(random) : transfer(random);
      pause = isAnswered ? pauseMillis : Math.max(pauseMillis, PAUSE_MILLIS_AFTER_FAILURE);
    }
  }

  /** Transfers that were committed to their clients' knowledge, so far. */
  public long acknowledged() {
    return acknowledged.get();
  }

  /** How often all accounts were added up, so far. */
  public long audits() {
    return audits.get();
  }

  private static Row row(int account) {
    return new Row(TABLE, Integer.toString(account));
  }

  private static long[] account(StoreTransaction tx, int account) throws IOException {
    byte[] found = tx.get(row(account));
    return found == null ? new long[] {INITIAL, 0} : numbers(found);
  }

  /** Returns whether the oracle answered. */
  private boolean transfer(Random random) {
    int from = random.nextInt(ACCOUNTS);
    int to = (from + 1 + random.nextInt(ACCOUNTS - 1)) % ACCOUNTS;
    long amount = 1 + random.nextInt(10);
    try (StoreTransaction tx = store.begin(OracleLists.options(isolation.ofOthers()))) {
      long[] payer = account(tx, from);
      long[] payee = account(tx, to);
      tx.put(row(from), bytes(payer[0] - amount, payer[1] + 1));
      tx.put(row(to), bytes(payee[0] + amount, payee[1] + 1));
      return commit(tx);
    } catch (IOException e) {
      return false;
    }
  }

  private boolean commit(StoreTransaction tx) throws IOException {
    underWay.incrementAndGet();
    try {
      tx.commit();
      acknowledged.incrementAndGet();
      return true;
    } catch (UnknownOutcomeException e) {
      unknown.incrementAndGet();
      return false;
    } catch (RefusedException e) {
      return e.reason() == Reason.CONFLICT || e.reason().isCertification();
    } finally {
      underWay.decrementAndGet();
    }
  }

  private boolean audit(Random random) {
    Isolation[] all = Isolation.values();
    try {
      Books books = books(all[random.nextInt(all.length)]);
      audits.incrementAndGet();
      check(books);
      return true;
    } catch (RefusedException e) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private void check(Books books) {
    if (books.money != ACCOUNTS * INITIAL || books.transfers % 2 != 0) {
      findings.violation(
          "the accounts have "
              + books.money
              + " instead of "
              + ACCOUNTS * INITIAL
              + ", and "
              + books.transfers
              + " halves of transfers");
    }
  }

  /** What was committed: nothing else is judged. */
  private Books books(Isolation of) throws IOException {
    try (StoreTransaction tx = store.begin(OracleLists.options(of))) {
      long money = 0;
      long transfers = 0;
      for (int i = 0; i < ACCOUNTS; i++) {
        long[] account = account(tx, i);
        money += account[0];
        transfers += account[1];
      }
      tx.commit();
      return new Books(money, transfers);
    }
  }

  /**
   * Adds everything up, while others work, too: a wrong sum is a finding, and so are transfers that
   * the accounts have though they were refused.
   *
   * @return acknowledged transfers that the accounts do not have, at least
   * @throws IOException if the oracle does not answer for a minute
   */
  public long lost() throws IOException {
    long before = acknowledged.get();
    return Math.max(0, before - seen());
  }

  /**
   * Adds everything up when all work has ended.
   *
   * @throws IOException if the oracle does not answer for a minute
   */
  public Outcome close() throws IOException {
    long seen = seen();
    return new Outcome(
        acknowledged.get(), unknown.get(), audits.get(), Math.max(0, acknowledged.get() - seen));
  }

  /** The transfers that the accounts have, none of those missing that were acknowledged before. */
  private long seen() throws IOException {
    for (int i = 1; ; i++) {
      try {
        Books books = books(Isolation.DEFERRED);
        check(books);
        checkRefused(books.transfers / 2);
        return books.transfers / 2;
      } catch (IOException e) {
        if (i == FINAL_ATTEMPTS) {
          throw e;
        }
        new StopSignal().await(FINAL_PAUSE_MILLIS);
      }
    }
  }

  /**
   * A transfer that was seen ended before, or is under way still: in this order, none is missed.
   */
  private void checkRefused(long seen) {
    long possible = underWay.get();
    possible += acknowledged.get() + unknown.get();
    long more = seen - possible;
    if (more > refusedAndMade.getAndAccumulate(more, Math::max)) {
      findings.violation(
          "the accounts have " + seen + " transfers, of which " + more + " at least were refused");
    }
  }
}
