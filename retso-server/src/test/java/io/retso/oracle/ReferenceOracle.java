package io.retso.oracle;

import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.HashMap;
import java.util.Map;

/**
 * Algorithms 1 and 2 of the paper with nothing ever forgotten, with repeats, aborts and cleanups
 * added: naive on purpose. It judges each answer of the real oracle, and follows it where the real
 * one has a choice: it may abort more, and it may forget what the rules let it forget.
 */
final class ReferenceOracle {
  /** What is known of one transaction. */
  private static final class Transaction {
    boolean aborted;
    long commit;
    boolean cleaned;
  }

  private final int uncleanedCapacity;
  private final Map<Long, Transaction> transactions = new HashMap<>();
  private final Map<Long, Long> lastCommit = new HashMap<>();
  private long next = Timestamps.GAP;
  private int uncleaned;
  private long watermark;

  ReferenceOracle(int uncleanedCapacity) {
    this.uncleanedCapacity = uncleanedCapacity;
  }

  /** What the real oracle could not know better: its limits at the moment of a request. */
  record Limits(long windowLow, boolean hasEvicted) {}

  long next() {
    return next;
  }

  /** The highest low watermark that was answered. */
  long watermark() {
    return watermark;
  }

  int uncleaned() {
    return uncleaned;
  }

  boolean isDecided(long start) {
    Transaction t = transactions.get(start);
    return t != null && (t.aborted || t.commit != 0);
  }

  void begin(long first, int count) {
    require(first == next, "begin issued " + first + " instead of " + next);
    for (int i = 0; i < count; i++) {
      transactions.put(next, new Transaction());
      next += Timestamps.GAP;
    }
  }

  void commit(long start, boolean repeat, long[] rows, long outcome, Limits limits) {
    Transaction t = transactions.get(start);
    if (t == null) {
      notAStart(start, outcome, limits);
    } else if (start < limits.windowLow()) {
      commitBelowWindow(t, repeat, outcome);
    } else if (t.commit != 0 || t.aborted) {
      long answer = repeat ? t.commit : Outcome.ALREADY_COMMITTED;
      require(outcome == (t.aborted ? Outcome.ABORTED : answer), "a repeat changed its outcome");
    } else if (rows.length > 0 && uncleaned >= uncleanedCapacity) {
      require(outcome == Outcome.REFUSED_UNCLEANED, "the limit of uncleaned commits is passed");
    } else {
      algorithm1(t, start, rows, outcome, limits);
    }
  }

  /** Algorithm 1. */
  private void algorithm1(Transaction t, long start, long[] rows, long outcome, Limits limits) {
    boolean conflict = false;
    for (long row : rows) {
      conflict |= lastCommit.getOrDefault(row, 0L) > start; // lines 1 to 5
    }
    if (Outcome.isCommitted(outcome)) {
      require(!conflict, "committed in spite of a conflict");
      require(outcome == next, "commit timestamp " + outcome + " instead of " + next);
      next += Timestamps.GAP;
      t.commit = outcome;
      t.cleaned = rows.length == 0;
      uncleaned += t.cleaned ? 0 : 1;
      for (long row : rows) {
        lastCommit.put(row, outcome); // lines 6 to 8
      }
    } else if (outcome == Outcome.ABORTED_CONFLICT) {
      require(conflict, "a conflict was named that does not exist");
      t.aborted = true;
    } else {
      require(outcome == Outcome.ABORTED_TOO_OLD, "neither committed nor aborted");
      require(limits.hasEvicted() && rows.length > 0, "aborted by T_max, but nothing was evicted");
      t.aborted = true;
    }
  }

  private void commitBelowWindow(Transaction t, boolean repeat, long outcome) {
    if (t.commit != 0 && !t.cleaned) {
      require(
          outcome == (repeat ? t.commit : Outcome.ALREADY_COMMITTED),
          "an uncleaned commit was forgotten");
    } else if (repeat) {
      require(outcome == Outcome.UNKNOWN, "claims to know what left the window");
    } else {
      require(t.commit == 0, "the test broke the contract of the repeat flag");
      require(outcome == Outcome.ABORTED_TOO_OLD, "a forced abort was not made");
    }
    t.aborted = t.commit == 0; // nothing below the window ever commits
  }

  private void notAStart(long start, long outcome, Limits limits) {
    if (Timestamps.isWellFormed(start) && start < limits.windowLow()) {
      require(
          outcome == Outcome.ABORTED_TOO_OLD || outcome == Outcome.UNKNOWN,
          "something was made of a commit timestamp");
    } else {
      require(outcome == Outcome.INVALID_TIMESTAMP, "took a timestamp that is no start timestamp");
    }
  }

  /** Algorithm 2, with the commit timestamp itself in place of its comparison. */
  void status(long writer, long reader, long outcome, Limits limits) {
    Transaction t = transactions.get(writer);
    boolean below = writer < limits.windowLow();
    if (!isIssued(reader) || !Timestamps.isWellFormed(writer)) {
      require(outcome == Outcome.INVALID_TIMESTAMP, "answered to a timestamp of the future");
    } else if (!isIssued(writer)) {
      require(outcome == Outcome.OPEN, "knows the status of a timestamp of the future");
    } else if (t == null) {
      require(
          outcome == (below ? Outcome.RETRY : Outcome.ABORTED),
          "knows the status of a commit timestamp");
    } else if (t.commit != 0 && !(below && t.cleaned)) {
      require(outcome == t.commit, "did not answer the commit timestamp");
    } else if (below) {
      require(outcome == Outcome.RETRY, "neither committed and uncleaned nor RETRY");
      t.aborted = t.commit == 0; // readers conclude it from this answer
    } else {
      require(outcome == (t.aborted ? Outcome.ABORTED : Outcome.OPEN), "not what is known");
    }
  }

  /** A timestamp that is no transaction. */
  void timestamp(long timestamp) {
    require(timestamp == next, "a timestamp is " + timestamp + " instead of " + next);
    next += Timestamps.GAP;
  }

  void abort(long start, long outcome, Limits limits) {
    Transaction t = transactions.get(start);
    if (t == null) {
      boolean below = Timestamps.isWellFormed(start) && start < limits.windowLow();
      require(
          outcome == (below ? Outcome.UNKNOWN : Outcome.INVALID_TIMESTAMP),
          "aborted what never started");
    } else if (t.commit != 0 && !(start < limits.windowLow() && t.cleaned)) {
      require(outcome == t.commit, "did not answer that it is committed");
    } else if (start < limits.windowLow()) {
      require(outcome == Outcome.UNKNOWN, "claims to know what left the window");
      t.aborted = t.commit == 0;
    } else {
      require(outcome == Outcome.ABORTED, "an abort was not made");
      t.aborted = true;
    }
  }

  void cleaned(long start, long outcome, Limits limits) {
    Transaction t = transactions.get(start);
    if (t == null) {
      boolean below = Timestamps.isWellFormed(start) && start < limits.windowLow();
      require(
          outcome == (below ? Outcome.DONE : Outcome.INVALID_TIMESTAMP),
          "cleaned what never started");
      return;
    }
    require(outcome == Outcome.DONE, "a cleanup was refused");
    if (t.commit != 0) {
      uncleaned -= t.cleaned ? 0 : 1;
    } else {
      t.aborted = true; // it wrote nothing, or took everything back
    }
    t.cleaned = true;
  }

  void swept(long timestamp, long outcome, Limits limits) {
    boolean start = transactions.containsKey(timestamp);
    boolean below = isIssued(timestamp) && timestamp < limits.windowLow();
    if (!start && !below) {
      require(outcome == Outcome.INVALID_TIMESTAMP, "took a sweep that never began");
      return;
    }
    require(outcome == Outcome.DONE, "a sweep was refused");
    for (Transaction t : transactions.values()) {
      if (t.commit != 0 && t.commit < timestamp && !t.cleaned) {
        t.cleaned = true;
        uncleaned--;
      }
    }
  }

  /** Checks that it is exactly what is finished; returns whether a transaction holds it back. */
  boolean watermark(long answer, Limits limits) {
    require(answer >= watermark, "the watermark fell from " + watermark + " to " + answer);
    for (long timestamp = Math.max(watermark, Timestamps.GAP);
        timestamp < answer;
        timestamp += Timestamps.GAP) {
      Transaction t = transactions.get(timestamp);
      require(
          t == null || isFinished(t, timestamp, limits), timestamp + " holds the watermark back");
      if (t != null) {
        t.aborted = t.commit == 0; // and stays so, or a later answer contradicts
      }
    }
    watermark = answer;
    require(answer <= next, "the watermark is ahead of time");
    Transaction t = transactions.get(answer);
    require(answer == next || t != null && !isFinished(t, answer, limits), "it could be higher");
    return answer < next;
  }

  private static boolean isFinished(Transaction t, long start, Limits limits) {
    return t.aborted || (t.commit != 0 ? t.cleaned : start < limits.windowLow());
  }

  private boolean isIssued(long timestamp) {
    return Timestamps.isWellFormed(timestamp) && timestamp < next;
  }

  private static void require(boolean condition, String what) {
    if (!condition) {
      throw new AssertionError(what);
    }
  }
}
