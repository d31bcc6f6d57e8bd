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
  public static final int COLUMNS_MAX = 63;

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
    return new Programs(programs, ofAll, Map.of());
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
