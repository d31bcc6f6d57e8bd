package io.retso.advise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.advise.model.Instance;
import io.retso.advise.model.Program;
import io.retso.advise.model.Programs;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Random programs: the search and the brute force agree. {@code -Dretso.advise.templates=N} tries
 * more, {@code -Dretso.advise.seed=S} repeats a failure.
 */
class BruteForceTest {
  private static final long SEED = Long.getLong("retso.advise.seed", 20_261_128L);
  private static final int TEMPLATES = Integer.getInteger("retso.advise.templates", 250);

  @Test
  void randomProgramsHaveTheSameVerdict() {
    int safe = 0;
    int longer = 0;
    for (int i = 0; i < TEMPLATES; i++) {
      RandomPrograms programs = new RandomPrograms(SEED + i);
      assertEquals("", programs.disagreement());
      safe += programs.isSafe() ? 1 : 0;
      longer += programs.longer();
    }
    System.out.printf(
        "%d sets of programs from seed %d: %d are safe; %d of the dangers of others need more"
            + " than four transactions, which were not tried%n",
        TEMPLATES, SEED, safe, longer);
    assertTrue(safe > TEMPLATES / 4 && safe < TEMPLATES * 9 / 10, "safe: " + safe);
  }

  /** What the brute force is good for by itself. */
  @Test
  void theBruteForceKnowsWriteSkewAndNothingElse() {
    Program skew = Program.named("P", "k1", "k2").read("t", "k1", "c").write("t", "k2", "c");
    Programs programs = Programs.of(List.of(skew));
    Instance one = new Instance(skew, List.of("1", "2"));
    Instance other = new Instance(skew, List.of("2", "1"));
    assertTrue(BruteForce.hasAnomaly(List.of(one, other), programs));
    assertTrue(!BruteForce.hasAnomaly(List.of(one, one), programs));
    Programs serializable = programs.withSerializable(Set.of("P"));
    List<Instance> both =
        List.of(
            new Instance(serializable.get("P"), one.values()),
            new Instance(serializable.get("P"), other.values()));
    assertTrue(!BruteForce.hasAnomaly(both, serializable));
    assertEquals(9, BruteForce.instances(programs).size());
  }
}
