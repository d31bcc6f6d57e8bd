package io.retso.oracle;

import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;

/**
 * What became of transactions, as far as it is known: of those in the window, and of commits that
 * left it uncleaned. Answers status queries (Algorithm 4), and requests that come again or too
 * late.
 */
final class DecidedTransactions {
  private final TransactionWindow window;
  private final UncleanedCommits uncleaned;
  private final OracleCounters counters;

  DecidedTransactions(
      TransactionWindow window, UncleanedCommits uncleaned, OracleCounters counters) {
    this.window = window;
    this.uncleaned = uncleaned;
    this.counters = counters;
  }

  /**
   * Algorithm 4: what became of the transaction that started at this sequence, which was issued. A
   * commit timestamp is returned whether or not it is below the reader's start; the reader
   * compares.
   *
   * <p>{@code OPEN} is an answer for ever, "not committed for you": the reader's start was issued
   * already, so the writer's commit timestamp, if it ever gets one, will be above it. That is why
   * the reader's timestamp is part of the question and is checked (hole b: an answer given to a
   * timestamp of the future could become false).
   *
   * <p>Of a transaction that left the window it is the commit timestamp as long as a pending mark
   * of it may exist (hole c), otherwise {@link Outcome#RETRY}.
   *
   * <p>A timestamp that was issued, but to no transaction, will never be that of one. A mark with
   * it was forged; it is as good as aborted, so that readers pass it over instead of failing.
   */
  long status(long sequence) {
    if (!window.contains(sequence)) {
      long commit = uncleaned.get(sequence);
      return commit != 0 ? commit << Timestamps.GAP_BITS : Outcome.RETRY;
    }
    int state = window.state(sequence);
    return switch (state) {
      case TransactionWindow.OPEN, TransactionWindow.PRESUMED_OPEN -> Outcome.OPEN;
      case TransactionWindow.NO_TRANSACTION, TransactionWindow.SAFE_SNAPSHOT -> Outcome.ABORTED;
      default -> again(sequence, state);
    };
  }

  /** Whether a transaction in this state of the window is not decided. */
  static boolean isOpen(int state) {
    return state == TransactionWindow.OPEN || state == TransactionWindow.PRESUMED_OPEN;
  }

  /** The outcome of a decided transaction of the window: asked again, it is answered again. */
  long again(long sequence, int state) {
    return switch (state) {
      case TransactionWindow.COMMITTED, TransactionWindow.COMMITTED_CLEAN ->
          window.commitSequence(sequence) << Timestamps.GAP_BITS;
      case TransactionWindow.HALF_ABORTED, TransactionWindow.ABORTED_CLEAN -> Outcome.ABORTED;
      default -> Outcome.INVALID_TIMESTAMP; // no transaction
    };
  }

  /**
   * A commit or abort request for a transaction below the window. It can be known only while it is
   * committed and uncleaned. Otherwise a request that was never sent before is certainly aborted
   * here and now; a repeated one may have been committed and cleaned up, and that is forgotten.
   */
  long beforeWindow(long sequence, boolean repeat) {
    long commit = uncleaned.get(sequence);
    if (commit != 0) {
      return repeat ? commit << Timestamps.GAP_BITS : Outcome.ALREADY_COMMITTED;
    }
    if (repeat) {
      return Outcome.UNKNOWN;
    }
    counters.outOfWindow++;
    return Outcome.ABORTED_TOO_OLD;
  }
}
