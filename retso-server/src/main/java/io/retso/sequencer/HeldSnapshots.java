package io.retso.sequencer;

import io.retso.oracle.Hold;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Holding;
import io.retso.protocol.Outcome;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The time of held snapshots: each lasts for its time from when it was taken or renewed last, by
 * the monotonic clock of the server that leads. The end of one is a change of the oracle's like
 * others, which the log has before any answer rests on it; standbys end none by themselves, and the
 * time of day decides nothing.
 *
 * <p>Renewals are not logged. A server that begins to lead lets the time of all begin anew, so each
 * lasts at least as long as was promised, whatever the leader before knew of it; one that is
 * abandoned lasts for its time after the last take-over, at most.
 *
 * <p>While the process stands still no client can renew: a gap between two ticks counts as {@value
 * #GAP_MILLIS_MAX} ms at most, a quarter of the shortest time.
 *
 * <p>At most as many as the oracle holds. Of the sequencer's thread.
 */
final class HeldSnapshots {
  private static final long GAP_MILLIS_MAX = 250;
  private static final long GAP_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(GAP_MILLIS_MAX);

  private final StatusOracle oracle;

  /** When each was taken or renewed last, by {@link #nowNanos}; those of earlier terms: later. */
  private final Map<Long, Long> renewed = new HashMap<>();

  /** Time during which the process ran. */
  private long nowNanos;

  private long lastNanos;
  private boolean ticked;

  HeldSnapshots(StatusOracle oracle) {
    this.oracle = oracle;
  }

  /** See {@link StatusOracle#hold}. */
  long hold(String name, long call, long ttlMillis, long wallMillis, long clockNanos) {
    pass(clockNanos);
    long outcome = oracle.hold(name, call, ttlMillis, wallMillis);
    if (outcome > 0) {
      renewed.put(outcome, nowNanos);
    }
    return outcome;
  }

  /** Lets the time of one begin anew; a number of {@link Outcome}. */
  long renew(long timestamp, long clockNanos) {
    if (!oracle.holds().has(timestamp)) {
      return Outcome.NOT_HELD;
    }
    pass(clockNanos);
    renewed.put(timestamp, nowNanos);
    return Outcome.DONE;
  }

  /** Ends one; a number of {@link Outcome}. */
  long release(long timestamp) {
    renewed.remove(timestamp);
    return oracle.releaseHeld(timestamp) ? Outcome.DONE : Outcome.NOT_HELD;
  }

  /**
   * One whose time is over, to be released; 0 if there is none. Those that are not known yet begin
   * their time now.
   */
  long expired(long clockNanos) {
    pass(clockNanos);
    if (oracle.holds().size() == 0) {
      renewed.clear();
      return 0;
    }
    for (Hold hold : oracle.holds().all()) {
      renewed.putIfAbsent(hold.timestamp(), nowNanos);
      if (leftNanos(hold) <= 0) {
        return hold.timestamp();
      }
    }
    return 0;
  }

  private void pass(long clockNanos) {
    if (ticked) {
      nowNanos += Math.min(clockNanos - lastNanos, GAP_NANOS_MAX);
    }
    ticked = true;
    lastNanos = clockNanos;
  }

  private long leftNanos(Hold hold) {
    long since = renewed.getOrDefault(hold.timestamp(), nowNanos);
    return TimeUnit.MILLISECONDS.toNanos(hold.ttlMillis()) - (nowNanos - since);
  }

  /** All that are held, oldest first. */
  List<Holding.Report> reports(long clockNanos) {
    pass(clockNanos);
    return oracle.holds().all().stream()
        .map(
            hold ->
                new Holding.Report(
                    hold.name(),
                    hold.timestamp(),
                    hold.ttlMillis(),
                    hold.sinceMillis(),
                    Math.max(0, TimeUnit.NANOSECONDS.toMillis(leftNanos(hold)))))
        .toList();
  }
}
