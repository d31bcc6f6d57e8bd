package io.retso.hbase.coprocessor.region;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

public class HorizonTest {
  private final AtomicLong sequence = new AtomicLong();
  private final BatchesInFlight batches = new BatchesInFlight();
  private final Horizon horizon = new Horizon(batches, sequence::get);

  @Test
  void refusesAtOnceAndIsActiveWhenEarlierBatchesAreOver() throws Exception {
    BatchesInFlight.Epoch early = batches.enter();
    horizon.refuse(160);
    assertEquals(160, horizon.refused());
    assertEquals(0, horizon.activate(1));
    BatchesInFlight.Epoch late = batches.enter();
    assertEquals(0, horizon.activate(1));
    early.leave();
    assertFalse(batches.drain(1), "the second call waits for what came between the two");
    late.leave();
    assertEquals(160, horizon.activate(1));
  }

  @Test
  void theOldestBatchIsWaitedForThoughLaterOnesAreOver() throws Exception {
    BatchesInFlight.Epoch oldest = batches.enter();
    assertFalse(batches.drain(1));
    BatchesInFlight.Epoch later = batches.enter();
    assertFalse(batches.drain(1));
    later.leave();
    assertFalse(batches.drain(1));
    oldest.leave();
    assertTrue(batches.drain(1));
  }

  /** Each of several flushes that come at once would wait for all before it. */
  @Test
  @Timeout(60)
  void whoWaitsForAnotherWaitsNoLongerThanForTheBatches() throws Exception {
    BatchesInFlight.Epoch batch = batches.enter();
    assertFalse(batches.drain(0)); // so that the end of the first wait can be seen from outside
    AtomicBoolean first = new AtomicBoolean();
    Thread flush =
        new Thread(
            () -> {
              try {
                first.set(batches.drain(20_000));
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    flush.start();
    while (flush.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    assertFalse(batches.drain(1));
    assertTrue(flush.isAlive(), "the first wait need not be over");
    batch.leave();
    flush.join();
    assertTrue(first.get());
    assertTrue(batches.drain(1));
  }

  @Test
  void neverGoesDown() throws Exception {
    horizon.refuse(320);
    horizon.activate(1);
    horizon.refuse(160);
    assertEquals(320, horizon.refused());
    assertEquals(320, horizon.activate(1));
  }

  @Test
  void tellsWhatWasActiveByASequenceNumber() throws Exception {
    for (int i = 1; i <= 3; i++) {
      sequence.set(10L * i);
      horizon.refuse(160L * i);
      horizon.activate(1);
    }
    assertEquals(0, horizon.activeBy(9));
    assertEquals(160, horizon.activeBy(10));
    assertEquals(320, horizon.activeBy(29));
    assertEquals(480, horizon.activeBy(1000));
    for (int i = 4; i < 500; i++) {
      sequence.set(10L * i);
      horizon.refuse(160L * i);
      horizon.activate(1);
    }
    assertEquals(0, horizon.activeBy(30), "old ones are forgotten, to the safe side");
    assertEquals(160L * 499, horizon.activeBy(10_000));
  }

  /** A batch that is waited for writes edits; those must not count as complete before. */
  @Test
  @Timeout(60)
  void whatIsWaitedForIsBelowTheSequenceNumber() throws Exception {
    BatchesInFlight.Epoch early = batches.enter();
    horizon.refuse(160);
    sequence.set(10);
    assertFalse(batches.drain(0)); // so that its end can be seen from outside
    Thread settling =
        new Thread(
            () -> {
              try {
                horizon.activate(60_000);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    settling.start();
    while (settling.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    sequence.set(20); // the edits of the batch
    early.leave();
    settling.join();
    assertEquals(160, horizon.active());
    assertEquals(0, horizon.activeBy(19));
    assertEquals(160, horizon.activeBy(20));
  }

  /** Otherwise a flush would not wait for it, as it looks at later epochs only. */
  @Test
  void aBatchThatWasHeldUpDoesNotEnterAnEpochThatIsDone() throws Exception {
    BatchesInFlight.Epoch epoch = batches.enter();
    assertFalse(batches.drain(0)); // begins another epoch
    assertFalse(batches.enter(epoch));
    epoch.leave();
    assertTrue(batches.drain(0));
    assertFalse(batches.enter(epoch));
    assertTrue(batches.drain(0), "nobody is left in an epoch that was refused");
  }

  /** A batch that found the horizon low must be over when the horizon is active. */
  @Test
  @Timeout(60)
  void noBatchThatMissedTheRefusalOutlivesTheActivation() throws Exception {
    AtomicLong admitted = new AtomicLong(Long.MAX_VALUE);
    AtomicBoolean wrong = new AtomicBoolean();
    AtomicBoolean stop = new AtomicBoolean();
    CountDownLatch running = new CountDownLatch(3);
    Thread[] writers = new Thread[3];
    for (int i = 0; i < writers.length; i++) {
      writers[i] =
          new Thread(
              () -> {
                running.countDown();
                while (!stop.get()) {
                  BatchesInFlight.Epoch epoch = batches.enter();
                  long seen = horizon.refused();
                  Thread.onSpinWait();
                  if (seen < horizon.active()) {
                    wrong.set(true);
                  }
                  admitted.accumulateAndGet(seen, Math::min);
                  epoch.leave();
                }
              });
      writers[i].start();
    }
    running.await();
    for (int i = 1; i <= 20_000; i++) {
      horizon.refuse(16L * i);
      assertEquals(16L * i, horizon.activate(10_000));
    }
    stop.set(true);
    for (Thread writer : writers) {
      writer.join();
    }
    assertFalse(wrong.get());
    assertTrue(admitted.get() < Long.MAX_VALUE);
  }
}
