package io.retso.net;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * Measures the turns of an event loop: what it does between two waits, the handling of what was
 * readable and the tasks behind it. A client that comes at the worst moment waits for one turn.
 *
 * <p>It stands in front of the loop's own handler, which tells how long it handled; the tasks are
 * what lies between two of its runs. Four readings of the clock a turn. Of the event loop.
 */
final class TurnMeter implements IoHandler, IoHandlerContext {
  private final IoHandler handler;
  private final LongConsumer turns;
  private final LongSupplier nanoClock;

  /** The context of the run under way. */
  private IoHandlerContext context;

  private long handledNanos;

  /** When the last run ended; 0 before the first. */
  private long ranAt;

  private TurnMeter(IoHandler handler, LongSupplier nanoClock, LongConsumer turns) {
    this.handler = handler;
    this.nanoClock = nanoClock;
    this.turns = turns;
  }

  /**
   * Makes handlers that are measured.
   *
   * @param nanoClock monotonic time
   * @param turns hears how long each turn took, nanoseconds, on the event loop
   */
  static IoHandlerFactory measured(
      IoHandlerFactory factory, LongSupplier nanoClock, LongConsumer turns) {
    return new IoHandlerFactory() {
      @Override
      public IoHandler newHandler(ThreadAwareExecutor executor) {
        return new TurnMeter(factory.newHandler(executor), nanoClock, turns);
      }
    };
  }

  @Override
  public int run(IoHandlerContext now) {
    if (ranAt != 0) {
      turns.accept(handledNanos + nanoClock.getAsLong() - ranAt);
    }
    context = now;
    handledNanos = 0;
    int handled = handler.run(this);
    ranAt = nanoClock.getAsLong();
    return handled;
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
