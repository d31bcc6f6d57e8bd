package io.retso.hbase.coprocessor.region;

import io.retso.hbase.layout.Outcome;
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
 * One transaction's row over the interleavings that Lincheck explores: what a flush has written as
 * it is, is not adopted, and a reader that meets the version finds a mark or an outcome, in this
 * order and with a second look at the outcomes.
 */
public class WritersLincheckTest {
  private static final long START = 16;
  private static final byte[] ROW = Bytes.toBytes("r");

  private final RegionOutcomes outcomes = new RegionOutcomes(null, true);
  private final Writers writers = new Writers(outcomes, mark -> {}, bytes -> {});

  private volatile boolean isWritten;
  private volatile boolean isFlushedUnadopted;
  private volatile boolean isAdopted;
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
  public void adopt() {
    Runnable adoption = () -> outcomes.adopted(START, Outcome.ABORTED);
    if (writers.adopt(START, 1, adoption)) {
      isAdopted = true;
    }
  }

  /** A flush of data comes to the version. */
  @Operation
  public void flush() {
    if (isWritten && writers.outcomeForFlush(START) == 0) {
      isFlushedUnadopted = true;
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
  public void nothingIsFlushedAsItIsAndAdopted() {
    if (isFlushedUnadopted && isAdopted) {
      throw new AssertionError("in a file as it was written, and adopted");
    }
    if (isLost) {
      throw new AssertionError("neither mark nor outcome");
    }
  }

  private static ExecutionScenario scenario(List<Actor> one, List<Actor> other)
      throws NoSuchMethodException {
    return new ExecutionScenario(
        List.of(actor("write")),
        List.of(one, other),
        List.of(),
        actor("nothingIsFlushedAsItIsAndAdopted"));
  }

  private static Actor actor(String name) throws NoSuchMethodException {
    return new Actor(WritersLincheckTest.class.getMethod(name), List.of());
  }

  @Test
  void whatIsFlushedAsItIsIsNotAdopted() throws NoSuchMethodException {
    List<Actor> adopt = List.of(actor("adopt"));
    List<Actor> flush = List.of(actor("flush"));
    new ModelCheckingOptions()
        .addCustomScenario(scenario(flush, adopt))
        .addCustomScenario(scenario(List.of(actor("read")), adopt))
        .iterations(0)
        .invocationsPerIteration(100)
        .minimizeFailedScenario(false)
        .verifier(EpsilonVerifier.class)
        .check(getClass());
  }
}
