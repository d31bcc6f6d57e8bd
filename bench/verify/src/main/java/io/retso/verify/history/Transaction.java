package io.retso.verify.history;

import java.util.List;

/**
 * A transaction of a history, from its invocation to its completion.
 *
 * @param id its number in the order of invocations, from 0
 * @param process which process ran it
 * @param invoked index of the event before it began
 * @param completed index of the event after it ended; {@link #NEVER} if its outcome is unknown,
 *     since it may take effect at any time after its invocation
 * @param outcome what its client got as the answer
 * @param isolation what it was promised
 * @param steps what it did; a read of an unknown transaction may have no values
 * @param timestamps the oracle's timestamps, as far as they are known
 * @param error why it failed or is unknown, or null
 */
public record Transaction(
    int id,
    long process,
    long invoked,
    long completed,
    Outcome outcome,
    Isolation isolation,
    List<Step> steps,
    TimestampPair timestamps,
    String error) {

  /** Later than every index. */
  public static final long NEVER = Long.MAX_VALUE;

  /** What the client of a transaction knows. */
  public enum Outcome {
    COMMITTED,
    ABORTED,
    UNKNOWN
  }

  /** Whether this one completed before the other one was invoked: real-time order. */
  public boolean precedes(Transaction other) {
    return completed < other.invoked;
  }

  /** Whether it must see what the other one did, since that completed before it was invoked. */
  public boolean mustSee(Transaction other) {
    return other.precedes(this) && !isolation.mayBeStale();
  }

  /** Cheap, and consistent with equality: an id is used once in a history. */
  @Override
  public int hashCode() {
    return id;
  }

  /** Its name in explanations. */
  public String name() {
    return "T" + id;
  }

  /** Everything about it, in one line. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder(name());
    text.append(" (process ").append(process).append(", index ").append(invoked);
    if (completed == NEVER) {
      text.append(", outcome unknown");
    } else {
      text.append(" to ").append(completed);
      text.append(outcome == Outcome.COMMITTED ? ", committed" : ", failed");
    }
    if (isolation != Isolation.SNAPSHOT) {
      text.append(", ").append(isolation.label());
    }
    if (timestamps.hasStart()) {
      text.append(", start ").append(timestamps.start());
    }
    if (timestamps.hasCommit()) {
      text.append(", commit ").append(timestamps.commit());
    }
    text.append("):");
    for (int i = 0; i < steps.size(); i++) {
      text.append(i == 0 ? " " : "; ").append(steps.get(i));
    }
    return text.toString();
  }
}
