package io.retso.server.rehearsal;

import io.netty.util.concurrent.DefaultThreadFactory;
import io.retso.log.LedgerLog;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.LogTail;
import io.retso.protocol.Timestamps;
import io.retso.sequencer.Sequencer;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has a process do once what a server does when it takes over, leads and hands over, so that it
 * loads the classes and compiles the code before they are needed: on a log of its own, with the
 * real bookies and a small oracle. It shares nothing with the server but the clients of BookKeeper,
 * and runs beside it on two threads of its own.
 *
 * <p>A leader serves clients, some of whom it knows from before it led, and is gone without a word;
 * a standby that followed it fences its ledger and takes over, waits for its lease, serves, and
 * hands over; another one goes on behind it. What each of them does is in {@link Actor}.
 *
 * <p>Nothing depends on it. It leaves nothing behind, unless the process is killed meanwhile: then
 * three ledgers at most, which no log has and some kilobytes of entries.
 */
public final class Rehearsal {
  private static final Logger LOG = LoggerFactory.getLogger(Rehearsal.class);

  /** Rounds of a leader; in each all its clients begin, commit and clean up. */
  private static final int ROUNDS = 8;

  /** It goes on without being waited for. */
  private static final long MILLIS_MAX = 20_000;

  private static final long STEP_MILLIS_MAX = 5_000;

  private final LedgerLog.Threads threads;
  private final Stage stage;
  private final LedgerLog.Settings settings =
      new LedgerLog.Settings((long) Actor.WINDOW << Timestamps.GAP_BITS, 0, "");

  private Rehearsal(Stage stage, ExecutorService executor, LongSupplier nanoClock) {
    this.stage = stage;
    this.threads = new LedgerLog.Threads(executor, nanoClock);
  }

  /**
   * Rehearses in the background.
   *
   * @param store has the ledgers
   * @param ledgers makes some that belong to no log
   * @return completes when it is over, has failed, which does no harm, or has taken {@value
   *     #MILLIS_MAX} ms; on any thread
   */
  public static CompletableFuture<Void> run(
      LedgerStore store,
      Supplier<CompletableFuture<LedgerStore.Ledger>> ledgers,
      LongSupplier nanoClock) {
    CompletableFuture<Void> over =
        new CompletableFuture<Void>().completeOnTimeout(null, MILLIS_MAX, TimeUnit.MILLISECONDS);
    Runnable play =
        () -> {
          long from = nanoClock.getAsLong();
          try {
            play(store, ledgers, nanoClock);
            LOG.info(
                "rehearsed a take-over and a hand-over in {} ms",
                TimeUnit.NANOSECONDS.toMillis(nanoClock.getAsLong() - from));
          } catch (Exception e) {
            LOG.info("could not rehearse a take-over, which may take longer: {}", e.toString());
          } finally {
            over.complete(null);
          }
        };
    new DefaultThreadFactory("rehearsal", true).newThread(play).start();
    return over;
  }

  /** Rehearses now, and on the caller's thread. */
  static void play(
      LedgerStore store,
      Supplier<CompletableFuture<LedgerStore.Ledger>> ledgers,
      LongSupplier nanoClock)
      throws Exception {
    ExecutorService executor =
        Executors.newSingleThreadExecutor(new DefaultThreadFactory("rehearsal-oracle", true));
    try (Stage stage = new Stage(store, ledgers)) {
      new Rehearsal(stage, executor, nanoClock).play();
    } finally {
      executor.shutdown();
    }
  }

  private void play() throws Exception {
    Actor first = take(() -> new Actor(threads));
    LedgerLog log =
        get(() -> LedgerLog.takeOver(stage, threads, first.listener, settings, first.recovery));
    act(() -> first.lead(log));
    act(first::open);
    Actor second = take(() -> new Actor(threads));
    act(second::open);
    LogTail tail = take(() -> new LogTail(stage, threads, settings, second.recovery));
    serve(first, tail);
    act(first::follow);

    LedgerLog taken = get(() -> tail.takeOver(second.listener));
    act(() -> second.lead(taken));
    serve(second, null);
    end(second, taken);

    Actor third = take(() -> new Actor(threads));
    LogTail behind = take(() -> new LogTail(stage, threads, settings, third.recovery));
    get(behind::poll);
    LedgerLog handedOver = get(() -> behind.takeOver(third.listener));
    act(() -> third.lead(handedOver));
    end(third, handedOver);
    act(first::close);
    act(second::close);
  }

  /** Clients ask, and the one who follows reads what is logged. */
  private void serve(Actor leader, LogTail tail) throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      int number = round;
      ask(leader, Audience::begin);
      ask(leader, client -> client.commit(number));
      ask(leader, Audience::cleanUp);
      if (tail != null) {
        get(tail::poll);
      }
    }
  }

  private void ask(Actor leader, Consumer<Audience> question) throws Exception {
    await(take(() -> leader.ask(question)), leader);
  }

  /** It hands over. */
  private void end(Actor leader, LedgerLog log) throws Exception {
    await(take(leader::drain), leader);
    get(log::closeAsync);
    act(leader::follow);
  }

  private interface Act {
    void run() throws LogException;
  }

  private void act(Act act) throws Exception {
    take(
        () -> {
          act.run();
          return null;
        });
  }

  /** Has something done on the thread of the actors. */
  private <T> T take(Callable<T> task) throws Exception {
    CompletableFuture<T> done = new CompletableFuture<>();
    threads
        .writer()
        .execute(
            () -> {
              try {
                done.complete(task.call());
              } catch (Exception e) {
                done.completeExceptionally(e);
              }
            });
    return await(done);
  }

  private <T> T get(Supplier<CompletableFuture<T>> task) throws Exception {
    return await(take(task::get));
  }

  private static <T> T await(CompletableFuture<T> future) throws Exception {
    try {
      return future.get(STEP_MILLIS_MAX, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof Exception cause ? cause : e;
    }
  }

  /** For what a leader does as time passes. */
  private void await(CompletableFuture<Void> done, Actor leader) throws Exception {
    for (long waited = 0; waited < STEP_MILLIS_MAX; waited += Sequencer.TICK_MILLIS) {
      try {
        done.get(Sequencer.TICK_MILLIS, TimeUnit.MILLISECONDS);
        return;
      } catch (TimeoutException e) {
        act(leader::beat);
      }
    }
    throw new TimeoutException("no answer");
  }
}
