package io.retso.bench.load;

import io.netty.channel.EventLoop;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Begins the transactions of an open loop when they are due: at instants of a fixed distance, the
 * connections taking turns. What cannot be begun in time, because the loop is late or {@link
 * LoadPlan#outstanding} is reached, is begun later and counts from the instant at which it was due:
 * a server that stalls does not hide its stall by stopping the load.
 *
 * <p>One thread that only wakes the event loop; the rest happens there.
 */
final class Pacer {
  private static final long STEP_NANOS_MIN = TimeUnit.MICROSECONDS.toNanos(250);

  private final EventLoop loop;
  private final LoadPlan plan;
  private final List<LoadConnection> connections;
  private final double perStep;
  private final double stepNanos;
  private final AtomicBoolean woken = new AtomicBoolean();
  private final Thread thread = new Thread(this::wake, "pacer");
  private volatile boolean stopped;

  // Touched by the loop only, except that start() sets it before.
  private long begin;
  private long step;

  Pacer(EventLoop loop, LoadPlan plan, List<LoadConnection> connections) {
    this.loop = loop;
    this.plan = plan;
    this.connections = connections;
    stepNanos = Math.max(STEP_NANOS_MIN, 1e9 / plan.ratePerSecond());
    perStep = plan.ratePerSecond() * stepNanos / 1e9;
    thread.setDaemon(true);
  }

  void start() {
    begin = System.nanoTime();
    thread.start();
  }

  void stop() {
    stopped = true;
    LockSupport.unpark(thread);
  }

  private void wake() {
    for (long i = 0; !stopped; i++) {
      long due = begin + (long) (i * stepNanos);
      long wait = due - System.nanoTime();
      while (wait > 0 && !stopped) {
        LockSupport.parkNanos(wait);
        wait = due - System.nanoTime();
      }
      if (!stopped && woken.compareAndSet(false, true)) {
        loop.execute(this::beginDue);
      }
    }
  }

  private void beginDue() {
    woken.set(false);
    long now = System.nanoTime();
    long first = step;
    while (!stopped) {
      long due = begin + (long) (step * stepNanos);
      LoadConnection connection = connections.get((int) (step % connections.size()));
      int count = (int) ((long) ((step + 1) * perStep) - (long) (step * perStep));
      boolean full =
          connection.outstanding() > 0 && connection.outstanding() + count > plan.outstanding();
      if (due > now || full) {
        break;
      }
      if (count > 0) {
        connection.begin(count, due);
      }
      step++;
    }
    int size = connections.size();
    for (long i = first; i < step && i < first + size; i++) { // the others have nothing to send
      connections.get((int) (i % size)).endOfBurst();
    }
  }
}
