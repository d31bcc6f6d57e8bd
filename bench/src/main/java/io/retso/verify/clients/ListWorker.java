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
import java.util.Optional;
import java.util.Random;

/**
 * One thread of control: runs random transactions, one after the other, and records them. The
 * invocation is in the file before the transaction begins, so it survives whatever kills the
 * process.
 */
public final class ListWorker implements Runnable {
  /** How errors of transactions that met another one begin in the history. */
  public static final String CONFLICT = "conflict";

  /** How errors of transactions begin that were refused since they might not be serializable. */
  public static final String REFUSED = "refused: ";

  private static final double RESOLVES = 0.5;

  /** Of those that only read, so many say so when they begin. */
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

  @Override
  public void run() {
    findings.watch("process " + process, this::work);
  }

  private void work() {
    while (!stop.isSet()) {
      List<Action> plan = planner.next();
      boolean readOnly =
          plan.stream().noneMatch(Action::isWrite) && random.nextDouble() < READ_ONLY;
      Isolation promised = isolation.next(random, readOnly);
      recorder.invoke(
          process, promised, plan.stream().flatMap(action -> action.steps().stream()).toList());
      recorder.flush();
      begin(promised, readOnly).ifPresent(transaction -> carryOut(plan, transaction));
    }
  }

  private Optional<ListTransaction> begin(Isolation promised, boolean readOnly) {
    try {
      return Optional.of(store.begin(promised, readOnly));
    } catch (IOException | RuntimeException e) {
      failed(TimestampPair.NONE, e);
      return Optional.empty();
    }
  }

  private void carryOut(List<Action> plan, ListTransaction transaction) {
    List<Step> done = new ArrayList<>();
    try {
      for (Action action : plan) {
        if (action instanceof Action.Pause pause) {
          stop.await(pause.millis());
        } else {
          note(action, transaction.run(action), done);
        }
      }
    } catch (IOException | RuntimeException | Violation e) {
      rollback(transaction);
      failed(transaction.timestamps(), e); // its commit was never asked for
      return;
    }
    commit(transaction, done);
  }

  private void note(Action action, List<long[]> values, List<Step> done) {
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

  private void commit(ListTransaction transaction, List<Step> done) {
    try {
      transaction.commit();
      recorder.ok(process, done, transaction.timestamps());
    } catch (CommitFailure e) {
      notCommitted(transaction.timestamps(), done, e);
    } catch (RuntimeException e) {
      unexpected(e);
      recorder.info(process, done, transaction.timestamps(), e.toString());
    }
  }

  private void notCommitted(TimestampPair timestamps, List<Step> done, CommitFailure e) {
    switch (e.kind()) {
      case CONFLICT -> recorder.fail(process, timestamps, CONFLICT);
      case REFUSED -> recorder.fail(process, timestamps, REFUSED + e.getMessage());
      case FAILED -> failed(timestamps, e.getCause());
      case UNKNOWN -> unknown(timestamps, done, e.getCause());
    }
  }

  /**
   * Sometimes it is left at that; sometimes the application wants to know, and must get it right.
   */
  private void unknown(TimestampPair timestamps, List<Step> done, Throwable cause) {
    if (random.nextDouble() < RESOLVES) {
      try {
        ListStore.Resolved resolved = store.resolve(timestamps.start());
        if (resolved.isCommitted()) {
          recorder.ok(process, done, resolved.timestamps());
        } else {
          recorder.fail(process, timestamps, "resolved: " + cause);
        }
        return;
      } catch (IOException | RuntimeException e) {
        recorder.info(process, done, timestamps, "cannot be resolved: " + e);
        return;
      }
    }
    recorder.info(process, done, timestamps, cause.toString());
  }

  private void failed(TimestampPair timestamps, Throwable cause) {
    if (cause instanceof RuntimeException || cause instanceof Violation) {
      unexpected(cause);
    }
    recorder.fail(process, timestamps, cause.toString());
    stop.await(random.nextInt(PAUSE_MILLIS_AFTER_FAILURE) + 1); // what is down, is down for a while
  }

  private void rollback(ListTransaction transaction) {
    try {
      transaction.rollback();
    } catch (IOException | RuntimeException e) {
      unexpected(e);
    }
  }

  /** A store that is being closed may throw anything, but contradict itself it may not. */
  private void unexpected(Throwable e) {
    if (!stop.isSet() || e instanceof Violation) {
      findings.violation("process " + process + ": " + StackTraces.of(e));
    }
  }
}
