package io.retso.advise.repair;

import io.retso.advise.model.Danger;
import io.retso.advise.model.Instance;
import io.retso.advise.model.Operation;
import io.retso.advise.model.Programs;
import io.retso.advise.model.Repair;
import io.retso.advise.repair.Step.Kind;
import io.retso.advise.search.DangerSearch;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.TreeSet;

/**
 * Looks for changes by rising cost. A danger goes away only if a program of it is changed, and only
 * changes of what its ends read and overwrite are looked at: so each step leads from a danger that
 * is there to a set of programs without it, or with it still. For one thread.
 */
public final class RepairSearch {
  /** Sets of changes that are looked at before it gives what it has. */
  private static final int SETS_MAX = 5_000;

  private record Candidate(Set<Step> steps, double cost) {}

  private final Programs programs;

  public RepairSearch(Programs programs) {
    this.programs = programs;
  }

  /** The cheapest repairs, so many at most: none of them with a step that it does not need. */
  public List<Repair> cheapest(int most) {
    List<Repair> found = new ArrayList<>();
    List<Set<Step>> taken = new ArrayList<>();
    Set<Set<Step>> seen = new HashSet<>();
    PriorityQueue<Candidate> queue =
        new PriorityQueue<>(
            Comparator.comparingDouble(Candidate::cost)
                .thenComparingInt(candidate -> candidate.steps.size())
                .thenComparing(candidate -> candidate.steps.toString()));
    queue.add(new Candidate(new TreeSet<>(), 0));
    int looked = 0;
    while (!queue.isEmpty() && found.size() < most && looked++ < SETS_MAX) {
      Candidate candidate = queue.poll();
      if (taken.stream().anyMatch(candidate.steps::containsAll)) {
        continue;
      }
      Programs changed = applied(candidate.steps);
      Danger danger = new DangerSearch(changed).any();
      if (danger != null) {
        for (Step step : steps(danger)) {
          Set<Step> more = new TreeSet<>(candidate.steps);
          if (more.add(step) && seen.add(more)) {
            queue.add(new Candidate(more, cost(more)));
          }
        }
      } else if (!candidate.steps.isEmpty() && isNeeded(candidate.steps)) {
        taken.add(candidate.steps);
        found.add(
            new Repair(
                candidate.steps.stream().map(Step::toString).toList(), candidate.cost, changed));
      }
    }
    return found;
  }

  private Programs applied(Set<Step> steps) {
    Programs changed = programs;
    for (Step step : steps) {
      changed = step.applyTo(changed);
    }
    return changed;
  }

  private double cost(Set<Step> steps) {
    return steps.stream().mapToDouble(step -> step.cost(programs)).sum();
  }

  /** Whether it is no repair with a step less. */
  private boolean isNeeded(Set<Step> steps) {
    for (Step left : steps) {
      Set<Step> fewer = new TreeSet<>(steps);
      fewer.remove(left);
      if (new DangerSearch(applied(fewer)).any() == null) {
        return false;
      }
    }
    return true;
  }

  /** What may end a danger: changes at its two ends, and serializable programs. */
  private static List<Step> steps(Danger danger) {
    List<Step> steps = new ArrayList<>();
    Instance pivot = danger.pivot();
    addForRead(steps, pivot, danger.overwrites(), true);
    addForRead(steps, danger.reads(), pivot, false);
    for (String name : danger.programs()) {
      steps.add(new Step(Kind.SERIALIZABLE, name, null));
    }
    return steps;
  }

  /**
   * Changes for what one reads and the other overwrites.
   *
   * @param endsLast whether the one that reads ends after the other: then a validated read is
   *     refused
   */
  private static void addForRead(
      List<Step> steps, Instance reader, Instance writer, boolean endsLast) {
    for (Operation read : Step.readsOf(reader.program())) {
      for (Operation write : writer.program().operations()) {
        if (write.kind() != Operation.Kind.WRITE || !meet(reader, read, writer, write)) {
          continue;
        }
        String name = reader.program().name();
        if (read.kind() != Operation.Kind.SCAN) {
          if (endsLast) {
            steps.add(new Step(Kind.VALIDATE, name, read));
          }
          steps.add(new Step(Kind.LOCK, name, read));
          if (!read.columns().contains(Operation.EXISTENCE)) {
            steps.add(new Step(Kind.PROMOTE, name, read));
          }
        }
        // Both write a row for what the key, or the scan's prefix, says: two steps of the search.
        steps.add(new Step(Kind.MATERIALIZE, name, read));
        Operation same =
            new Operation(
                read.kind(),
                read.table(),
                write.key().subList(0, Math.min(read.key().size(), write.key().size())),
                read.columns());
        steps.add(new Step(Kind.MATERIALIZE, writer.program().name(), same));
      }
    }
  }

  private static boolean meet(Instance reader, Operation read, Instance writer, Operation write) {
    if (!read.table().equals(write.table())
        || read.columns().stream().noneMatch(write.columns()::contains)) {
      return false;
    }
    List<String> mine = reader.key(read);
    List<String> its = writer.key(write);
    int parts = Math.min(mine.size(), its.size());
    return mine.subList(0, parts).equals(its.subList(0, parts));
  }
}
