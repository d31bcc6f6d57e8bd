package io.retso.hbase.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.retso.hbase.metrics.Timings.Step;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The lines of slow transactions, in time that a test makes. */
class SlowLinesTest {
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final AtomicLong now = new AtomicLong(-5);
  private final SlowTransactions slow = new SlowTransactions(Duration.ofMillis(100), now::get);
  private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

  private void ended(long millis, Timings timings) {
    Logger logger = (Logger) LoggerFactory.getLogger(SlowTransactions.LOGGER);
    logged.start();
    logger.addAppender(logged);
    logger.setAdditive(false);
    try {
      slow.ended("transaction 16", "", ManagerMeters.Outcome.READ, millis * MILLI, timings, "");
    } finally {
      logger.detachAppender(logged);
      logger.setAdditive(true);
    }
  }

  private String last() {
    return logged.list.get(logged.list.size() - 1).getFormattedMessage();
  }

  @Test
  void theBeginCountsAndEachStepIsShown() {
    Timings timings = Timings.measured();
    ended(99, timings);
    assertEquals(0, logged.list.size());
    timings.add(Step.BEGIN, MILLI);
    timings.add(Step.READ, 2 * MILLI);
    timings.add(Step.WRITE, 3 * MILLI);
    timings.add(Step.COMMIT, 4_000 * MILLI);
    timings.attempt(7);
    ended(99, timings);
    assertEquals(
        "transaction 16 took 100 ms, attempt 7, read: begin 1 ms, reads 2 ms, writes 3 ms,"
            + " commit 4,000 ms",
        last());
  }

  @Test
  void thereAreFewLinesASecondAndWhatIsLeftOutIsCounted() {
    for (int i = 0; i < 25; i++) {
      ended(100, Timings.NONE);
    }
    assertEquals(SlowTransactions.LINES_PER_SECOND, logged.list.size());
    now.addAndGet(1_000 * MILLI);
    ended(100, Timings.NONE);
    assertTrue(last().endsWith("; 15 more were slow, and are not logged"), this::last);
    ended(100, Timings.NONE);
    assertTrue(last().endsWith("commit 0 ms"), this::last);
  }

  @Test
  void othersAreNotMeasured() {
    Timings.NONE.add(Step.READ, 1);
    Timings.NONE.attempt(2);
    assertEquals(0, Timings.NONE.nanos(Step.READ));
    assertEquals(1, Timings.NONE.attempt());
  }
}
