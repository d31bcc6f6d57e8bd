package io.retso.net;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TurnMeterTest {
  private static final long BUSY_NANOS = 20_000_000;
  private static final long IDLE_NANOS = 500_000_000;

  private final AtomicLong busy = new AtomicLong();

  @Test
  void workCountsAndWaitingDoesNot() throws Exception {
    CountDownLatch longTurn = new CountDownLatch(1);
    MultiThreadIoEventLoopGroup group =
        new MultiThreadIoEventLoopGroup(
            1,
            TurnMeter.measured(
                NioIoHandler.newFactory(),
                System::nanoTime,
                nanos -> {
                  busy.addAndGet(nanos);
                  if (nanos >= BUSY_NANOS) {
                    longTurn.countDown();
                  }
                }));
    try {
      EventLoop loop = (EventLoop) group.next();
      long before = System.nanoTime();
      loop.schedule(() -> {}, IDLE_NANOS, TimeUnit.NANOSECONDS).get();
      long idle = System.nanoTime() - before;
      assertTrue(busy.get() < idle / 2, busy + " of " + idle + " ns");
      loop.execute(TurnMeterTest::work);
      longTurn.await();
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
  }

  private static void work() {
    long end = System.nanoTime() + BUSY_NANOS;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }
}
