package io.retso.hbase.beside;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.options.Conflicts;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What an application reads and writes by transactions is what it would without. {@code
 * -Dretso.beside.steps=N} for a longer run, {@code -Dretso.beside.seed=N} for the same one again.
 */
@ExtendWith(RetsoCluster.Extension.class)
class BesidePlainHBaseTest {
  private static final int STEPS = Integer.getInteger("retso.beside.steps", 100);
  private static final long SEED = Long.getLong("retso.beside.seed", new Random().nextLong());

  static Stream<Arguments> modes() {
    AtomicInteger count = new AtomicInteger();
    return Stream.of(Options.DEFAULT, Options.CLIENT_READS)
        .flatMap(options -> Stream.of(options, options.withConflicts(Conflicts.CELL)))
        .flatMap(
            options ->
                Stream.of(true, false)
                    .map(empty -> Arguments.of(options, empty, SEED + count.getAndIncrement())));
  }

  @ParameterizedTest
  @SuppressWarnings("try") // closing may be interrupted, as in any test
  @MethodSource("modes")
  void outcomesAreEqual(Options options, boolean emptyQualifiers, long seed, RetsoCluster cluster)
      throws Exception {
    String repeat = "-Dretso.beside.steps=" + STEPS + " -Dretso.beside.seed=" + SEED;
    System.out.println(repeat + " " + options + " empty qualifiers " + emptyQualifiers);
    try (SideBySide tables = new SideBySide(cluster, options, emptyQualifiers, seed)) {
      for (int i = 0; i < STEPS; i++) {
        tables.step();
      }
      System.out.println(tables.compared() + " outcomes compared");
      assertTrue(tables.compared() > STEPS / 2, "hardly anything was compared");
    } catch (AssertionError e) {
      throw new AssertionError("again by " + repeat + "\n" + e.getMessage(), e);
    }
  }
}
