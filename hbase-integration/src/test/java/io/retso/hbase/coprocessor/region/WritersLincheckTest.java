package io.retso.hbase.coprocessor.region;

import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.PendingWrite;
import java.util.List;
import org.apache.hadoop.hbase.util.Bytes;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;
import org.junit.jupiter.api.Test;

/**
 * One transaction's row over the interleavings that Lincheck explores: what a flush has filed is
 * not decided, and whoever meets the version finds a mark or an outcome, in this order and with a
 * second look at the outcomes.
 */
public class WritersLincheckTest {
  private static final long START = 16;
  private static final byte[] ROW = Bytes.toBytes("r");

  private final RegionOutcomes outcomes = new RegionOutcomes(null, true);
  private final Writers writers = new Writers(outcomes, mark -> {}, bytes -> {});

  private volatile boolean isWritten;
  private volatile boolean isFiled;
  private volatile boolean isDecided;
  private volatile boolean isLost;

  /** Nothing yet. */
  public WritersLincheckTest() {
    writers.opened(0);
  }

  /** A batch. */
  @Operation
  public void write() {
    if (writers.begin(START, 1) == Admission.ADMITTED) {
      writers.add(List.of(new Mark(ROW, START, PendingWrite.markOf(ROW, START))));
      isWritten = true;
      writers.end(START);
    }
  }

  /** A list of outcomes. */
  @Operation
  public void decide() {
    Runnable decision = () -> outcomes.decided(START, CleanupRequest.ABORTED);
    if (writers.decide(START, 1, decision)) {
      isDecided = true;
    }
  }

  /** A flush of data comes to the version. */
  @Operation
  public void flush() {
    if (isWritten && writers.outcomeOrFile(START) == 0) {
      isFiled = true;
    }
  }

  /** A row in doubt. */
  @Operation
  public void read() {
    if (isWritten
        && outcomes.outcomeOf(START) == 0
        && writers.find(ROW, START) == null
        && outcomes.outcomeOf(START) == 0) {
      isLost = true;
    }
  }

  /** Holds when no operation runs. */
  @Validate
  public void nothingIsFiledAndDecided() {
    if (isFiled && isDecided) {
      throw new AssertionError("in a file as it was written, and decided");
    }
    if (isLost) {
      throw new AssertionError("neither mark nor outcome");
    }
  }

  private static ExecutionScenario scenario(List<Actor> one, List<Actor> other)
      throws NoSuchMethodException {
    return new ExecutionScenario(
        List.of(actor("write")), List.of(one, other), List.of(), actor("nothingIsFiledAndDecided"));
  }

  private static Actor actor(String name) throws NoSuchMethodException {
    return new Actor(WritersLincheckTest.class.getMethod(name), List.of());
  }

  @Test
  void whatIsFiledIsNotDecidedInAnyInterleaving() throws NoSuchMethodException {
    List<Actor> decide = List.of(actor("decide"));
    List<Actor> flush = List.of(actor("flush"));
    new ModelCheckingOptions()
        .addCustomScenario(scenario(flush, decide))
        .addCustomScenario(scenario(List.of(actor("read")), decide))
        .iterations(0)
        .invocationsPerIteration(100)
        .minimizeFailedScenario(false)
        .verifier(EpsilonVerifier.class)
        .check(getClass());
  }
}
