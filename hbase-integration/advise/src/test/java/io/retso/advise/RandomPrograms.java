package io.retso.advise;

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
import java.util.function.LongPredicate;

/** One to three programs on two tables, by a seed, and whether search and brute force agree. */
final class RandomPrograms {
  /** Sets of four transactions that are tried where the search says safe. */
  private static final int FOURS = 20;

  private static final String[] COLUMNS = {"c", "d", "*"};

  private final long seed;
  private final Programs programs;
  private boolean safe;
  private int longer;

  RandomPrograms(long seed) {
    this.seed = seed;
    programs = random(new Random(seed * 0x9E3779B97F4A7C15L));
  }

  /** Whether the two agree on the programs of a seed; made anew by each loader of classes. */
  static final class Agreement implements LongPredicate {
    @Override
    public boolean test(long seed) {
      return new RandomPrograms(seed).disagreement().isEmpty();
    }
  }

  /** What the search says that the brute force does not; "" if they agree. */
  String disagreement() {
    List<Danger> dangers = Advise.of(programs).verdict().dangers();
    safe = dangers.isEmpty();
    longer = 0;
    String where = "-Dretso.advise.templates=1 -Dretso.advise.seed=" + seed + programs.all();
    if (safe) {
      boolean anomaly = BruteForce.hasAnomaly(programs, new Random(seed), FOURS);
      return anomaly ? "they are not safe: " + where : "";
    }
    // Each danger is one with exactly its own transactions.
    for (Danger danger : dangers) {
      List<Instance> all = new ArrayList<>(danger.others());
      all.add(danger.pivot());
      if (all.stream().anyMatch(RandomPrograms::isImpossible)) {
        return "what is distinct is equal: " + danger + " of " + where;
      }
      if (all.size() > 4) {
        longer++;
      } else if (!BruteForce.hasAnomaly(all, programs)) {
        return "it is none: " + danger + " of " + where;
      }
    }
    return "";
  }

  private static boolean isImpossible(Instance instance) {
    List<String> names = instance.program().parameters();
    return instance.program().distinct().stream()
        .map(set -> set.stream().map(name -> instance.values().get(names.indexOf(name))).toList())
        .anyMatch(values -> Set.copyOf(values).size() < values.size());
  }

  /** Whether the search said that they are safe. */
  boolean isSafe() {
    return safe;
  }

  /** Dangers of too many transactions to try. */
  int longer() {
    return longer;
  }

  /** With scans, locks, validated reads and constants. */
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
}
