package io.retso.server;

import io.retso.log.CommitLog;
import io.retso.member.Term;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.TimeLimit;
import io.retso.server.observe.Figures;
import io.retso.server.observe.MeasuredLog;
import java.util.function.Consumer;

/**
 * A term in which a server leads: a sequencer, and what goes with it: its log's meter, the time
 * limit, the clock's follower.
 */
final class ServerTerm implements Term {
  private final Consumer<ServerTerm> begins;
  private final Sequencer sequencer;
  private final MeasuredLog log;
  private final TimeLimit limit;
  private final ClockFollower clock;

  /**
   * Makes one that has not begun.
   *
   * @param begins hears when it begins
   * @param limitNanos how long a transaction may be open
   */
  ServerTerm(Consumer<ServerTerm> begins, Sequencer sequencer, MeasuredLog log, long limitNanos) {
    this.begins = begins;
    this.sequencer = sequencer;
    this.log = log;
    this.limit = new TimeLimit(sequencer, limitNanos);
    this.clock = new ClockFollower(sequencer, limit);
  }

  @Override
  public Sequencer sequencer() {
    return sequencer;
  }

  @Override
  public CommitLog.Listener listener() {
    return log.listener();
  }

  @Override
  public CommitLog begin(CommitLog taken, long lastPosition) {
    log.measure(taken, lastPosition);
    begins.accept(this);
    return log;
  }

  void limitTransactions(long nowNanos) {
    limit.tick(nowNanos);
  }

  void followClock(long nowMillis) {
    clock.tick(nowMillis);
  }

  void copyInto(Figures figures) {
    figures.sequencer.add(sequencer.counters());
    log.copyInto(figures);
    figures.leaseNanos = sequencer.leaseNanos();
    figures.clockLagMillis = clock.lagMillis();
  }
}
