package io.retso.verify.clients;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Makes threads end, and wakes those that pause. Thread-safe. */
public final class StopSignal {
  private final CountDownLatch latch = new CountDownLatch(1);

  boolean isSet() {
    return latch.getCount() == 0;
  }

  public void set() {
    latch.countDown();
  }

  /** Waits for the stop, but not longer than this; returns whether it is set. */
  public boolean await(long millis) {
    try {
      return latch.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      latch.countDown(); // an interrupt asks for the end
      return true;
    }
  }
}
