package io.retso.advise.search;

import io.retso.advise.model.Danger;
import io.retso.advise.model.Program;
import io.retso.advise.model.Programs;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Which programs are safe together, and which are to be serializable: counterexamples lead the
 * search, as a set is made safe only by changing some program of each danger in it. Stateless.
 */
public final class SubsetSearch {
  /** Sets that are looked at before it gives up. */
  private static final int SETS_MAX = 20_000;

  private SubsetSearch() {}

  /**
   * Sets of programs that are safe together and with one more are not.
   *
   * @throws IllegalStateException if there are too many to look at
   */
  public static List<Set<String>> maximalSafe(Programs programs) {
    Set<Set<String>> seen = new HashSet<>();
    List<Set<String>> safe = new ArrayList<>();
    ArrayDeque<Set<String>> queue = new ArrayDeque<>();
    queue.add(names(programs));
    while (!queue.isEmpty()) {
      Set<String> set = queue.poll();
      if (safe.stream().anyMatch(larger -> larger.containsAll(set))) {
        continue;
      }
      Danger danger = new DangerSearch(programs.only(p -> set.contains(p.name()))).any();
      if (danger == null) {
        safe.add(set);
        continue;
      }
      for (String name : danger.programs()) {
        Set<String> less = new TreeSet<>(set);
        less.remove(name);
        enqueue(less, seen, queue);
      }
    }
    return safe.stream()
        .filter(set -> safe.stream().noneMatch(o -> o != set && o.containsAll(set)))
        .toList();
  }

  /** All smallest sets of programs that are safe if these are serializable. */
  public static List<Set<String>> fewestSerializable(Programs programs) {
    Collection<Set<String>> level = List.of(Set.of());
    Set<Set<String>> seen = new HashSet<>();
    while (true) {
      List<Set<String>> safe = new ArrayList<>();
      ArrayDeque<Set<String>> next = new ArrayDeque<>();
      for (Set<String> set : level) {
        Danger danger = new DangerSearch(programs.withSerializable(set)).any();
        if (danger == null) {
          safe.add(set);
          continue;
        }
        for (String name : danger.programs()) {
          if (!set.contains(name)) {
            Set<String> more = new TreeSet<>(set);
            more.add(name);
            enqueue(more, seen, next);
          }
        }
      }
      if (!safe.isEmpty()) {
        return safe;
      }
      assert !next.isEmpty() : "all are serializable, and it is not safe";
      level = next;
    }
  }

  private static void enqueue(
      Set<String> set, Set<Set<String>> seen, ArrayDeque<Set<String>> queue) {
    if (seen.size() >= SETS_MAX) {
      throw new IllegalStateException(
          "more than " + SETS_MAX + " sets of programs would have to be looked at: leave out some");
    }
    if (seen.add(set)) {
      queue.add(set);
    }
  }

  private static Set<String> names(Programs programs) {
    return programs.all().stream()
        .map(Program::name)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
