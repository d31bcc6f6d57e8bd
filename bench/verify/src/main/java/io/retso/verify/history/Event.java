package io.retso.verify.history;

import java.util.List;

/**
 * One line of a history: a transaction begins or ends.
 *
 * @param index position in the history; grows from line to line
 * @param timeNanos nanoseconds since some origin; for people, the checker orders by index
 * @param process the thread of control; it runs one transaction at a time
 * @param isolation what it was promised; only that of the beginning counts
 * @param steps at the beginning what is planned, at the end what happened
 * @param timestamps the oracle's timestamps, as far as they are known
 * @param error why it failed or is unknown; null if there is nothing to say
 */
public record Event(
    long index,
    long timeNanos,
    Type type,
    long process,
    Isolation isolation,
    List<Step> steps,
    TimestampPair timestamps,
    String error) {

  /** What happened, in the words of Elle. */
  public enum Type {
    /** The transaction is about to begin. */
    INVOKE,
    /** It committed. */
    OK,
    /** It certainly did not commit and never will. */
    FAIL,
    /** The outcome is unknown for good: it may have committed, or may still do so. */
    INFO
  }
}
