package io.retso.simulator;

import io.retso.log.CommitLog;
import io.retso.log.LedgerLog;
import io.retso.member.Term;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Timestamps;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.TimeLimit;
import io.retso.server.ClockFollower;

/** A term of leadership: its sequencer, the time limit, the clock's follower. */
final class SimulatedTerm implements Term {
  /** As far as the clock itself goes between two ticks, in whole timestamps. */
  private static final long CLOCK_STEP = 4 * Timestamps.GAP;

  private final World world;
  private final SimulatedServer server;
  private final Sequencer sequencer;
  private final TimeLimit limit;
  private final ClockFollower clock;
  private long stalls;

  SimulatedTerm(World world, SimulatedServer server, Sequencer sequencer, long timeLimit) {
    this.world = world;
    this.server = server;
    this.sequencer = sequencer;
    this.limit = new TimeLimit(sequencer, timeLimit);
    this.clock = new ClockFollower(sequencer, limit);
  }

  @Override
  public Sequencer sequencer() {
    return sequencer;
  }

  /** The log is replayed and the term not begun: what is known now is what the log says. */
  @Override
  public CommitLog begin(CommitLog taken, long lastPosition) {
    server.begins(this, ((LedgerLog) taken).epoch());
    return taken;
  }

  /** Time passes. */
  void tick() {
    StatusOracle oracle = sequencer.oracle();
    long low = oracle.windowLow();
    limit.tick(world.simulation().now());
    if (oracle.windowLow() > low) {
      world.counted("expiries");
    }
    for (; stalls < sequencer.counters().stalls; stalls++) {
      world.counted("stalls of the log");
    }
    if (world.simulation().oneIn(4)) {
      follow(oracle);
    }
  }

  /** Whatever the clock does, what is not too old stays open, but for a step of the clock's own. */
  private void follow(StatusOracle oracle) {
    long next = oracle.nextTimestamp();
    long low = oracle.windowLow();
    clock.tick(server.wallMillis());
    if (oracle.nextTimestamp() > next) {
      world.counted("timestamps followed the clock");
    }
    Violation.unless(
        oracle.windowLow() <= Math.max(limit.tooOldBelow(), low + CLOCK_STEP),
        "the clock aborted what started between " + low + " and " + oracle.windowLow());
  }
}
