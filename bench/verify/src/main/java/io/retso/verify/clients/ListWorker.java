package io.retso.verify.clients;

import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.history.Isolation;
import io.retso.verify.history.Step;
import io.retso.verify.history.TimestampPair;
import io.retso.verify.lists.Action;
import io.retso.verify.lists.Findings;
import io.retso.verify.lists.Generations;
import io.retso.verify.lists.ListKey;
import io.retso.verify.lists.ListStore;
import io.retso.verify.lists.ListStore.CommitFailure;
import io.retso.verify.lists.ListStore.ListTransaction;
import io.retso.verify.lists.ListStore.Violation;
import io.retso.verify.lists.StackTraces;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;

/**
 * One thread of control: runs random transactions, one after the other, and records them. Some come
 * in pairs that overlap, the first of all among them. The invocation is in the file before the
 * transaction begins, so it survives whatever kills the process.
 */
public final class ListWorker implements Runnable {
  /** How errors of transactions that met another one begin in the history. */
  public static final String CONFLICT = "conflict";

  /** How errors of transactions begin that were refused since they might not be serializable. */
  public static final String REFUSED = "refused: ";

  /**
   * What the number of a worker's second process has more than that of its first: the process of
   * the second of two transactions that overlap. It is {@code :ok} only if both committed.
   */
  private static final long PARTNERS = 1_000_000_000;

  /** How often two that overlap are next. */
  private static final double OVERLAPS = 0.05;

  private static final double RESOLVES = 0.5;

  /** So many of the transactions that only read say so when they begin. */
  private static final double READ_ONLY = 0.75;

  private static final int PAUSE_MILLIS_AFTER_FAILURE = 20;

  /** In histories. */
  private final long process;

  private final ListStore store;
  private final HistoryRecorder recorder;
  private final Generations generations;
  private final Planner planner;
  private final RunIsolation isolation;
  private final Random random;
  private final Findings findings;
  private final StopSignal stop;

  public ListWorker(
      long process,
      ListStore store,
      HistoryRecorder recorder,
      Generations generations,
      RunIsolation isolation,
      long seed,
      Findings findings,
      StopSignal stop) {
    this.process = process;
    this.store = store;
    this.recorder = recorder;
    this.generations = generations;
    this.isolation = isolation;
    this.random = new Random(seed);
    this.planner = new Planner(random, generations, process * 1_000_000);
    this.findings = findings;
    this.stop = stop;
  }

  /** Whether the transactions of a process are each the second of a pair that overlaps. */
  public static boolean isPartner(long process) {
    return process >= PARTNERS;
  }

  @Override
  public void run() {
    findings.watch("process " + process, this::work);
  }

  private void work() {
    overlap();
    while (!stop.isSet()) {
      if (random.nextDouble() < OVERLAPS) {
        overlap();
      } else {
        one();
      }
    }
  }

  private void one() {
    List<Action> plan = planner.next();
    boolean readOnly = plan.stream().noneMatch(Action::isWrite) && random.nextDouble() < READ_ONLY;
    Attempt attempt = new Attempt(process, plan, readOnly);
    plan.forEach(attempt::run);
    attempt.commit();
  }

  /**
   * Two transactions, both begun before either commits, that each read both of two lists and append
   * to one: neither sees what the other one appends. Snapshot isolation commits both, which is
   * write skew; of two that are serializable at most one may commit.
   */
  private void overlap() {
    Planner.Pair pair = planner.pair();
    Attempt first = new Attempt(process, pair.first(), false);
    Attempt second = new Attempt(process + PARTNERS, pair.second(), false);
    Iterator<Action> left = pair.second().iterator();
    for (Action action : pair.first()) {
      while (left.hasNext() && random.nextBoolean()) {
        second.run(left.next());
      }
      first.run(action);
    }
    if (first.commit()) {
      left.forEachRemaining(second::run);
      second.commit();
    } else {
      second.giveUp("its partner did not commit");
    }
  }

  /** One transaction, recorded. Once it failed, it does nothing more. */
  private final class Attempt {
    private final long process;
    private final List<Step> done = new ArrayList<>();

    /** Null when it has ended, or never began. */
    private ListTransaction transaction;

    /** Records the invocation, and begins. */
    Attempt(long process, List<Action> plan, boolean readOnly) {
      this.process = process;
      Isolation promised = isolation.next(random, readOnly);
      recorder.invoke(
          process, promised, plan.stream().flatMap(action -> action.steps().stream()).toList());
      recorder.flush();
      try {
        transaction = store.begin(promised, readOnly);
      } catch (IOException | RuntimeException e) {
        failed(TimestampPair.NONE, e);
      }
    }

    void run(Action action) {
      if (transaction == null) {
        return;
      }
      try {
        if (action instanceof Action.Pause pause) {
          stop.await(pause.millis());
        } else {
          note(action, transaction.run(action));
        }
      } catch (IOException | RuntimeException | Violation e) {
        rollback();
        failed(transaction.timestamps(), e); // its commit was never asked for
        transaction = null;
      }
    }

    private void note(Action action, List<long[]> values) {
      Iterator<long[]> next = values.iterator();
      for (Step step : action.steps()) {
        if (step instanceof Step.Read) {
          long[] list = next.next();
          generations.saw(ListKey.ofNumber(step.key()), list.length);
          done.add(Step.read(step.key(), list));
        } else {
          done.add(step);
        }
      }
    }

    /** Returns whether it is known to be committed. */
    boolean commit() {
      if (transaction == null) {
        return false;
      }
      try {
        transaction.commit();
        recorder.ok(process, done, transaction.timestamps());
        return true;
      } catch (CommitFailure e) {
        return isCommittedAfterAll(e);
      } catch (RuntimeException e) {
        unexpected(e);
        recorder.info(process, done, transaction.timestamps(), e.toString());
        return false;
      } finally {
        transaction = null;
      }
    }

    private boolean isCommittedAfterAll(CommitFailure e) {
      TimestampPair timestamps = transaction.timestamps();
      switch (e.kind()) {
        case CONFLICT -> recorder.fail(process, timestamps, CONFLICT);
        case REFUSED -> recorder.fail(process, timestamps, REFUSED + e.getMessage());
        case FAILED -> failed(timestamps, e.getCause());
        case UNKNOWN -> {
          return isResolvedAsCommitted(timestamps, e.getCause());
        }
      }
      return false;
    }

    /**
     * Sometimes it is left at that; sometimes the application wants to know, and must get it right.
     */
    private boolean isResolvedAsCommitted(TimestampPair timestamps, Throwable cause) {
      String error = cause.toString();
      if (random.nextDouble() < RESOLVES) {
        try {
          ListStore.Resolved resolved = transaction.resolve();
          if (resolved.isCommitted()) {
            recorder.ok(process, done, resolved.timestamps());
          } else {
            recorder.fail(process, timestamps, "resolved: " + cause);
          }
          return resolved.isCommitted();
        } catch (IOException | RuntimeException e) {
          error = "cannot be resolved: " + e;
        }
      }
      recorder.info(process, done, timestamps, error);
      return false;
    }

    /** Rolls it back, unless it has ended. */
    void giveUp(String why) {
      if (transaction != null) {
        rollback();
        recorder.fail(process, transaction.timestamps(), why);
        transaction = null;
      }
    }

    private void rollback() {
      try {
        transaction.rollback();
      } catch (IOException | RuntimeException e) {
        unexpected(e);
      }
    }

    private void failed(TimestampPair timestamps, Throwable cause) {
      if (cause instanceof RuntimeException || cause instanceof Violation) {
        unexpected(cause);
      }
      recorder.fail(process, timestamps, cause.toString());
      stop.await(random.nextInt(PAUSE_MILLIS_AFTER_FAILURE) + 1); // what is down, is down a while
    }
  }

  /** A store that is being closed may throw anything, but contradict itself it may not. */
  private void unexpected(Throwable e) {
    if (!stop.isSet() || e instanceof Violation) {
      findings.violation("process " + process + ": " + StackTraces.of(e));
    }
  }
}
