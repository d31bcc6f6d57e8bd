package io.retso.advise.search;

import io.retso.advise.model.Operation;
import io.retso.advise.model.Operation.Kind;
import io.retso.advise.model.Program;
import io.retso.advise.model.Programs;
import io.retso.advise.model.Programs.Conflicts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Programs as numbers: tables, columns, parameters and constants have indexes. Immutable.
 *
 * <p>A part of a key is a parameter, by its index in its program, or a constant, below 0.
 */
final class Model {
  /**
   * An operation.
   *
   * @param key parts
   * @param columns a bit for each
   * @param byRow whether its table finds conflicts by row
   */
  record Op(Kind kind, int table, int[] key, long columns, boolean byRow) {
    boolean reads() {
      return kind == Kind.READ || kind == Kind.SCAN || kind == Kind.VALIDATE;
    }

    /** Whether it counts when two transactions that write are compared. */
    boolean isProtected() {
      return kind == Kind.WRITE || kind == Kind.LOCK;
    }

    /**
     * Whether two such operations on one row conflict. By cell those do that name one cell; that a
     * row exists is no cell.
     */
    boolean excludes(Op other) {
      return byRow || (columns & other.columns & ~EXISTS) != 0;
    }

    /**
     * Whether their order matters, if they are on one row; that of locks does not, and not that of
     * two that say a row exists, as long as its cells tell them apart.
     */
    boolean dependsOn(Op other) {
      if (table != other.table || kind == Kind.LOCK || other.kind == Kind.LOCK) {
        return false;
      }
      if (kind == Kind.WRITE && other.kind == Kind.WRITE) {
        return (columns & other.columns & (byRow ? -1 : ~EXISTS)) != 0;
      }
      return (kind == Kind.WRITE || other.kind == Kind.WRITE) && (columns & other.columns) != 0;
    }
  }

  /**
   * A program.
   *
   * @param kinds of its parameters
   * @param distinct sets of parameters that are never equal
   */
  record Prog(Program program, Op[] ops, int[] kinds, List<int[]> distinct) {}

  /** The bit of {@link Operation#EXISTENCE}, in every table. */
  private static final long EXISTS = 1;

  final List<Prog> programs = new ArrayList<>();

  /** Constants that a parameter of a kind may be equal to: numbers below 0. */
  final List<int[]> constants = new ArrayList<>();

  /** Texts of constants; that of number -1 is the first. */
  final List<String> texts = new ArrayList<>();

  private final Map<String, Integer> kinds = new TreeMap<>();
  private final Map<String, Integer> tables = new HashMap<>();
  private final Map<String, Map<String, Integer>> columns = new HashMap<>();
  private final Map<String, Integer> constantNumbers = new HashMap<>();

  /**
   * Takes them in.
   *
   * @throws io.retso.advise.model.ProgramException if one has too many parameters to be searched
   */
  Model(Programs all) {
    all.checkSize();
    for (Program program : all.all()) {
      program.parameters().forEach(p -> kinds.putIfAbsent(Program.kind(p), kinds.size()));
    }
    all.all().forEach(program -> programs.add(prog(program, all)));
    findConstants(all);
  }

  private Prog prog(Program program, Programs all) {
    List<String> parameters = program.parameters();
    Op[] ops =
        program.operations().stream()
            .map(
                o ->
                    new Op(
                        o.kind(),
                        tables.computeIfAbsent(o.table(), t -> tables.size()),
                        o.key().stream().mapToInt(part -> part(part, parameters)).toArray(),
                        bits(o),
                        all.conflicts(o.table()) == Conflicts.ROW))
            .toArray(Op[]::new);
    return new Prog(
        program,
        ops,
        parameters.stream().mapToInt(p -> kinds.get(Program.kind(p))).toArray(),
        program.distinct().stream()
            .map(set -> set.stream().mapToInt(parameters::indexOf).toArray())
            .toList());
  }

  private int part(String part, List<String> parameters) {
    return part.startsWith("'") ? constant(part) : parameters.indexOf(part);
  }

  private int constant(String quoted) {
    String text = quoted.substring(1, quoted.length() - 1);
    return constantNumbers.computeIfAbsent(
        text,
        key -> {
          texts.add(key);
          return -texts.size();
        });
  }

  private long bits(Operation operation) {
    Map<String, Integer> known = columns.computeIfAbsent(operation.table(), t -> new HashMap<>());
    long bits = 0;
    known.putIfAbsent(Operation.EXISTENCE, 0);
    for (String column : operation.columns()) {
      bits |= 1L << known.computeIfAbsent(column, c -> known.size());
    }
    return bits;
  }

  /** A parameter may be equal to each constant that stands where its kind stands. */
  private void findConstants(Programs all) {
    Map<String, Set<Integer>> standing = new HashMap<>();
    forEachPart(
        all,
        (place, part) -> {
          if (part.startsWith("'")) {
            standing.computeIfAbsent(place, key -> new TreeSet<>()).add(constant(part));
          }
        });
    List<Set<Integer>> ofKinds = new ArrayList<>();
    kinds.forEach((name, index) -> ofKinds.add(new TreeSet<>()));
    forEachPart(
        all,
        (place, part) -> {
          if (!part.startsWith("'")) {
            ofKinds
                .get(kinds.get(Program.kind(part)))
                .addAll(standing.getOrDefault(place, Set.of()));
          }
        });
    ofKinds.forEach(set -> constants.add(set.stream().mapToInt(Integer::intValue).toArray()));
  }

  private interface PartVisitor {
    void visit(String place, String part);
  }

  private static void forEachPart(Programs all, PartVisitor visitor) {
    for (Program program : all.all()) {
      for (Operation operation : program.operations()) {
        for (int i = 0; i < operation.key().size(); i++) {
          visitor.visit(operation.table() + " " + i, operation.key().get(i));
        }
      }
    }
  }
}
