package io.retso.verify.check;

import io.retso.verify.check.Dependencies.Dependency;
import io.retso.verify.history.History;
import io.retso.verify.history.TimestampPair;
import io.retso.verify.history.Transaction;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;

/**
 * The oracle's timestamps claim to be the instants of snapshot isolation: start of the snapshot and
 * commit. So they must agree with every dependency, as the instants do: a version's writer
 * committed before its reader started, and no other committed the next version in between; of two
 * writers of a key one committed before the other started (first committer wins); and a transaction
 * that completed before another was invoked committed before that one started. A reader's start may
 * be the commit of the one who replaced what it had read: then it does not see that. Where a
 * timestamp is not known nothing is checked.
 *
 * <p>This is further evidence, and never needed: the cycles are found without timestamps.
 */
final class TimestampCheck {
  private final History history;
  private final Anomalies anomalies;

  TimestampCheck(History history, Anomalies anomalies) {
    this.history = history;
    this.anomalies = anomalies;
  }

  void check(Dependencies dependencies, BitSet committed) {
    committed.stream().mapToObj(history::transaction).forEach(this::checkOwn);
    dependencies.forEach(this::checkDependency);
    checkRealTime(dependencies.completions(), committed);
  }

  private void checkOwn(Transaction transaction) {
    TimestampPair timestamps = transaction.timestamps();
    if (timestamps.hasStart()
        && timestamps.hasCommit()
        && timestamps.commit() <= timestamps.start()) {
      anomalies.add(
          AnomalyKind.TIMESTAMP,
          () -> transaction.name() + " did not commit after its start",
          transaction);
    }
  }

  private void checkDependency(Dependency dependency) {
    Transaction from = dependency.from();
    Transaction to = dependency.to();
    if (dependency.relation() == Relation.RW) {
      if (from.timestamps().hasStart()
          && to.timestamps().hasCommit()
          && from.timestamps().start() > to.timestamps().commit()) {
        accuse(dependency, "read a version that was replaced before it started", from, to);
      }
    } else if (startsTooEarly(from, to)) {
      accuse(
          dependency,
          dependency.relation() == Relation.WR
              ? "was read, but had not committed when the reader started"
              : "overlaps with the next writer of the key, or has the wrong order",
          from,
          to);
    }
  }

  private static boolean startsTooEarly(Transaction from, Transaction to) {
    return from.timestamps().hasCommit()
        && to.timestamps().hasStart()
        && from.timestamps().commit() >= to.timestamps().start();
  }

  private void accuse(Dependency dependency, String how, Transaction from, Transaction to) {
    anomalies.add(
        AnomalyKind.TIMESTAMP,
        () ->
            String.format(
                Locale.ROOT, "k%d: %s %s (%s)", dependency.key(), from.name(), how, to.name()),
        from,
        to);
  }

  /** Compares each start with the highest commit timestamp of those that completed before. */
  private void checkRealTime(List<Transaction> completions, BitSet committed) {
    Transaction newest = null;
    int done = 0;
    for (int id = committed.nextSetBit(0); id >= 0; id = committed.nextSetBit(id + 1)) {
      Transaction next = history.transaction(id);
      while (done < completions.size() && completions.get(done).precedes(next)) {
        Transaction completed = completions.get(done++);
        if (newest == null || completed.timestamps().commit() > newest.timestamps().commit()) {
          newest = completed;
        }
      }
      if (newest != null && next.mustSee(newest) && startsTooEarly(newest, next)) {
        Transaction before = newest;
        anomalies.add(
            AnomalyKind.TIMESTAMP,
            () ->
                String.format(
                    Locale.ROOT,
                    "%s was invoked after %s completed, but its snapshot is older",
                    next.name(),
                    before.name()),
            next,
            before);
      }
    }
  }
}
