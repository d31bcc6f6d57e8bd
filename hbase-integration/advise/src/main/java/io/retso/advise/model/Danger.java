package io.retso.advise.model;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A schedule that snapshot isolation allows and no serial order explains: the pivot begins and
 * reads; then the others run, one after the other; then the pivot writes and commits. Immutable.
 *
 * @param pivot overwritten by the first of the others in what it read, and writes what the last one
 *     has read
 * @param others in the order in which they run; one at least
 * @since 0.1
 */
@InterfaceAudience.Public
public record Danger(Instance pivot, List<Instance> others) {
  /** Copies the list. */
  public Danger {
    others = List.copyOf(others);
  }

  /** The one that changes what the pivot has read. */
  public Instance overwrites() {
    return others.get(0);
  }

  /** The one that reads what the pivot then changes. */
  public Instance reads() {
    return others.get(others.size() - 1);
  }

  /** Names of all programs that take part. */
  public Set<String> programs() {
    Set<String> names = new LinkedHashSet<>(List.of(pivot.program().name()));
    others.forEach(other -> names.add(other.program().name()));
    return names;
  }

  /** The schedule, a step a line. */
  public List<String> schedule() {
    List<String> steps = new ArrayList<>();
    steps.add(pivot + " begins, and reads");
    others.forEach(other -> steps.add(other + " runs, and commits"));
    steps.add(pivot + " writes, and commits");
    return steps;
  }

  /** Such as {@code WriteCheck(n=1) around TransactSaving(n=1), Balance(n=1)}. */
  @Override
  public String toString() {
    return pivot + " around " + String.join(", ", others.stream().map(Instance::toString).toList());
  }
}
