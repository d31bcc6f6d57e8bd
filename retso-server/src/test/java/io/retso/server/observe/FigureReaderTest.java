package io.retso.server.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class FigureReaderTest {
  private static final long SECOND = 1_000_000_000L;

  private final AtomicLong clock = new AtomicLong(1_000 * SECOND);
  private final AtomicLong begins = new AtomicLong();

  private void fill(Figures figures) {
    figures.oracle.begins = begins.incrementAndGet();
  }

  private final FigureReader reader = new FigureReader(Runnable::run, this::fill, clock::get);

  @Test
  void youngFiguresAreUsedAgainAndOldOnesAreNot() {
    reader.sample();
    Figures first = reader.read();
    clock.addAndGet(SECOND / 20);
    assertSame(first, reader.read());
    clock.addAndGet(SECOND);
    assertEquals(2, reader.read().oracle.begins);
  }

  @Test
  void ratesReachBackTenSeconds() {
    for (int second = 0; second < 60; second++) {
      reader.sample();
      clock.addAndGet(SECOND);
    }
    Figures now = reader.read();
    assertEquals(10 * SECOND, now.nanos - reader.before().nanos, 1.5 * SECOND);
  }

  @Test
  void anOwnerThatDoesNotAnswerIsAskedOnceAndSeenToBeSilent() {
    Queue<Runnable> tasks = new ArrayDeque<>();
    FigureReader stuck = new FigureReader(tasks::add, this::fill, clock::get);
    Figures old = stuck.read();
    clock.addAndGet(7 * SECOND);
    assertSame(old, stuck.read());
    assertEquals(1, tasks.size());
    assertEquals(7 * SECOND, stuck.silentNanos());
    Health health = new Health();
    health.serving();
    assertFalse(health.judge(old, stuck.silentNanos()).serving());

    tasks.remove().run();
    assertEquals(1, stuck.read().oracle.begins);
    assertEquals(0, stuck.silentNanos());
    assertTrue(health.judge(old, stuck.silentNanos()).serving());
  }

  @Test
  void anOwnerThatHasEndedLeavesTheLastFigures() {
    FigureReader ended =
        new FigureReader(
            task -> {
              throw new RejectedExecutionException();
            },
            this::fill,
            clock::get);
    assertSame(ended.read(), ended.read());
    assertEquals(0, ended.silentNanos());
  }

  @Test
  void aCopyThatFailsIsReportedAndTriedAgain() {
    AtomicLong tries = new AtomicLong();
    FigureReader failing =
        new FigureReader(
            Runnable::run,
            figures -> {
              if (tries.incrementAndGet() == 1) {
                throw new IllegalStateException("first try");
              }
            },
            clock::get);
    assertThrows(IllegalStateException.class, failing::read);
    failing.read();
    assertEquals(2, tries.get());
  }
}
