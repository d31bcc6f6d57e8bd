package io.retso.bench.load;

import io.netty.channel.EventLoop;
import io.retso.protocol.Handshake;
import io.retso.protocol.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;

/**
 * The course of one run: connect, warm up, measure, let everything end. All methods are called on
 * the event loop, except those of {@link Progress}.
 */
final class LoadRun implements Progress {
  private static final long DRAIN_SECONDS_MAX = 30;
  private static final long NANOS_MAX = TimeUnit.HOURS.toNanos(1);

  private enum Phase {
    CONNECTING,
    WARMING_UP,
    MEASURING,
    DRAINING,
    OVER
  }

  private final EventLoop loop;
  private final LoadPlan plan;
  private final List<LoadConnection> connections = new ArrayList<>();
  private final CompletableFuture<Void> measuring = new CompletableFuture<>();
  private final CompletableFuture<Void> measured = new CompletableFuture<>();
  private final CompletableFuture<LoadResult> result = new CompletableFuture<>();

  private final Histogram transactionNanos = new Histogram(NANOS_MAX, 3);
  private final Histogram beginNanos = new Histogram(NANOS_MAX, 3);
  private final Histogram commitNanos = new Histogram(NANOS_MAX, 3);

  private Phase phase = Phase.CONNECTING;
  private int welcomes;
  private long began;
  private double seconds;
  private long completed;
  private long notCommitted;
  private long conflicts;
  private long tooOld;
  private long refused;

  // Sums of the whole run, for a user that watches it.
  private long completedEver;
  private long nanosEver;
  private final AtomicLong completedSeen = new AtomicLong();
  private final AtomicLong nanosSeen = new AtomicLong();

  private Pacer pacer;

  LoadRun(EventLoop loop, LoadPlan plan) {
    this.loop = loop;
    this.plan = plan;
    for (int i = 0; i < plan.clients(); i++) {
      connections.add(new LoadConnection(this, plan, i));
    }
  }

  List<LoadConnection> connections() {
    return connections;
  }

  @Override
  public CompletableFuture<Void> measuring() {
    return measuring;
  }

  @Override
  public CompletableFuture<Void> measured() {
    return measured;
  }

  @Override
  public CompletableFuture<LoadResult> result() {
    return result;
  }

  @Override
  public long completed() {
    return completedSeen.get();
  }

  @Override
  public long latencyNanosTotal() {
    return nanosSeen.get();
  }

  /** Whether transactions are still begun. */
  boolean goesOn() {
    return phase == Phase.WARMING_UP || phase == Phase.MEASURING;
  }

  /** A connection is ready; when all are, the load begins. */
  void welcomed() {
    if (++welcomes < plan.clients() || phase != Phase.CONNECTING) {
      return;
    }
    phase = Phase.WARMING_UP;
    loop.schedule(this::measure, plan.warmUp().toNanos(), TimeUnit.NANOSECONDS);
    if (plan.isOpenLoop()) {
      pacer = new Pacer(loop, plan, connections);
      pacer.start();
    } else {
      connections.forEach(connection -> connection.start(plan.outstanding()));
    }
  }

  private void measure() {
    if (phase != Phase.WARMING_UP) {
      return;
    }
    phase = Phase.MEASURING;
    began = System.nanoTime();
    measuring.complete(null);
    loop.schedule(this::finish, plan.measured().toNanos(), TimeUnit.NANOSECONDS);
  }

  private void finish() {
    if (phase != Phase.MEASURING) {
      return;
    }
    seconds = (System.nanoTime() - began) / 1e9;
    phase = Phase.DRAINING;
    if (pacer != null) {
      pacer.stop();
    }
    measured.complete(null);
    connections.forEach(LoadConnection::endOfBurst);
    loop.schedule(
        () ->
            fail(
                "the server did not answer everything within "
                    + DRAIN_SECONDS_MAX
                    + " s after the load had ended; its log may hang: see the server's log",
                null),
        DRAIN_SECONDS_MAX,
        TimeUnit.SECONDS);
  }

  void begun(int count, long nanos) {
    if (phase == Phase.MEASURING) {
      beginNanos.recordValueWithCount(clamp(nanos), count);
    }
  }

  void completedBegins(int count) {
    completedEver += count;
    if (phase == Phase.MEASURING) {
      completed += count;
    }
  }

  void decided(int count, long sinceBegin, long sinceCommit) {
    completedEver += count;
    nanosEver += count * sinceBegin;
    if (phase == Phase.MEASURING) {
      completed += count;
      transactionNanos.recordValueWithCount(clamp(sinceBegin), count);
      commitNanos.recordValueWithCount(clamp(sinceCommit), count);
    }
  }

  private static long clamp(long nanos) {
    return Math.max(0, Math.min(nanos, NANOS_MAX));
  }

  /** One of the transactions decided last did not commit. */
  void notCommitted(long outcome) {
    boolean counts = phase == Phase.MEASURING;
    if (outcome == Outcome.ABORTED_CONFLICT || isUncertified(outcome)) {
      conflicts += counts ? 1 : 0;
    } else if (outcome == Outcome.ABORTED_TOO_OLD) {
      tooOld += counts ? 1 : 0;
    } else if (Outcome.isRefused(outcome)) {
      refused += counts ? 1 : 0;
    } else {
      fail("a commit was answered with " + Outcome.nameOf(outcome) + ", which is a defect", null);
    }
    notCommitted += counts ? 1 : 0;
  }

  private static boolean isUncertified(long outcome) {
    return outcome == Outcome.ABORTED_PIVOT
        || outcome == Outcome.ABORTED_READ_ONLY
        || outcome == Outcome.ABORTED_UNKNOWN_SUCCESSOR;
  }

  void endOfBurst(LoadConnection connection) {
    completedSeen.lazySet(completedEver);
    nanosSeen.lazySet(nanosEver);
    if (phase == Phase.DRAINING && connection.isQuiet()) {
      finishDraining();
    }
  }

  private void finishDraining() {
    for (LoadConnection connection : connections) {
      if (!connection.isQuiet()) {
        return;
      }
    }
    phase = Phase.OVER;
    boolean begins = plan.work() == LoadPlan.Work.BEGINS;
    result.complete(
        new LoadResult(
            seconds,
            completed,
            begins ? 0 : completed - notCommitted,
            conflicts,
            tooOld,
            refused,
            transactionNanos,
            beginNanos,
            commitNanos));
  }

  void closed(LoadConnection connection) {
    fail(
        "the server closed the connection"
            + (plan.mode() == Handshake.Mode.ECHO ? " (echo)" : "")
            + "; its log says why",
        null);
  }

  void fail(String message, Throwable cause) {
    if (phase == Phase.OVER) {
      return;
    }
    phase = Phase.OVER;
    if (pacer != null) {
      pacer.stop();
    }
    LoadException failure = new LoadException(message, cause);
    measuring.completeExceptionally(failure);
    measured.completeExceptionally(failure);
    result.completeExceptionally(failure);
  }
}
