package io.retso.advise;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.advise.model.Danger;
import io.retso.advise.model.Instance;
import io.retso.advise.model.Operation;
import io.retso.advise.model.Operation.Kind;
import io.retso.advise.model.Program;
import io.retso.advise.model.Programs;
import io.retso.advise.model.Programs.Conflicts;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Random programs: the search and the brute force agree. {@code -Dretso.advise.templates=N} tries
 * more, {@code -Dretso.advise.seed=S} repeats a failure.
 */
class BruteForceTest {
  private static final long SEED = Long.getLong("retso.advise.seed", 20_261_128L);
  private static final int TEMPLATES = Integer.getInteger("retso.advise.templates", 250);
  private static final int FOURS = 20;
  private static final String[] COLUMNS = {"c", "d", "*"};

  @Test
  void randomProgramsHaveTheSameVerdict() {
    int safe = 0;
    int longer = 0;
    for (int i = 0; i < TEMPLATES; i++) {
      long seed = SEED + i;
      Programs programs = random(new Random(seed * 0x9E3779B97F4A7C15L));
      List<Danger> dangers = Advise.of(programs).verdict().dangers();
      String where = "-Dretso.advise.templates=1 -Dretso.advise.seed=" + seed + programs.all();
      safe += dangers.isEmpty() ? 1 : 0;
      if (dangers.isEmpty()) {
        assertTrue(!BruteForce.hasAnomaly(programs, new Random(seed), FOURS), where);
      } else {
        longer += confirm(programs, dangers, where);
      }
    }
    System.out.printf(
        "%d sets of programs from seed %d: %d are safe; %d of the dangers of others need more"
            + " than four transactions, which were not tried%n",
        TEMPLATES, SEED, safe, longer);
    assertTrue(safe > TEMPLATES / 4 && safe < TEMPLATES * 9 / 10, "safe: " + safe);
  }

  /** Each danger is one with exactly its own transactions; how many have too many to try. */
  private static int confirm(Programs programs, List<Danger> dangers, String where) {
    int longer = 0;
    for (Danger danger : dangers) {
      List<Instance> all = new ArrayList<>(danger.others());
      all.add(danger.pivot());
      if (all.size() > 4) {
        longer++;
      } else {
        assertTrue(BruteForce.hasAnomaly(all, programs), where + danger);
      }
    }
    return longer;
  }

  /** One to three programs on two tables: with scans, locks, validated reads and constants. */
  private static Programs random(Random random) {
    List<Program> programs = new ArrayList<>();
    int[] arity = {random.nextInt(4) == 0 ? 2 : 1, 1};
    int count = 1 + random.nextInt(3);
    boolean rich = random.nextBoolean();
    for (int p = 0; p < count; p++) {
      int parameters = 1 + random.nextInt(2);
      String[] names = parameters == 1 ? new String[] {"k1"} : new String[] {"k1", "k2"};
      Program program = Program.named("P" + p, names).serializable(rich && random.nextInt(5) < 2);
      if (parameters == 2 && random.nextInt(4) == 0) {
        program = program.distinct("k1", "k2");
      }
      for (int o = 2 + random.nextInt(2); o > 0; o--) {
        program = program.with(operation(random, names, arity, rich));
      }
      programs.add(program);
    }
    Conflicts byTable = random.nextBoolean() ? Conflicts.ROW : Conflicts.CELL;
    return Programs.of(
        programs, byTable, random.nextInt(3) == 0 ? Map.of("t0", Conflicts.ROW) : Map.of());
  }

  private static Operation operation(Random random, String[] names, int[] arity, boolean rich) {
    Kind kind = Kind.values()[random.nextInt(rich ? 5 : 2) * (rich ? 1 : 4)];
    int table = random.nextInt(2);
    int parts = kind == Kind.SCAN ? random.nextInt(arity[table] + 1) : arity[table];
    List<String> key = new ArrayList<>();
    for (int i = 0; i < parts; i++) {
      boolean isConstant = rich && random.nextInt(8) == 0;
      key.add(isConstant ? "'3'" : names[random.nextInt(names.length)]);
    }
    Set<String> columns = new HashSet<>(Set.of(COLUMNS[random.nextInt(3)]));
    if (random.nextInt(3) == 0) {
      columns.add("c");
    }
    return new Operation(kind, "t" + table, key, columns);
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
