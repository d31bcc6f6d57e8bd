package io.retso.verify.run;

import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.history.Stamps;
import io.retso.verify.history.Step;
import io.retso.verify.run.ListStore.CommitFailure;
import io.retso.verify.run.ListStore.ListTransaction;
import io.retso.verify.run.ListStore.Violation;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * One thread of control: runs random transactions, one after the other, and records them. The
 * invocation is in the file before the transaction begins, so it survives whatever kills the
 * process.
 */
final class ListWorker implements Runnable {
  /** How errors of transactions that met another one begin in the history. */
  static final String CONFLICT = "conflict";

  private static final double SETTLES = 0.5;

  /** Of those that only read, so many say so when they begin. */
  private static final double READ_ONLY = 0.75;

  private static final int PAUSE_MILLIS_AFTER_FAILURE = 20;

  /** So many transactions end with commitAndBegin. */
  private static final double GOES_ON = 0.2;

  /**
   * A transaction that has begun.
   *
   * @param before what the one appended whose commitAndBegin began it
   */
  private record Begun(
      long process, List<Action> plan, ListTransaction transaction, List<Step.Append> before) {}

  /** In histories; the complement is a second one. */
  private final long process;

  private final ListStore store;
  private final HistoryRecorder recorder;
  private final Generations generations;
  private final Planner planner;
  private final Random random;
  private final Findings findings;
  private final Stop stop;

  ListWorker(
      long process,
      ListStore store,
      HistoryRecorder recorder,
      Generations generations,
      long seed,
      Findings findings,
      Stop stop) {
    this.process = process;
    this.store = store;
    this.recorder = recorder;
    this.generations = generations;
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
      Optional<Begun> next = begin();
      while (next.isPresent()) {
        next = carryOut(next.get());
      }
    }
  }

  private void invoke(long process, List<Action> plan) {
    recorder.invoke(process, plan.stream().flatMap(action -> action.steps().stream()).toList());
    recorder.flush();
  }

  private Optional<Begun> begin() {
    List<Action> plan = planner.next();
    invoke(process, plan);
    boolean readOnly = plan.stream().noneMatch(Action::isWrite) && random.nextDouble() < READ_ONLY;
    try {
      return Optional.of(new Begun(process, plan, store.begin(readOnly), List.of()));
    } catch (IOException | RuntimeException e) {
      failed(process, Stamps.NONE, e);
      return Optional.empty();
    }
  }

  /** Runs a transaction to its end; returns the one that began with its commit, if one did. */
  private Optional<Begun> carryOut(Begun begun) {
    List<Step> done = new ArrayList<>();
    try {
      for (Action action : begun.plan) {
        if (action instanceof Action.Pause pause) {
          stop.await(pause.millis());
        } else {
          note(action, begun.transaction.run(action), done);
        }
      }
    } catch (IOException | RuntimeException | Violation e) {
      rollback(begun.transaction);
      failed(begun.process, begun.transaction.stamps(), e); // its commit was never asked for
      return Optional.empty();
    }
    if (!stop.isSet() && random.nextDouble() < GOES_ON) {
      return commitAndBegin(begun, done);
    }
    commit(begun, done);
    return Optional.empty();
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

  private void commit(Begun begun, List<Step> done) {
    try {
      begun.transaction.commit();
      committed(begun, done);
    } catch (CommitFailure e) {
      notCommitted(begun, done, e);
    } catch (RuntimeException e) {
      unexpected(e);
      recorder.info(begun.process, done, begun.transaction.stamps(), e.toString());
    }
  }

  /**
   * The next transaction is invoked in the history before the call. Its snapshot may be taken at
   * any moment of the call, so a later invocation would claim too much: that it contains what
   * others committed meanwhile. At that moment the first one is still under way, and a process of a
   * history runs one transaction at a time. So the next one belongs to the worker's other process.
   *
   * <p>What others committed before the call precedes it in the history, as was promised. That the
   * first one does, too, the history does not say: {@link #committed} looks at that.
   */
  private Optional<Begun> commitAndBegin(Begun begun, List<Step> done) {
    List<Step.Append> appends =
        done.stream()
            .filter(step -> step instanceof Step.Append)
            .map(step -> (Step.Append) step)
            .toList();
    List<Action> plan =
        planner.next(appends.stream().map(append -> ListKey.ofNumber(append.key())).toList());
    long other = ~begun.process;
    invoke(other, plan);
    try {
      ListTransaction next = begun.transaction.commitAndBegin();
      committed(begun, done);
      return Optional.of(new Begun(other, plan, next, appends));
    } catch (CommitFailure e) {
      recorder.fail(other, Stamps.NONE, "did not begin: " + e.getMessage());
      notCommitted(begun, done, e);
    } catch (RuntimeException e) {
      unexpected(e);
      recorder.fail(other, Stamps.NONE, "did not begin: " + e);
      recorder.info(begun.process, done, begun.transaction.stamps(), e.toString());
    }
    return Optional.empty();
  }

  private void committed(Begun begun, List<Step> done) {
    recorder.ok(begun.process, done, begun.transaction.stamps());
    for (Step.Append before : begun.before) {
      for (Step step : done) {
        if (step instanceof Step.Read read
            && read.key() == before.key()
            && Arrays.stream(read.values()).noneMatch(value -> value == before.value())) {
          findings.violation(
              "process "
                  + begun.process
                  + ": "
                  + read
                  + ", but the transaction whose commitAndBegin began this one did "
                  + before);
        }
      }
    }
  }

  private void notCommitted(Begun begun, List<Step> done, CommitFailure e) {
    Stamps stamps = begun.transaction.stamps();
    switch (e.kind()) {
      case COMMITTED -> committed(begun, done);
      case CONFLICT -> recorder.fail(begun.process, stamps, CONFLICT);
      case FAILED -> failed(begun.process, stamps, e.getCause());
      default -> unknown(begun.process, stamps, done, e.getCause());
    }
  }

  /**
   * Sometimes it is left at that; sometimes the application wants to know, and must get it right.
   */
  private void unknown(long process, Stamps stamps, List<Step> done, Throwable cause) {
    if (random.nextDouble() < SETTLES) {
      try {
        ListStore.Settled settled = store.settle(stamps.start());
        if (settled.isCommitted()) {
          recorder.ok(process, done, settled.stamps());
        } else {
          recorder.fail(process, stamps, "settled: " + cause);
        }
        return;
      } catch (IOException | RuntimeException e) {
        recorder.info(process, done, stamps, "cannot be settled: " + e);
        return;
      }
    }
    recorder.info(process, done, stamps, cause.toString());
  }

  private void failed(long process, Stamps stamps, Throwable cause) {
    if (cause instanceof RuntimeException || cause instanceof Violation) {
      unexpected(cause);
    }
    recorder.fail(process, stamps, cause.toString());
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
      findings.violation("process " + process + ": " + Traces.of(e));
    }
  }
}
