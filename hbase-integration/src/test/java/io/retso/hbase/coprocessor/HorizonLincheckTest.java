package io.retso.hbase.coprocessor;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;
import org.junit.jupiter.api.Test;

/**
 * The contract of {@link Horizon} and {@link BatchesInFlight} over the interleavings that Lincheck
 * explores: what a batch saw of the horizon holds until it is over, that is, nothing above it is
 * settled.
 */
public class HorizonLincheckTest {
  private final BatchesInFlight batches = new BatchesInFlight();
  private final Horizon horizon = new Horizon(batches, () -> 0);
  private volatile boolean broken;

  // Of the writer whose batches last longer than one step.
  private BatchesInFlight.Epoch epoch;
  private long seen;

  /** A batch from its beginning to its end. */
  @Operation
  public void batch() {
    BatchesInFlight.Epoch entered = batches.enter();
    long refused = horizon.refused();
    broken |= horizon.settled() > refused;
    entered.leave();
  }

  /** A batch begins, or the one that began before ends. */
  @Operation(nonParallelGroup = "slow")
  public void slowBatch() {
    if (epoch == null) {
      epoch = batches.enter();
      seen = horizon.refused();
    } else {
      broken |= horizon.settled() > seen;
      epoch.leave();
      epoch = null;
    }
  }

  /** A flush, which does not wait. */
  @Operation(nonParallelGroup = "slow")
  public void raise() throws InterruptedException {
    horizon.refuse(horizon.refused() + 16);
    horizon.settle(0);
  }

  /** Holds when no operation runs. */
  @Validate
  public void nothingAboveWhatABatchSawWasSettled() {
    if (broken) {
      throw new AssertionError("settled above what a batch in flight had seen");
    }
  }

  @Test
  void noBatchThatMissedTheRefusalOutlivesTheSettling() {
    new ModelCheckingOptions()
        .iterations(60)
        .invocationsPerIteration(300)
        .threads(2)
        .actorsBefore(1)
        .actorsPerThread(4)
        .actorsAfter(0)
        .verifier(EpsilonVerifier.class)
        .check(getClass());
  }
}
