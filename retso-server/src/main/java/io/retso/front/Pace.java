package io.retso.front;

/**
 * How fast hosts above their share may go on while others need what they take: a token bucket for
 * all of them, which each of those that wait may empty by an equal part.
 *
 * <p>In any time of {@code nanos} they take {@code amount} at most, and what is granted at one tick
 * and one frame more: a frame is taken while there is a grant, and what it exceeds that by is a
 * debt, of the frame's host and of all, which the next grants pay.
 *
 * <p>Of the sequencer's thread.
 */
final class Pace {
  /**
   * A tick grants this part of the amount at most, however late it is, and a host that waits for
   * the others' debts keeps as much of its grants.
   */
  private static final int PARTS = 20;

  /** What one host has been granted. */
  static final class Credit {
    private double seen;
    private double left;
  }

  private final double amountPerNano;
  private final double most;

  /** What may be taken before the next tick; a debt if it is below 0. */
  private double left;

  /** What each host that waited all the time has been granted since the start. */
  private double granted;

  /** Makes a pace of so much in so many nanoseconds. */
  Pace(double amount, long nanos) {
    amountPerNano = amount / nanos;
    most = amount / PARTS;
  }

  /** So much time passed, and so many hosts wait: what was not taken is lost. */
  void tick(long nanos, int hosts) {
    double grant = Math.min(nanos * amountPerNano, most);
    left = Math.min(left, 0) + grant;
    granted += grant / Math.max(1, hosts);
  }

  /** Whether a host may go on with a frame. */
  boolean admits(Credit host) {
    host.left = Math.min(host.left + granted - host.seen, most);
    host.seen = granted;
    return left > 0 && host.left > 0;
  }

  /** A host that was admitted took so much. */
  void took(Credit host, long count) {
    left -= count;
    host.left -= count;
  }
}
