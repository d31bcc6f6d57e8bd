package io.retso.server;

import io.retso.log.LogException;
import io.retso.member.Term;
import io.retso.oracle.Changes;
import io.retso.oracle.StatusOracle;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.SequencerCounters;
import io.retso.sequencer.SequencerSettings;
import io.retso.sequencer.SharedOracle;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import io.retso.server.observe.Figures;
import io.retso.server.observe.MeasuredLog;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * The oracle of a server, which lives as long as its process, and the terms in which it leads. Of
 * the oracle's thread once it is made.
 */
final class ServerOracle implements Term.Maker {
  private final ServerConfig config;
  private final LongSupplier nanoClock;
  private final SharedOracle oracle;
  private final MeasuredLog.Measures measures = new MeasuredLog.Measures();

  /** Counts of the terms that are over. */
  private final SequencerCounters before = new SequencerCounters();

  private Supplier<CompletableFuture<Void>> rehearsal =
      () -> CompletableFuture.completedFuture(null);

  /** The term in which this server leads; null if it does not. */
  private ServerTerm leading;

  /** Allocates the tables, hundreds of megabytes. */
  ServerOracle(ServerConfig config, LongSupplier nanoClock) {
    this.config = config;
    this.nanoClock = nanoClock;
    this.oracle = new SharedOracle(this::makeOracle);
  }

  private StatusOracle makeOracle(Changes changes) {
    return new StatusOracle(
        config.get(Settings.ROWS),
        config.get(Settings.WINDOW_TIMESTAMPS),
        config.get(Settings.UNCLEANED_MAX),
        changes,
        new SecureRandom().nextLong());
  }

  StatusOracle statusOracle() {
    return oracle.oracle();
  }

  @Override
  public ServerTerm next(Sequencer.Replies replies) {
    if (leading != null) {
      before.add(leading.sequencer().counters());
      leading = null;
    }
    Sequencer sequencer = new Sequencer(sequencerSettings(), oracle, replies);
    return new ServerTerm(
        began -> leading = began,
        sequencer,
        new MeasuredLog(sequencer, nanoClock, measures),
        config.get(Settings.TRANSACTION_TIMEOUT).toNanos());
  }

  private SequencerSettings sequencerSettings() {
    return new SequencerSettings(
        config.get(Settings.LOG_INFLIGHT),
        config.reservation(),
        config.isDurable(),
        SequencerSettings.EntryBytes.USUAL,
        SequencerSettings.Timing.usual(nanoClock, System::currentTimeMillis));
  }

  /** Has standbys rehearse so. */
  void rehearseWith(Supplier<CompletableFuture<Void>> play) {
    rehearsal = play;
  }

  @Override
  public CompletableFuture<Void> rehearse() {
    return rehearsal.get();
  }

  /** Why the log of a leader cannot be appended to for now; null if it can. */
  LogException stall() {
    return leading == null ? null : leading.sequencer().stall();
  }

  /** To be called some times a second. */
  void limitTransactions() {
    if (leading != null) {
      leading.limitTransactions(nanoClock.getAsLong());
    }
  }

  /** To be called every {@link ClockFollower#PERIOD_MILLIS} ms. */
  void followClock() {
    if (leading != null) {
      leading.followClock(System.currentTimeMillis());
    }
  }

  void copyInto(Figures figures) {
    figures.oracle = statusOracle().counters().copy();
    figures.wallMillis = System.currentTimeMillis();
    statusOracle().hot().age(nanoClock.getAsLong());
    figures.hot = statusOracle().hot().top();
    figures.sequencer = before.copy();
    measures.copyInto(figures);
    if (leading != null) {
      leading.copyInto(figures);
    }
  }
}
