package io.retso.client.call;

import io.retso.client.call.Intake.Admission;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;
import org.junit.jupiter.api.Test;

/**
 * The contract of {@link Intake} over all interleavings that Lincheck explores: when everybody is
 * done, whatever is still queued has a wake-up or a lingering drain on its way, and nothing was
 * lost or doubled.
 */
public class IntakeLincheckTest {
  private static final int LIMIT = 3;

  private final Intake<Integer> intake = new Intake<>(LIMIT);

  /** Wake-ups that were asked for and not yet served. */
  private final AtomicInteger wakes = new AtomicInteger();

  /** Drains for elements in no hurry, likewise. */
  private final AtomicInteger lingers = new AtomicInteger();

  private final AtomicInteger admitted = new AtomicInteger();
  private final AtomicInteger drained = new AtomicInteger();

  /** A caller. */
  @Operation
  public void offer() {
    offer(true);
  }

  /** A caller in no hurry. */
  @Operation
  public void offerLater() {
    offer(false);
  }

  private void offer(boolean urgent) {
    Admission admission = intake.offer(1, urgent);
    if (admission != Admission.FULL) {
      admitted.incrementAndGet();
    }
    if (admission == Admission.WAKE) {
      wakes.incrementAndGet();
    }
    if (admission == Admission.LINGER) {
      lingers.incrementAndGet();
    }
  }

  /** The event loop: drains only if it was woken. */
  @Operation(nonParallelGroup = "consumer")
  public void serve() {
    if (wakes.get() > 0) {
      wakes.decrementAndGet();
      int before = drained.get();
      intake.drainTo(element -> drained.incrementAndGet());
      intake.release(drained.get() - before);
    }
  }

  /** The event loop, when it has lingered. */
  @Operation(nonParallelGroup = "consumer")
  public void linger() {
    if (lingers.get() > 0) {
      lingers.decrementAndGet();
      int before = drained.get();
      intake.linger(element -> drained.incrementAndGet());
      intake.release(drained.get() - before);
    }
  }

  /** Holds when no operation runs. */
  @Validate
  public void nothingIsForgotten() {
    int queued = admitted.get() - drained.get();
    if (queued != intake.outstanding() || queued < 0 || queued > LIMIT) {
      throw new AssertionError(queued + " queued, " + intake.outstanding() + " outstanding");
    }
    if (queued > 0 && wakes.get() + lingers.get() == 0) {
      throw new AssertionError("lost wake-up: " + queued + " queued and nobody will look");
    }
    if (wakes.get() > 1 || lingers.get() > 1) {
      throw new AssertionError(wakes.get() + " wake-ups, " + lingers.get() + " lingers");
    }
  }

  // No actors behind the parallel part: the next offer would mend a lost wake-up and hide it.

  @Test
  void noWakeUpIsLostInAnyInterleaving() {
    new ModelCheckingOptions()
        .iterations(20)
        .invocationsPerIteration(500)
        .threads(2)
        .actorsBefore(1)
        .actorsPerThread(2)
        .actorsAfter(0)
        .verifier(EpsilonVerifier.class)
        .check(getClass());
  }

  @Test
  void noWakeUpIsLostUnderLincheckStress() {
    new StressOptions()
        .iterations(10)
        .invocationsPerIteration(3_000)
        .threads(3)
        .actorsBefore(1)
        .actorsPerThread(2)
        .actorsAfter(0)
        .verifier(EpsilonVerifier.class)
        .check(getClass());
  }
}
