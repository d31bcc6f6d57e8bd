package io.retso.server;

import io.retso.log.CommitLog;
import io.retso.log.LogException;
import io.retso.member.Term;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.TimeLimit;
import io.retso.server.observe.Figures;
import io.retso.server.observe.MeasuredLog;
import java.util.function.Function;

/** A sequencer, and what goes with it: its log's meter, the time limit, the clock's follower. */
final class LeaderTerm implements Term {
  private final LeaderTerms terms;
  private final Sequencer sequencer;
  private final MeasuredLog log;
  private final TimeLimit limit;
  private final ClockFollower clock;

  /** Why nothing can be appended to the log; null if it can. */
  private LogException stall;

  LeaderTerm(
      LeaderTerms terms,
      Sequencer sequencer,
      Function<CommitLog.Listener, MeasuredLog> meter,
      long limitNanos) {
    this.terms = terms;
    this.sequencer = sequencer;
    this.log = meter.apply(new StallListener());
    this.limit = new TimeLimit(sequencer, limitNanos);
    this.clock = new ClockFollower(sequencer, limit);
  }

  /** Notes why the log is stalled. */
  private final class StallListener implements CommitLog.Listener {
    @Override
    public void durable(long position) {
      sequencer.durable(position);
    }

    @Override
    public void failed(LogException cause) {
      sequencer.failed(cause);
    }

    @Override
    public void stalled(LogException cause) {
      stall = cause;
      sequencer.stalled(cause);
    }

    @Override
    public void resumed(long position) {
      stall = null;
      sequencer.resumed(position);
    }
  }

  /** Why the log cannot be appended to for now; null if it can. */
  LogException stall() {
    return stall;
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
    terms.began(this);
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
    figures.clockLagMillis = clock.lagMillis();
  }
}
