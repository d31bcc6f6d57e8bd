package io.retso.log;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;
import org.junit.jupiter.api.Test;

/**
 * The contract of {@link DurableSignal} over the interleavings that Lincheck explores: news that
 * were reported are seen, or a task that will see them is queued; nothing is durable behind a
 * failure.
 */
public class DurableSignalLincheckTest implements CommitLog.Listener {
  private static final LogException FAILURE =
      new LogException(LogException.Reason.UNAVAILABLE, "too few bookies");

  private final AtomicInteger queued = new AtomicInteger();
  private volatile Runnable task;
  private final DurableSignal signal =
      new DurableSignal(
          runnable -> {
            task = runnable;
            queued.incrementAndGet();
          },
          this);

  private final AtomicLong reported = new AtomicLong();
  private final AtomicInteger failuresTold = new AtomicInteger();

  // Of the writer.
  private volatile long heard;
  private volatile int failuresHeard;
  private volatile boolean outOfOrder;

  /** The thread of the log's client. */
  @Operation(nonParallelGroup = "client")
  public void acknowledge() {
    if (failuresTold.get() == 0) {
      reported.incrementAndGet();
    }
    signal.durable(reported.get());
  }

  /** The client's thread or the background thread. */
  @Operation
  public void fail() {
    signal.failed(FAILURE);
    failuresTold.incrementAndGet();
  }

  /** The writer's event loop. */
  @Operation(nonParallelGroup = "writer")
  public void serve() {
    if (queued.get() > 0) {
      queued.decrementAndGet();
      task.run();
    }
  }

  @Override
  public void durable(long position) {
    outOfOrder |= position <= heard || failuresHeard > 0;
    heard = position;
  }

  @Override
  public void failed(LogException cause) {
    failuresHeard = failuresHeard + 1;
  }

  /** Holds when no operation runs. */
  @Validate
  public void nothingIsForgotten() {
    if (outOfOrder || failuresHeard > 1) {
      throw new AssertionError("positions went back, or came behind a failure");
    }
    if (heard > reported.get() || failuresHeard > failuresTold.get()) {
      throw new AssertionError("heard what nobody reported");
    }
    boolean failureWaits = failuresTold.get() > failuresHeard && failuresHeard == 0;
    boolean positionWaits = reported.get() > heard && failuresTold.get() == 0;
    if ((failureWaits || positionWaits) && queued.get() == 0) {
      throw new AssertionError("news wait and no task is queued");
    }
    if (queued.get() > 1) {
      throw new AssertionError(queued.get() + " tasks for one piece of news");
    }
  }

  @Test
  void noNewsAreLostInAnyInterleaving() {
    new ModelCheckingOptions()
        .iterations(30)
        .invocationsPerIteration(50)
        .threads(2)
        .actorsBefore(2)
        .actorsPerThread(1)
        .actorsAfter(0)
        .verifier(EpsilonVerifier.class)
        .check(getClass());
  }
}
