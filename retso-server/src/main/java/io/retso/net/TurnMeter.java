package io.retso.net;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.function.LongSupplier;

/**
 * Measures the turns of an event loop: what it does between two waits, the handling of what was
 * readable and the tasks behind it. A client that comes at the worst moment waits for one turn.
 *
 * <p>It stands in front of the loop's own handler, which reports how long it handled; the tasks are
 * what lies between two of its runs. Four readings of the clock a turn.
 *
 * <p>A turn may also be long because the thread got no processor, so its processor time is measured
 * beside it. That clock costs a system call: it is read after a long turn, and once in {@link
 * #CPU_NANOS} otherwise, so what is reported for a long turn may include as much of earlier ones.
 *
 * <p>Of the event loop.
 */
final class TurnMeter implements IoHandler, IoHandlerContext {
  /** The processor time of turns that took no longer is not measured: it is at most that. */
  static final long CPU_NANOS = 1_000_000;

  /** Hears of turns. */
  @FunctionalInterface
  interface Turns {
    /**
     * A turn is over, and the next one begins.
     *
     * @param nanos that it took
     * @param cpuNanos at most this much was processor time of the thread
     */
    void over(long nanos, long cpuNanos);
  }

  /**
   * Clocks in nanoseconds.
   *
   * @param time monotonic
   * @param cpu processor time of the calling thread
   */
  record Clocks(LongSupplier time, LongSupplier cpu) {}

  private final IoHandler handler;
  private final Turns turns;
  private final Clocks clocks;

  /** The context of the run under way. */
  private IoHandlerContext context;

  private long handledNanos;

  /** When the last run ended; 0 before the first. */
  private long ranAt;

  /** When the thread's processor time was read last, and what it was. */
  private long cpuReadAt;

  private long cpuRead;

  private TurnMeter(IoHandler handler, Clocks clocks, Turns turns) {
    this.handler = handler;
    this.clocks = clocks;
    this.turns = turns;
  }

  /**
   * Makes handlers that are measured.
   *
   * @param turns hears of each turn on the event loop
   */
  static IoHandlerFactory measured(IoHandlerFactory factory, Clocks clocks, Turns turns) {
    return new IoHandlerFactory() {
      @Override
      public IoHandler newHandler(ThreadAwareExecutor executor) {
        return new TurnMeter(factory.newHandler(executor), clocks, turns);
      }
    };
  }

  @Override
  public int run(IoHandlerContext now) {
    if (ranAt != 0) {
      long time = clocks.time.getAsLong();
      long nanos = handledNanos + time - ranAt;
      turns.over(nanos, cpuNanos(nanos, time));
    }
    context = now;
    handledNanos = 0;
    int handled = handler.run(this);
    ranAt = clocks.time.getAsLong();
    return handled;
  }

  private long cpuNanos(long nanos, long time) {
    if (nanos <= CPU_NANOS && time - cpuReadAt <= CPU_NANOS) {
      return nanos;
    }
    long before = cpuRead;
    cpuRead = clocks.cpu.getAsLong();
    cpuReadAt = time;
    return Math.min(nanos, cpuRead - before);
  }

  @Override
  public void initialize() {
    handler.initialize();
  }

  @Override
  public void prepareToDestroy() {
    handler.prepareToDestroy();
  }

  @Override
  public void destroy() {
    handler.destroy();
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    return handler.register(handle);
  }

  @Override
  public void wakeup() {
    handler.wakeup();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return handler.isCompatible(handleType);
  }

  @Override
  public boolean canBlock() {
    return context.canBlock();
  }

  @Override
  public long delayNanos(long currentTimeNanos) {
    return context.delayNanos(currentTimeNanos);
  }

  @Override
  public long deadlineNanos() {
    return context.deadlineNanos();
  }

  @Override
  public boolean shouldReportActiveIoTime() {
    return true;
  }

  @Override
  public void reportActiveIoTime(long activeNanos) {
    handledNanos = activeNanos;
    if (context.shouldReportActiveIoTime()) {
      context.reportActiveIoTime(activeNanos);
    }
  }
}
