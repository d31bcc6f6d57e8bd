package io.retso.verify.clients;

import io.retso.verify.history.Isolation;
import java.util.Random;

/** How the transactions of a run are isolated. */
public enum RunIsolation {
  /** All as snapshot isolation promises. */
  SNAPSHOT(0),
  /** All are serializable. */
  SERIALIZABLE(1),
  /** Half of them are serializable. */
  MIXED(0.5);

  /** What the option of commands means. */
  public static final String PROMISES =
      "What transactions are promised: snapshot isolation, serializability, or each of them to one"
          + " half (mixed).";

  private static final Isolation[] READERS = {
    Isolation.RECENT, Isolation.DEFERRED, Isolation.LATEST
  };

  private final double serializable;

  RunIsolation(double serializable) {
    this.serializable = serializable;
  }

  /**
   * What the next transaction is promised.
   *
   * @param readOnly whether it says at once that it will not write
   */
  Isolation next(Random random, boolean readOnly) {
    if (random.nextDouble() >= serializable) {
      return Isolation.SNAPSHOT;
    }
    return readOnly ? READERS[random.nextInt(READERS.length)] : Isolation.SERIALIZABLE;
  }

  /** That of the reader that looks at everything in the end, and of clients that move tokens. */
  public Isolation ofOthers() {
    return this == SERIALIZABLE ? Isolation.SERIALIZABLE : Isolation.SNAPSHOT;
  }
}
