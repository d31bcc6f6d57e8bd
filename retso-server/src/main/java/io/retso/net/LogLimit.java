package io.retso.net;

import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Bounds the lines that clients can cause in the log: {@value #LINES_PER_SECOND} a second. Lines
 * that were left out are counted, and their number is logged with the next one. A client that comes
 * again all the time would otherwise fill the disk. Of the event loop.
 */
final class LogLimit {
  static final int LINES_PER_SECOND = 10;

  private static final long SECOND_NANOS = 1_000_000_000;

  private final LongSupplier nanoClock;
  private final Logger log;
  private long second;
  private int lines;
  private long leftOut;

  LogLimit(LongSupplier nanoClock, Logger log) {
    this.nanoClock = nanoClock;
    this.log = log;
    second = nanoClock.getAsLong();
  }

  /** Whether a line may be logged now; if so, it is. */
  boolean admits() {
    long now = nanoClock.getAsLong();
    if (now - second >= SECOND_NANOS) {
      second = now;
      lines = 0;
    }
    if (lines == LINES_PER_SECOND) {
      leftOut++;
      return false;
    }
    lines++;
    if (leftOut > 0) {
      log.info("{} lines about clients were left out", leftOut);
      leftOut = 0;
    }
    return true;
  }

  /** Lines that were left out since the last one. */
  long leftOut() {
    return leftOut;
  }
}
