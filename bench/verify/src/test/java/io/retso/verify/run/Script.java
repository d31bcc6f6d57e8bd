package io.retso.verify.run;

import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.history.Isolation;
import io.retso.verify.history.Step;
import io.retso.verify.lists.Action;
import io.retso.verify.lists.ListStore;
import io.retso.verify.lists.ListStore.CommitFailure;
import io.retso.verify.lists.ListStore.ListTransaction;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Transactions in an order that a test gives, recorded as those of clients are. */
final class Script {
  private final ListStore store;
  private final HistoryRecorder recorder;
  private long processes;

  Script(ListStore store, HistoryRecorder recorder) {
    this.store = store;
    this.recorder = recorder;
  }

  /** A transaction that will do all of this, in this order. */
  Part begin(Isolation isolation, Action... plan) throws Exception {
    long process = ++processes;
    recorder.invoke(
        process, isolation, Stream.of(plan).flatMap(action -> action.steps().stream()).toList());
    return new Part(process, store.begin(isolation, false));
  }

  /** One that does all of it at once; returns why it did not commit, if so. */
  Optional<CommitFailure.Kind> alone(Isolation isolation, Action action) throws Exception {
    Part part = begin(isolation, action);
    part.run(action);
    return part.commit();
  }

  /** One of the transactions. */
  final class Part {
    private final long process;
    private final ListTransaction tx;
    private final List<Step> done = new ArrayList<>();

    private Part(long process, ListTransaction tx) {
      this.process = process;
      this.tx = tx;
    }

    void run(Action action) throws Exception {
      Iterator<long[]> values = tx.run(action).iterator();
      for (Step step : action.steps()) {
        done.add(step instanceof Step.Read ? Step.read(step.key(), values.next()) : step);
      }
    }

    /** Returns why it did not commit, if so. */
    Optional<CommitFailure.Kind> commit() {
      try {
        tx.commit();
        recorder.ok(process, done, tx.timestamps());
        return Optional.empty();
      } catch (CommitFailure e) {
        recorder.fail(process, tx.timestamps(), e.toString());
        return Optional.of(e.kind());
      }
    }
  }
}
