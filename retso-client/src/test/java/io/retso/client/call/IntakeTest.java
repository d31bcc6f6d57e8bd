package io.retso.client.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.call.Intake.Admission;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class IntakeTest {
  @Test
  void firstOfABurstWakesTheOthersDoNot() {
    Intake<Integer> intake = new Intake<>(10);
    assertEquals(Admission.WAKE, intake.offer(1, true));
    assertEquals(Admission.QUEUED, intake.offer(2, true));
    List<Integer> drained = new ArrayList<>();
    intake.drainTo(drained::add);
    assertEquals(List.of(1, 2), drained);
    assertEquals(Admission.WAKE, intake.offer(3, true));
  }

  @Test
  void whatIsInNoHurryWakesNobodyAndGoesWithWhatDoes() {
    Intake<Integer> intake = new Intake<>(10);
    List<Integer> drained = new ArrayList<>();
    assertEquals(Admission.LINGER, intake.offer(1, false));
    assertEquals(Admission.QUEUED, intake.offer(2, false));
    assertEquals(Admission.WAKE, intake.offer(3, true));
    assertEquals(Admission.QUEUED, intake.offer(4, false));
    intake.drainTo(drained::add);
    assertEquals(List.of(1, 2, 3, 4), drained);
    assertEquals(Admission.QUEUED, intake.offer(5, false), "the lingering drain is yet to come");
    intake.linger(drained::add);
    assertEquals(List.of(1, 2, 3, 4, 5), drained);
    assertEquals(Admission.LINGER, intake.offer(6, false));
  }

  @Test
  void limitCountsUntilReleaseNotUntilDrain() {
    Intake<Integer> intake = new Intake<>(3);
    for (int i = 0; i < 3; i++) {
      intake.offer(i, true);
    }
    assertEquals(Admission.FULL, intake.offer(3, true));
    intake.drainTo(i -> {});
    assertEquals(Admission.FULL, intake.offer(3, true));
    intake.release(2);
    assertEquals(Admission.WAKE, intake.offer(3, true));
    assertEquals(2, intake.outstanding());
  }

  @Test
  void closedIntakeRefuses() {
    Intake<Integer> intake = new Intake<>(1);
    intake.offer(1, true);
    assertTrue(intake.close());
    assertFalse(intake.close());
    assertEquals(Admission.CLOSED, intake.offer(2, true));
    assertEquals(1, intake.outstanding());
  }

  /**
   * The consumer drains only when it was woken. A lost wake-up leaves elements in the queue for
   * ever and the test runs into its time-out.
   */
  @Test
  void noWakeUpIsLostUnderStress() throws Exception {
    int producers = 4;
    int perProducer = 200_000;
    Intake<Integer> intake = new Intake<>(64);
    Semaphore wakes = new Semaphore(0);
    AtomicInteger refused = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int p = 0; p < producers; p++) {
      threads.add(
          new Thread(
              () -> {
                for (int i = 0; i < perProducer; ) {
                  Admission admission = intake.offer(i, true);
                  if (admission == Admission.FULL) {
                    refused.incrementAndGet();
                    Thread.yield();
                    continue;
                  }
                  i++;
                  if (admission == Admission.WAKE) {
                    wakes.release();
                  }
                }
              }));
    }
    threads.forEach(Thread::start);
    int[] received = {0};
    while (received[0] < producers * perProducer) {
      assertTrue(wakes.tryAcquire(30, TimeUnit.SECONDS), () -> "no wake-up after " + received[0]);
      int before = received[0];
      intake.drainTo(i -> received[0]++);
      assertTrue(intake.outstanding() <= 64);
      intake.release(received[0] - before);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(0, intake.outstanding());
  }

  /**
   * There are pauses: between rounds no thread offers, so that no later offer mends a lost wake-up.
   */
  @Test
  void lastOfABurstIsNotForgotten() throws Exception {
    int producers = 2;
    int rounds = 2_000;
    Intake<Integer> intake = new Intake<>(64);
    Semaphore wakes = new Semaphore(0);
    AtomicInteger round = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int p = 0; p < producers; p++) {
      threads.add(
          new Thread(
              () -> {
                for (int i = 1; i <= rounds; i++) {
                  while (round.get() < i) {
                    Thread.yield();
                  }
                  if (intake.offer(i, true) == Admission.WAKE) {
                    wakes.release();
                  }
                }
              }));
    }
    threads.forEach(Thread::start);
    for (int i = 1; i <= rounds; i++) {
      round.set(i);
      int[] received = {0};
      while (received[0] < producers) {
        assertTrue(wakes.tryAcquire(30, TimeUnit.SECONDS), "a wake-up was lost");
        int before = received[0];
        intake.drainTo(element -> received[0]++);
        intake.release(received[0] - before);
      }
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(0, intake.outstanding());
  }

  /** After close, the consumer drains until nothing is outstanding; nothing comes later. */
  @Test
  void nothingSlipsInBehindTheClose() throws Exception {
    for (int round = 0; round < 300; round++) {
      Intake<Integer> intake = new Intake<>(1000);
      AtomicInteger admitted = new AtomicInteger();
      AtomicReference<Admission> last = new AtomicReference<>();
      Thread producer =
          new Thread(
              () -> {
                Admission admission;
                while ((admission = intake.offer(1, true)) != Admission.CLOSED) {
                  if (admission != Admission.FULL) {
                    admitted.incrementAndGet();
                  }
                }
                last.set(admission);
              });
      producer.start();
      int[] drained = {0};
      while (drained[0] < 50) {
        int before = drained[0];
        intake.drainTo(i -> drained[0]++);
        intake.release(drained[0] - before);
      }
      intake.close();
      while (intake.outstanding() > 0) {
        int before = drained[0];
        intake.drainTo(i -> drained[0]++);
        intake.release(drained[0] - before);
      }
      producer.join();
      assertEquals(admitted.get(), drained[0]);
      assertEquals(Admission.CLOSED, last.get());
    }
  }
}
