package io.retso.server;

import io.retso.log.LedgerLog;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.member.LeaderWatch;
import io.retso.member.Member;
import io.retso.member.Roster;
import io.retso.net.OracleServer;
import io.retso.sequencer.Sequencer;
import io.retso.server.members.NettyLeaderWatch;
import io.retso.text.ErrorText;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** A {@link Member} on the oracle's thread. Thread-safe. */
final class ServerMember {
  private final OracleServer net;
  private final ServerOracle oracle;
  private final Member member;
  private final NettyLeaderWatch watch;
  private final CompletableFuture<Void> serves = new CompletableFuture<>();
  private volatile Consumer<LogException> onTrouble = failure -> {};

  /** What {@link #onTrouble} has heard of and is not over; touched by the oracle's thread. */
  private LogException trouble;

  private ServerMember(
      OracleServer net, ServerOracle oracle, Member member, NettyLeaderWatch watch) {
    this.net = net;
    this.oracle = oracle;
    this.member = member;
    this.watch = watch;
  }

  /** Makes a standby, and has it follow the log. */
  static ServerMember start(
      Member.Settings settings,
      LedgerStore store,
      LongSupplier nanoClock,
      ServerOracle oracle,
      OracleServer net,
      Roster roster,
      SecurityFiles security)
      throws InterruptedException {
    ServerMember[] made = new ServerMember[1];
    OracleLoop.run(
        net,
        () -> {
          NettyLeaderWatch watch =
              new NettyLeaderWatch(
                  net.loop(),
                  LeaderWatch.clientName(settings.address()),
                  security::client,
                  security::isTlsRequired);
          LedgerLog.Threads threads = new LedgerLog.Threads(net.executor(), nanoClock);
          Member member =
              new Member(
                  settings,
                  store,
                  threads,
                  oracle.statusOracle(),
                  oracle,
                  net.front(),
                  roster,
                  watch);
          made[0] = new ServerMember(net, oracle, member, watch);
        });
    made[0].run();
    return made[0];
  }

  private void run() {
    net.logFailure().thenAccept(serves::completeExceptionally);
    net.error()
        .thenAccept(e -> serves.completeExceptionally(new IllegalStateException(e.toString(), e)));
    net.every(TimeUnit.MILLISECONDS.toNanos(Sequencer.TICK_MILLIS), this::tick);
  }

  private void tick() {
    member.tick();
    Member.View view = member.view();
    if (serves.isDone()) {
      hear(view.leads() ? oracle.stall() : view.trouble());
    } else {
      if (view.serves()) {
        serves.complete(null);
      } else if (view.trouble()
          != null) { // the operator is to know at the start; later it tries again
        serves.completeExceptionally(view.trouble());
      }
    }
  }

  /** A fenced ledger is none: either another server leads by now, or the log goes on at once. */
  private void hear(LogException now) {
    LogException before = trouble;
    trouble = now == null || now.reason() == LogException.Reason.FENCED ? null : now;
    if (before == null && trouble != null) {
      CompletableFuture.runAsync(() -> onTrouble.accept(now));
    }
  }

  /** Has a listener hear, on a thread of the common pool, when the log cannot be used any more. */
  void onTrouble(Consumer<LogException> listener) {
    onTrouble = listener;
  }

  /**
   * Waits until it leads, or is a ready standby of a server that does; as long as it takes: each
   * step is bounded.
   *
   * @throws LogException if the log cannot be read or taken over
   */
  void awaitService() throws LogException, InterruptedException {
    try {
      serves.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof LogException failure) {
        throw failure;
      }
      throw new IllegalStateException(ErrorText.of(e.getCause()), e.getCause());
    }
  }

  Member.View view() {
    return member.view();
  }

  /**
   * See {@link Member#handOver}.
   *
   * @return what became of it, for people
   */
  CompletableFuture<String> handOver() {
    CompletableFuture<String> done = new CompletableFuture<>();
    net.executor()
        .execute(
            () ->
                member
                    .handOver()
                    .whenComplete(
                        (over, e) -> {
                          if (e == null) {
                            done.complete("handed over; this server stands by");
                          } else {
                            done.completeExceptionally(e);
                          }
                        }));
    return done;
  }

  /** See {@link NettyLeaderWatch#look}; of the oracle's thread. */
  void lookAtLeader() {
    watch.look();
  }

  /** See {@link Member#retire}. */
  void retire() {
    net.executor().execute(member::retire);
  }

  /** Reads, takes over and leads no more. */
  void close() throws InterruptedException {
    OracleLoop.run(net, member::close);
  }
}
