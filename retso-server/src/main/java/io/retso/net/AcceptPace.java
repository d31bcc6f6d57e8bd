package io.retso.net;

/**
 * How many connections with TLS may begin: a handshake costs the server about a millisecond, and a
 * client next to nothing. Beyond {@value #PER_SECOND} a second, and a burst of {@value #BURST},
 * connections wait to be accepted, where they cost nothing. Of the event loop.
 */
final class AcceptPace {
  static final int PER_SECOND = 200;
  static final int BURST = 64;
  private static final long NANOS_EACH = 1_000_000_000L / PER_SECOND;

  /** When the last of those that began would have begun at an even pace. */
  private long evenNanos;

  AcceptPace(long nowNanos) {
    evenNanos = nowNanos - BURST * NANOS_EACH;
  }

  /** One more begins; returns for how long no other one should, 0 if one may at once. */
  long begin(long nowNanos) {
    evenNanos = Math.max(evenNanos, nowNanos - BURST * NANOS_EACH) + NANOS_EACH;
    return Math.max(0, evenNanos - nowNanos);
  }
}
