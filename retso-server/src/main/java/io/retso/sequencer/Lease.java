package io.retso.sequencer;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

/**
 * Whether this server is sure to lead although it asks no other: timestamps are answered at once
 * only then, and otherwise with an entry of the log.
 *
 * <p><strong>Why they must not be answered always.</strong> A server from which the log was taken
 * does not know it. Its timestamps lie below all that its successor issues. So once a client has
 * been told by the successor that a transaction is committed, a timestamp from the old server is
 * wrong for a client that asks for one after that: it does not see that commit.
 *
 * <p><strong>Claim.</strong> <em>Suppose a timestamp is asked for at {@code r}, and an entry that
 * was sent later than {@code r - D} is acknowledged before the answer leaves. Then no successor has
 * answered a decision or a query before {@code r}.</em> An entry that is acknowledged was sent
 * before a successor's fence was complete, at {@code f}: behind that, each quorum of bookies has
 * one that refuses. So {@code r - D < f}. A successor answers decisions and queries, which is all
 * that tells of commits, from {@code f + D} on ({@link #held}), and that is later than {@code r}.
 * What happens to the answer after {@code r} does not matter, as the asker does not know more than
 * at {@code r}; so a server may be stopped for hours between the check and the answer, but the
 * check must come after the request.
 *
 * <p>An entry whose append failed may turn out to be durable when its ledger is sealed. It counts
 * from when it was sent: what a ledger has at its end was sent before that end was fixed, so before
 * a successor's fence was complete. An entry that is appended again, to another ledger, counts from
 * when that happens.
 *
 * <p>A successor's successor is no exception: each waits for its own fence, which covers the
 * ledgers of all before it. No server waits for a writer whose last record is its end, as it
 * answers nothing behind that; and no writer logs its end while it still waits itself.
 *
 * <p><strong>What is assumed of clocks.</strong> Only durations are compared, on monotonic clocks:
 * those of two servers differ by at most one percent in rate, which the successor adds. They must
 * go on while a process is stopped. A virtual machine that is suspended together with its monotonic
 * clock would keep its lease while it sleeps. So the wall clock is asked, too: an entry counts only
 * if it was sent within D by both clocks, which costs one entry when the clock is merely set
 * forward. Not covered is a machine that stops with both of its clocks: one whose wall clock is set
 * back by as much as it slept before it goes on, or a guest that its hypervisor pauses (for a
 * snapshot, or to move it) and whose wall clock is right again only after a while. Until then it
 * may answer requests for timestamps that came before the pause to clients that have not heard of
 * the successor.
 *
 * <p>Of the sequencer's thread. Allocates nothing after construction.
 */
final class Lease {
  /** A successor waits longer by this part, as clocks may differ in rate. */
  private static final int DRIFT_PART = 64;

  private final SequencerSettings.Timing timing;

  /** When entries were sent, by position; at least those that are outstanding. */
  private final long[] sentNanos;

  private final long[] sentMillis;

  /** The newest position that is durable, if {@link #led} one that this server sent. */
  private long acknowledged;

  /** An entry of this server is acknowledged. */
  private boolean led;

  /** The newest position that was sent. */
  private long newest;

  /** Decisions are held until then, if {@link #held}. */
  private long heldUntil;

  private boolean held;

  /**
   * Makes one without a lease.
   *
   * @param outstandingMax entries that are not acknowledged at a time, at most
   */
  Lease(SequencerSettings.Timing timing, int outstandingMax) {
    this.timing = timing;
    sentNanos = new long[outstandingMax + 1];
    sentMillis = new long[outstandingMax + 1];
  }

  /** Begins behind the last position of an earlier writer. */
  void startBehind(long lastPosition) {
    acknowledged = lastPosition;
    led = false;
    sending(lastPosition); // nothing was sent before
  }

  /**
   * An entry is about to be sent: the time is taken before.
   *
   * @return how long ago the one before was sent, in nanoseconds, by the clock that says more
   */
  long sending(long position) {
    assert position - acknowledged < sentNanos.length : "too much is outstanding";
    long nanos = timing.nanoClock().getAsLong();
    long millis = timing.wallClock().getAsLong();
    int before = slot(newest);
    long since =
        Math.max(nanos - sentNanos[before], MILLISECONDS.toNanos(millis - sentMillis[before]));
    newest = position;
    sentNanos[slot(position)] = nanos;
    sentMillis[slot(position)] = millis;
    return since;
  }

  /** Everything up to {@code position} is durable. */
  void acknowledged(long position) {
    assert position >= acknowledged && position <= newest : position + " was not sent";
    acknowledged = position;
    led = true;
  }

  /**
   * Where the answer to a request for a timestamp may leave, which has just come.
   *
   * @return 0 at once; or the first position whose acknowledgement is enough; or one above the
   *     newest if nothing that was sent is: another entry must be
   */
  long position() {
    long nanos = timing.nanoClock().getAsLong();
    long millis = timing.wallClock().getAsLong();
    if (led && isRecent(acknowledged, nanos, millis)) {
      return 0;
    }
    long position = acknowledged + 1;
    while (position <= newest && !isRecent(position, nanos, millis)) {
      position++;
    }
    return position;
  }

  private boolean isRecent(long position, long nanos, long millis) {
    long age = nanos - sentNanos[slot(position)];
    long wallAge = millis - sentMillis[slot(position)] + 1; // at most: both are rounded
    return age < timing.leaseNanos() && MILLISECONDS.toNanos(wallAge) <= timing.leaseNanos();
  }

  /** How long timestamps may still leave at once if nothing else is acknowledged; 0: they wait. */
  long leftNanos() {
    if (!led) {
      return 0;
    }
    int slot = slot(acknowledged);
    long age = timing.nanoClock().getAsLong() - sentNanos[slot];
    long wallAge = timing.wallClock().getAsLong() - sentMillis[slot] + 1;
    return Math.max(0, timing.leaseNanos() - Math.max(age, MILLISECONDS.toNanos(wallAge)));
  }

  private int slot(long position) {
    return (int) (position % sentNanos.length);
  }

  /** Whether nothing was sent for so long. */
  boolean isSilentFor(long nanos) {
    return timing.nanoClock().getAsLong() - sentNanos[slot(newest)] >= nanos;
  }

  /** The leader before may have a lease: its ledgers' fence was complete at {@code fenced}. */
  void hold(long fenced) {
    held = true;
    heldUntil = fenced + timing.leaseNanos() + timing.leaseNanos() / DRIFT_PART;
  }

  /** Whether decisions and answers to queries must not leave yet; to be asked again and again. */
  boolean held() {
    held = held && timing.nanoClock().getAsLong() - heldUntil < 0;
    return held;
  }
}
