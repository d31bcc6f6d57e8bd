package io.retso.hbase.coprocessor.write;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/**
 * Repeats a pass over all rows that are left to be cleaned up, until there are none. What fails is
 * tried again: rows that somebody else is cleaning up, a memory that is full until it is flushed.
 * If a region could not close for such a reason, HBase would stop its server.
 *
 * <p>Bounded by the time in which no pass had any success. Stateless.
 */
final class Passes {
  /** Between two passes without success. */
  private static final long PAUSE_MILLIS = 20;

  private Passes() {}

  /** How far a pass has come. */
  enum Result {
    /** There was nothing left. */
    DONE,

    /** Something was cleaned up. */
    SOME,

    /** There was something, and nothing was cleaned up. */
    NOTHING
  }

  /** One pass over all rows that are left. */
  interface Pass {
    Result run() throws IOException;
  }

  /**
   * Runs passes until nothing is left.
   *
   * @param millis for which no pass may have any success
   * @throws IOException if none had for that long; its cause is why the last one failed
   */
  static void repeat(Pass pass, long millis) throws IOException {
    IOException last = null;
    long begun = System.nanoTime();
    while (true) {
      Result result = Result.NOTHING;
      try {
        result = pass.run();
      } catch (InterruptedIOException e) {
        throw e;
      } catch (IOException e) {
        last = e;
      }
      if (result == Result.DONE) {
        return;
      }
      if (result == Result.SOME) {
        begun = System.nanoTime();
      } else if (TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun) >= millis) {
        throw new IOException(
            "for " + millis + " ms no row of an adopted transaction could be cleaned up", last);
      } else {
        pause();
      }
    }
  }

  private static void pause() throws InterruptedIOException {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while rows were to be cleaned up");
    }
  }
}
