package io.retso.member;

import io.retso.log.LedgerLog;
import io.retso.log.LedgerStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a leader goes: it ends what changes the catalog, names its successor and serves on until that
 * one has begun its epoch; then it takes no request, its log gets its end and is sealed. Of the
 * member's thread; used once.
 *
 * <p>The catalog says whether the successor has begun. Another epoch there ends no service here:
 * this leader takes it for a sign that nothing but its own end is waited for.
 */
final class HandOver {
  /** A change of the catalog that has not ended by then is not waited for: it may be refused. */
  static final long REST_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(500);

  /** A successor that has not begun its epoch so long after it was named is not waited for. */
  static final long NAMED_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(500);

  /** A leader whose log hangs while it hands over goes without a word. */
  private static final long NANOS_MAX = TimeUnit.SECONDS.toNanos(2);

  private static final Logger LOG = LoggerFactory.getLogger(Member.class);

  private final LedgerStore store;
  private final LedgerLog log;
  private final Front front;
  private final LoopTasks tasks;
  private final LongSupplier nanoClock;
  private final Runnable names;
  private final Runnable over;
  private final CompletableFuture<Void> stoodBy = new CompletableFuture<>();
  private final long sinceNanos;
  private long namedNanos;
  private long drainingNanos;
  private long drainedNanos;
  private boolean named;
  private boolean looking;
  private boolean draining;
  private boolean stopped;

  /**
   * Begins now.
   *
   * @param names is run when the successor is to be named
   * @param over is run when the leader is to step down
   */
  HandOver(
      LedgerStore store,
      LedgerLog log,
      Front front,
      LoopTasks tasks,
      LongSupplier nanoClock,
      Runnable names,
      Runnable over) {
    this.store = store;
    this.log = log;
    this.front = front;
    this.tasks = tasks;
    this.nanoClock = nanoClock;
    this.names = names;
    this.over = over;
    this.sinceNanos = nanoClock.getAsLong();
    then(log.leaveTheCatalog(), this::name);
  }

  /** To be completed when the member stands by. */
  CompletableFuture<Void> stoodBy() {
    return stoodBy;
  }

  /** Time passes. */
  void tick() {
    long now = nanoClock.getAsLong();
    if (now - sinceNanos > NANOS_MAX) {
      end();
    } else if (!named) {
      if (now - sinceNanos >= REST_NANOS_MAX) {
        name();
      }
    } else if (now - namedNanos >= NAMED_NANOS_MAX) {
      drain();
    } else if (!draining && !looking) {
      looking = true;
      tasks.then(store.readCatalog(), (found, failure) -> looked(found));
    }
  }

  private void name() {
    if (!named) {
      named = true;
      namedNanos = nanoClock.getAsLong();
      names.run();
    }
  }

  private void looked(LedgerStore.Catalog found) {
    looking = false;
    if (!stopped && found != null && found.epoch() > log.epoch()) {
      drain();
    }
  }

  private void drain() {
    if (!draining) {
      draining = true;
      drainingNanos = nanoClock.getAsLong();
      then(front.drain(), this::drained);
    }
  }

  private void drained() {
    drainedNanos = nanoClock.getAsLong();
    then(log.closeAsync(), this::end);
  }

  private void then(CompletableFuture<Void> step, Runnable next) {
    tasks.then(
        step,
        (done, failure) -> {
          if (!stopped) {
            next.run();
          }
        });
  }

  private void end() {
    stopped = true;
    LOG.info(
        "handed over after {} ms; ms since it began to: named its successor {}, takes no request"
            + " {}, log has its end {}",
        millis(nanoClock.getAsLong()),
        millis(namedNanos),
        millis(drainingNanos),
        millis(drainedNanos));
    over.run();
  }

  /** -1 for what did not happen. */
  private long millis(long nanos) {
    return nanos == 0 ? -1 : TimeUnit.NANOSECONDS.toMillis(nanos - sinceNanos);
  }

  /** The leader was deposed, or ends. */
  void stop() {
    stopped = true;
  }
}
