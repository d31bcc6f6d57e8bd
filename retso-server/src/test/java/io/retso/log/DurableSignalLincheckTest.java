package io.retso.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
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

  // What the writer has heard.
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

  private static Actor actor(String name) throws NoSuchMethodException {
    return new Actor(DurableSignalLincheckTest.class.getMethod(name), List.of());
  }

  private static ExecutionScenario scenario(List<Actor> one, List<Actor> other, Actor... after)
      throws NoSuchMethodException {
    return new ExecutionScenario(
        List.of(), List.of(one, other), List.of(after), actor("nothingIsForgotten"));
  }

  /** What random scenarios are too short for, or seldom have. */
  @Test
  void failuresComeOnceAndLast() throws NoSuchMethodException {
    Actor fail = actor("fail");
    Actor serve = actor("serve");
    List<Actor> acknowledge = List.of(actor("acknowledge"));
    new ModelCheckingOptions()
        .addCustomScenario(scenario(acknowledge, List.of(fail)))
        .addCustomScenario(scenario(acknowledge, List.of(fail, serve), serve))
        .iterations(0)
        .invocationsPerIteration(100)
        .verifier(EpsilonVerifier.class)
        .check(getClass());
  }

  @Test
  void whatIsReportedBehindAFailureIsNotDurable() {
    signal.failed(FAILURE);
    signal.durable(1);
    serve();
    assertEquals(0, heard);
    assertEquals(1, failuresHeard);
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
