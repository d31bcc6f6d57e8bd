package io.retso.net;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.retso.client.sockets.Sockets;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TurnMeterTest {
  private static final long BUSY_NANOS = 20_000_000;
  private static final long IDLE_NANOS = 500_000_000;

  private final AtomicLong busy = new AtomicLong();
  private final CountDownLatch longTurn = new CountDownLatch(1);
  private final AtomicLong longTurnCpu = new AtomicLong();
  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1,
          TurnMeter.measured(
              Sockets.handlers(),
              new TurnMeter.Clocks(System::nanoTime, TurnMeterTest::cpuNanos),
              this::over));

  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  private void over(long nanos, long cpuNanos) {
    assertTrue(cpuNanos <= nanos, cpuNanos + " of " + nanos + " ns");
    busy.addAndGet(nanos);
    if (nanos >= BUSY_NANOS) {
      longTurnCpu.set(cpuNanos);
      longTurn.countDown();
    }
  }

  @AfterEach
  void close() throws InterruptedException {
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
  }

  @Test
  void workCountsAndWaitingDoesNot() throws Exception {
    EventLoop loop = (EventLoop) group.next();
    long before = System.nanoTime();
    loop.schedule(() -> {}, IDLE_NANOS, TimeUnit.NANOSECONDS).get();
    long idle = System.nanoTime() - before;
    assertTrue(busy.get() < idle / 2, busy + " of " + idle + " ns");
    loop.execute(TurnMeterTest::work);
    longTurn.await();
    assertTrue(longTurnCpu.get() >= BUSY_NANOS, longTurnCpu + " ns");
  }

  /** The thread that was held up worked little. */
  @Test
  void whatTheThreadDidNotWorkIsNoProcessorTime() throws Exception {
    EventLoop loop = (EventLoop) group.next();
    loop.execute(() -> LockSupport.parkNanos(10 * BUSY_NANOS));
    longTurn.await();
    assertTrue(longTurnCpu.get() < BUSY_NANOS, longTurnCpu + " ns");
  }

  /** Works for so much processor time. */
  private static void work() {
    long end = cpuNanos() + BUSY_NANOS;
    while (cpuNanos() < end) {
      Thread.onSpinWait();
    }
  }
}
