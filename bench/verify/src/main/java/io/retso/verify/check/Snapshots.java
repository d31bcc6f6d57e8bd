package io.retso.verify.check;

import io.retso.verify.history.Step;
import io.retso.verify.history.Step.Append;
import io.retso.verify.history.Step.Read;
import io.retso.verify.history.Transaction;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Internal consistency: under snapshot isolation a read is the snapshot of its key followed by the
 * transaction's own earlier appends, every time. What is left when they are taken off is what the
 * transaction observed of the others.
 */
final class Snapshots {
  /**
   * A transaction's snapshot of one key.
   *
   * @param reader which transaction has it
   * @param list begins with the snapshot
   * @param length how many values of the list are the snapshot
   */
  record Observation(Transaction reader, long key, long[] list, int length) {
    String show() {
      return Step.Read.show(list, length);
    }
  }

  /** What is known of a key at some step. */
  private static final class View {
    private Observation snapshot;
    private long[] own = {};

    private void append(long value) {
      own = Arrays.copyOf(own, own.length + 1);
      own[own.length - 1] = value;
    }
  }

  private final Transaction transaction;
  private final Anomalies anomalies;
  private final Map<Long, View> views = new LinkedHashMap<>();

  private Snapshots(Transaction transaction, Anomalies anomalies) {
    this.transaction = transaction;
    this.anomalies = anomalies;
  }

  /** Checks a transaction and hands out its snapshot of each key that it read. */
  static void take(Transaction transaction, Anomalies anomalies, Consumer<Observation> observed) {
    Snapshots snapshots = new Snapshots(transaction, anomalies);
    for (Step step : transaction.steps()) {
      View view = snapshots.views.computeIfAbsent(step.key(), key -> new View());
      if (step instanceof Append append) {
        view.append(append.value());
      } else if (step instanceof Read read && read.values() != null) {
        snapshots.read(view, read);
      }
    }
    for (View view : snapshots.views.values()) {
      if (view.snapshot != null) {
        observed.accept(view.snapshot);
      }
    }
  }

  private void read(View view, Read read) {
    long[] values = read.values();
    int length = values.length - view.own.length;
    if (length < 0 || !Arrays.equals(values, length, values.length, view.own, 0, view.own.length)) {
      violated(read, "should end with its own appends " + Read.show(view.own, view.own.length));
    } else if (view.snapshot == null) {
      if (hasOwn(read.key(), values, length)) {
        violated(read, "has its own append before it was made, or not at the end");
      } else {
        view.snapshot = new Observation(transaction, read.key(), values, length);
      }
    } else if (length != view.snapshot.length
        || !Arrays.equals(values, 0, length, view.snapshot.list, 0, length)) {
      violated(read, "differs from its snapshot " + view.snapshot.show());
    }
  }

  private boolean hasOwn(long key, long[] values, int length) {
    for (Step step : transaction.steps()) {
      if (step instanceof Append append && append.key() == key) {
        for (int i = 0; i < length; i++) {
          if (values[i] == append.value()) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private void violated(Read read, String how) {
    anomalies.add(
        AnomalyKind.INTERNAL, () -> transaction.name() + ": " + read + " " + how, transaction);
  }
}
