package io.retso.server.rehearsal;

import io.retso.front.FrontDesk;
import io.retso.log.CommitLog;
import io.retso.log.LedgerLog;
import io.retso.log.LogException;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import io.retso.protocol.Timestamps;
import io.retso.security.AccessControl;
import io.retso.security.ClusterSecret;
import io.retso.security.Tickets;
import io.retso.sequencer.Recovery;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.SequencerSettings;
import io.retso.sequencer.SharedOracle;
import io.retso.server.observe.MeasuredLog;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A server of a rehearsal, with a small oracle and without sockets: it replays or follows the log
 * of the {@link Stage}, leads, and has clients. Of one thread, its {@link
 * LedgerLog.Threads#writer}.
 */
final class Actor implements FrontDesk.Owner, FrontDesk.Loop {
  static final int WINDOW = 1 << 14;
  private static final int ROWS = 1 << 13;
  private static final int UNCLEANED = 1 << 10;
  private static final int CLIENTS = 20;
  private static final int ENTRIES_IN_FLIGHT = 3;
  private static final int RESERVATION = WINDOW / 8;

  /** A frame here has one request. */
  private static final SequencerSettings.EntryBytes ENTRY_BYTES =
      new SequencerSettings.EntryBytes(16 << 10, 1 << 10, 4 << 10);

  private static final FrontDesk.Bounds BOUNDS = new FrontDesk.Bounds(64, 64, 1 << 14, 1);

  final Recovery recovery;
  final CommitLog.Listener listener;
  private final LedgerLog.Threads threads;
  private final FrontDesk desk;
  private final Sequencer sequencer;
  private final MeasuredLog measured;
  private final List<Audience> clients = new ArrayList<>();
  private CompletableFuture<Void> answered = new CompletableFuture<>();

  Actor(LedgerLog.Threads threads) {
    this.threads = threads;
    SharedOracle oracle =
        new SharedOracle(changes -> new StatusOracle(ROWS, WINDOW, UNCLEANED, changes));
    recovery = new Recovery(oracle.oracle());
    Tickets tickets = new Tickets(ClusterSecret.random().keys(Tickets.PURPOSE, "rehearsal"));
    OracleIdentity identity = new OracleIdentity(new UUID(0, 0), "rehearsal");
    desk =
        new FrontDesk(
            new FrontDesk.Settings(
                () -> identity,
                threads.nanoClock(),
                FrontDesk.Latencies.IGNORED,
                BOUNDS,
                AccessControl.open(tickets)),
            this,
            this);
    sequencer =
        new Sequencer(
            new SequencerSettings(
                ENTRIES_IN_FLIGHT,
                RESERVATION,
                true,
                ENTRY_BYTES,
                SequencerSettings.Timing.usual(threads.nanoClock(), System::currentTimeMillis)),
            oracle,
            desk);
    measured = new MeasuredLog(sequencer, threads.nanoClock(), new MeasuredLog.Measures());
    listener = measured.listener();
  }

  /** Its clients connect; begin while it is a standby. */
  void open() {
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(new Audience(desk, this::look));
    }
  }

  /** Begins to lead on a log that was taken over. */
  void lead(LedgerLog taken) throws LogException {
    recovery.finish(Timestamps.atLeast(1));
    measured.measure(taken, recovery.lastPosition());
    desk.lead(sequencer, ServerRole.alone(taken.epoch()));
    sequencer.startAfter(recovery, measured, taken.times().fencedNanos());
  }

  /**
   * Has each client ask for something.
   *
   * @return completes when all are answered; fails if the log does
   */
  CompletableFuture<Void> ask(Consumer<Audience> question) {
    answered = new CompletableFuture<>();
    clients.forEach(question);
    look();
    return answered;
  }

  private void look() {
    if (clients.stream().allMatch(Audience::isAnswered)) {
      answered.complete(null);
    }
  }

  /** Time passes. */
  void beat() {
    desk.beat();
  }

  /** Takes no request any more, and logs its end. */
  CompletableFuture<Void> drain() {
    return desk.drain();
  }

  /** It is deposed, or has handed over. */
  void follow() {
    desk.follow(new ServerRole(false, 1, "", "", List.of()));
  }

  void close() {
    clients.forEach(Audience::close);
  }

  @Override
  public void atEndOfTurn(Runnable task) {
    threads.writer().execute(task);
  }

  @Override
  public void inNextTurn(Runnable task) {
    threads.writer().execute(task);
  }

  @Override
  public void logFailed(LogException cause) {
    answered.completeExceptionally(cause);
  }

  @Override
  public void stopped(Throwable cause) {
    answered.completeExceptionally(cause);
  }
}
