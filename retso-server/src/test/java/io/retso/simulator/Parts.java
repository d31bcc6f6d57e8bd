package io.retso.simulator;

import io.netty.buffer.ByteBuf;
import io.retso.front.FrontDesk;
import io.retso.log.CommitLog;
import io.retso.log.LedgerLog;
import io.retso.log.LogException;
import io.retso.oracle.Changes;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Outcome;
import io.retso.sequencer.Recovery;
import io.retso.sequencer.Sequencer;
import io.retso.server.ClockFollower;

/** The production parts of a simulated server; a known bug is injected by replacing one. */
class Parts {
  StatusOracle oracle(Sizes sizes, Changes changes) {
    return new StatusOracle(
        sizes.mapRows(), sizes.windowTimestamps(), sizes.uncleanedCommits(), changes);
  }

  Sequencer sequencer(Sizes sizes, Sequencer.OracleMaker maker, Sequencer.Replies replies) {
    return new Sequencer(sizes.sequencer(), maker, replies);
  }

  FrontDesk frontDesk(FrontDesk.Settings settings, FrontDesk.Loop loop, FrontDesk.Owner owner) {
    return new FrontDesk(settings, loop, owner);
  }

  CommitLog log(LedgerLog log) {
    return log;
  }

  LedgerLog.Replay replay(Recovery recovery) {
    return recovery;
  }

  void finish(Recovery recovery, long firstTimestamp) throws LogException {
    recovery.finish(firstTimestamp);
  }

  void follow(ClockFollower clock, Sequencer sequencer, long nowMillis) {
    clock.tick(nowMillis);
  }

  /** The contract of a sweep. */
  boolean sweepTimestampIsTakenFirst() {
    return true;
  }

  /**
   * Whether timestamps of a deposed server may be older than what is known. They are: it hands them
   * out without a word to the log. Strict begins will end that.
   */
  boolean deposedServersMayBeStale() {
    return true;
  }

  // What a client does, seen from outside of it.

  /** A commit that is sent again says so. */
  boolean clientsFlagRepeats() {
    return true;
  }

  /** What comes on a connection that is over is not taken for an answer on the next. */
  boolean clientsKeepConnectionsApart() {
    return true;
  }

  /** The greeting of a server passes; a client that overlooks the epoch sees another one. */
  void greeting(ByteBuf reply, int index) {}

  /** What a caller gets whose client cannot learn the outcome. */
  long toldInsteadOfUnknown() {
    return Outcome.UNKNOWN;
  }

  boolean fences() {
    return true;
  }

  boolean comparesCatalog() {
    return true;
  }

  long retentionNanos() {
    return World.ZOMBIE_LIFE_MAX;
  }
}
