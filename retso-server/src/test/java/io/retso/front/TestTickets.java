package io.retso.front;

import io.retso.protocol.OracleIdentity;
import io.retso.security.AccessControl;
import io.retso.security.Tickets;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Tickets of tests that play clients frame by frame: they know the key, so they need not keep what
 * BEGIN answers.
 */
public final class TestTickets {
  private static final byte[] KEY = new byte[16];

  private TestTickets() {}

  /** What a server checks with. */
  public static Tickets make() {
    return new Tickets(List.of(KEY));
  }

  /** The ticket of a transaction. */
  public static long of(long start) {
    long[] ticket = new long[1];
    make().make(start, 0, Tickets.ANYBODY, ticket, 0, 1);
    return ticket[0];
  }

  /** Settings of a front desk that knows the key, and lets clients of its machine sweep. */
  public static FrontDesk.Settings settings(
      OracleIdentity oracle, LongSupplier nanoClock, FrontDesk.Bounds bounds) {
    Tickets tickets = make();
    return new FrontDesk.Settings(
        () -> oracle, nanoClock, FrontDesk.Latencies.IGNORED, bounds, AccessControl.open(tickets));
  }

  /** Settings with the usual bounds. */
  public static FrontDesk.Settings settings(OracleIdentity oracle, LongSupplier nanoClock) {
    return settings(oracle, nanoClock, FrontDesk.Bounds.USUAL);
  }
}
