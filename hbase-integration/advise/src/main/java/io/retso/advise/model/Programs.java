package io.retso.advise.model;

import io.retso.advise.model.Operation.Kind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * The programs of an application, and how their tables find conflicts. Immutable.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class Programs {
  /** Programs, at most: what is asked of them is exact, and takes longer with each. */
  public static final int PROGRAMS_MAX = 64;

  /** Columns that one table's operations name, at most. */
  public static final int COLUMNS_MAX = 62;

  /** Parameters of a program, at most, and those of one kind among them. */
  public static final int PARAMETERS_MAX = 12;

  /** See {@link #PARAMETERS_MAX}. */
  public static final int OF_A_KIND_MAX = 5;

  /** Whether two transactions that write one row conflict, or only if they write one cell. */
  public enum Conflicts {
    ROW,
    CELL
  }

  private final Map<String, Program> programs;
  private final Conflicts conflicts;
  private final Map<String, Conflicts> ofTables;

  private Programs(
      Map<String, Program> programs, Conflicts conflicts, Map<String, Conflicts> ofTables) {
    this.programs = programs;
    this.conflicts = conflicts;
    this.ofTables = ofTables;
  }

  /**
   * Programs on tables with conflicts by row.
   *
   * @throws ProgramException if two have the same name, an operation names a row by fewer or more
   *     parts than others of its table, or there are too many programs or columns
   */
  public static Programs of(Collection<Program> programs) {
    return of(programs, Conflicts.ROW, Map.of());
  }

  /**
   * Programs on tables.
   *
   * @param ofTables how tables find conflicts that differ in it from others
   */
  public static Programs of(
      Collection<Program> programs, Conflicts conflicts, Map<String, Conflicts> ofTables) {
    Map<String, Program> byName = new LinkedHashMap<>();
    for (Program program : programs) {
      if (byName.put(program.name(), program) != null) {
        throw new ProgramException(
            "two programs are called " + program.name() + ": name them apart");
      }
    }
    if (byName.size() > PROGRAMS_MAX) {
      throw new ProgramException(
          byName.size()
              + " programs are more than "
              + PROGRAMS_MAX
              + ": leave out what cannot meet");
    }
    Programs made = new Programs(byName, conflicts, new TreeMap<>(ofTables));
    made.check();
    return made;
  }

  private void check() {
    Map<String, Set<String>> columns = new HashMap<>();
    Map<String, Integer> parts = new HashMap<>();
    Map<String, String> kinds = new HashMap<>();
    for (Program program : all()) {
      for (Operation operation : program.operations()) {
        Set<String> known = columns.computeIfAbsent(operation.table(), key -> new HashSet<>());
        known.addAll(operation.columns());
        if (known.size() > COLUMNS_MAX) {
          throw new ProgramException(
              operation.table()
                  + " has more than "
                  + COLUMNS_MAX
                  + " columns: name groups of them");
        }
        checkKinds(program, operation, kinds);
        if (operation.kind() == Kind.LOCK
            && operation.columns().isEmpty()
            && conflicts(operation.table()) == Conflicts.CELL) {
          throw new ProgramException(
              program.name()
                  + ": '"
                  + operation
                  + "' names no columns, and a table with conflicts by cell protects those that are"
                  + " named: lock "
                  + operation.table()
                  + "[...].COLUMN");
        }
        if (operation.kind() != Kind.SCAN) {
          int before = parts.merge(operation.table(), operation.key().size(), (a, b) -> a);
          if (before != operation.key().size()) {
            throw new ProgramException(
                program.name()
                    + ": '"
                    + operation
                    + "' names a row by "
                    + operation.key().size()
                    + " parts, and others of "
                    + operation.table()
                    + " by "
                    + before
                    + ": rows of a table have keys of one form; what has the first parts only is a"
                    + " scan");
          }
        }
      }
    }
  }

  /**
   * Looks whether they can be searched.
   *
   * @throws ProgramException if a program has more than {@link #PARAMETERS_MAX} parameters, or more
   *     than {@link #OF_A_KIND_MAX} of one kind
   */
  public void checkSize() {
    all().forEach(Programs::checkSize);
  }

  private static void checkSize(Program program) {
    Map<String, Integer> ofKinds = new HashMap<>();
    program.parameters().forEach(p -> ofKinds.merge(Program.kind(p), 1, Integer::sum));
    for (Map.Entry<String, Integer> kind : ofKinds.entrySet()) {
      if (kind.getValue() > OF_A_KIND_MAX || program.parameters().size() > PARAMETERS_MAX) {
        throw new ProgramException(
            program.name()
                + " has more than "
                + PARAMETERS_MAX
                + " parameters, or more than "
                + OF_A_KIND_MAX
                + " of the kind "
                + kind.getKey()
                + ": leave some out; two rows of a kind mostly stand for many");
      }
    }
  }

  /** A slip of naming would make two parameters that are one never equal. */
  private static void checkKinds(Program program, Operation operation, Map<String, String> kinds) {
    for (int i = 0; i < operation.key().size(); i++) {
      String part = operation.key().get(i);
      if (Program.isConstant(part)) {
        continue;
      }
      String place = operation.table() + " " + i;
      String before = kinds.putIfAbsent(place, Program.kind(part));
      if (before != null && !before.equals(Program.kind(part))) {
        throw new ProgramException(
            program.name()
                + ": part "
                + (i + 1)
                + " of the key of "
                + operation.table()
                + " is "
                + part
                + ", and elsewhere "
                + before
                + ": parameters of two kinds are never equal; give what is of one kind one name,"
                + " with numbers behind it, such as n1 and n2");
      }
    }
  }

  /** All of them, in their order. */
  public List<Program> all() {
    return List.copyOf(programs.values());
  }

  /** The one of this name. */
  public Program get(String name) {
    return programs.get(name);
  }

  /** How a table finds conflicts. */
  public Conflicts conflicts(String table) {
    return ofTables.getOrDefault(table, conflicts);
  }

  /** All tables in one way. */
  public Programs withConflicts(Conflicts ofAll) {
    return of(programs.values(), ofAll, Map.of());
  }

  /** Those that are chosen. */
  public Programs only(Predicate<Program> chosen) {
    Map<String, Program> some = new LinkedHashMap<>(programs);
    some.values().removeIf(chosen.negate());
    return new Programs(some, conflicts, ofTables);
  }

  /** With a program in place of the one of the same name. */
  public Programs with(Program program) {
    List<Program> changed = new ArrayList<>();
    all().forEach(known -> changed.add(known.name().equals(program.name()) ? program : known));
    return of(changed, conflicts, ofTables);
  }

  /** With these running serializable, and all others under snapshot isolation. */
  public Programs withSerializable(Set<String> names) {
    Map<String, Program> changed = new LinkedHashMap<>();
    all().forEach(p -> changed.put(p.name(), p.serializable(names.contains(p.name()))));
    return new Programs(changed, conflicts, ofTables);
  }
}
