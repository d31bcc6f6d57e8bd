package io.retso.log;

import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Carries acknowledgements from the threads of the log's client to the writer's thread: many
 * acknowledgements, one wake-up.
 *
 * <p>Invariant: after {@link #durable} or {@link #failed} returns, either a task that will see its
 * news is queued at the executor, or a task has seen them. A failure wins: nothing is reported
 * durable after it. Thread-safe; positions are reported in growing order by one thread at a time.
 */
final class DurableSignal {
  private final Executor writer;
  private final CommitLog.Listener listener;
  private final Runnable deliver = this::deliver;

  private final AtomicLong durable = new AtomicLong();
  private final AtomicReference<LogException> failure = new AtomicReference<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();

  // Touched by the writer's thread only.
  private long delivered;
  private boolean failed;

  DurableSignal(Executor writer, CommitLog.Listener listener) {
    this.writer = writer;
    this.listener = listener;
  }

  void durable(long position) {
    assert position >= durable.get() : position + " comes behind " + durable;
    if (failure.get() == null) {
      durable.set(position);
      schedule();
    }
  }

  void failed(LogException cause) {
    if (failure.compareAndSet(null, cause)) {
      schedule();
    }
  }

  private void schedule() {
    if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
      writer.execute(deliver);
    }
  }

  private void deliver() {
    // Cleared first: news that come from here on schedule another delivery.
    scheduled.set(false);
    if (failed) {
      return;
    }
    long position = durable.get();
    if (position > delivered) {
      delivered = position;
      listener.durable(position);
    }
    LogException cause = failure.get();
    if (cause != null) {
      failed = true;
      listener.failed(cause);
    }
  }
}
