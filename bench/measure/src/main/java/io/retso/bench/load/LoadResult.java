package io.retso.bench.load;

import org.HdrHistogram.Histogram;

/**
 * What one run measured.
 *
 * @param seconds measured time
 * @param completed transactions decided (or start timestamps received) in that time
 * @param committed those that committed
 * @param conflicts those aborted because of a concurrent commit, by a conflict or since they might
 *     not be serializable
 * @param tooOld those aborted because the oracle no longer remembers enough
 * @param refused those refused because too many commits are not cleaned up
 * @param transactionNanos from begin sent to commit's reply; in an open loop from the instant at
 *     which the begin was due
 * @param beginNanos from begin sent (or due) to its reply
 * @param commitNanos from commit sent to its reply
 */
public record LoadResult(
    double seconds,
    long completed,
    long committed,
    long conflicts,
    long tooOld,
    long refused,
    Histogram transactionNanos,
    Histogram beginNanos,
    Histogram commitNanos) {

  /** Transactions decided per second. */
  public double perSecond() {
    return completed / seconds;
  }

  /** Transactions that did not commit, of 1. */
  public double abortShare() {
    return completed == 0 ? 0 : (double) (conflicts + tooOld + refused) / completed;
  }
}
