package io.retso.server;

import io.retso.log.CommitLog;
import io.retso.log.LogException;
import io.retso.member.Term;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.TimeLimit;
import io.retso.server.observe.Figures;
import io.retso.server.observe.MeasuredLog;

/** A sequencer, and what goes with it: its log's meter, the time limit, the clock's follower. */
final class LeaderTerm implements Term {
  private final LeaderTerms terms;
  private final Sequencer sequencer;
  private final MeasuredLog log;
  private final TimeLimit limit;
  private final ClockFollower clock;

  LeaderTerm(LeaderTerms terms, Sequencer sequencer, MeasuredLog log, long limitNanos) {
    this.terms = terms;
    this.sequencer = sequencer;
    this.log = log;
    this.limit = new TimeLimit(sequencer, limitNanos);
    this.clock = new ClockFollower(sequencer, limit);
  }

  /** Why the log cannot be appended to for now; null if it can. */
  LogException stall() {
    return sequencer.stall();
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
    figures.leaseNanos = sequencer.leaseNanos();
    figures.clockLagMillis = clock.lagMillis();
  }
}
