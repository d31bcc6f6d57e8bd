package io.retso.verify.faults;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Decides which fault is next: all of them in random order, each once, then all of them in another
 * order. It goes on from one round to the next, so that a short run, or one of short rounds, gets
 * to most of them. One that could not happen, such as a merge before there are two regions, has
 * another turn at the end of its pass.
 *
 * <p>The order depends on the seed and on what could not happen. Not thread-safe.
 */
public final class FaultOrder {
  private final Random random;

  /** Those of this pass whose turn is to come; the last one is next. */
  private final List<String> left = new ArrayList<>();

  /** Those of this pass that have had their other turn, or will have it. */
  private final Set<String> again = new HashSet<>();

  public FaultOrder(long seed) {
    this.random = new Random(seed);
  }

  /**
   * The next one.
   *
   * @param faults all there are, at least one, the same names every time
   */
  public Fault next(List<Fault> faults) {
    if (left.isEmpty()) {
      faults.forEach(fault -> left.add(fault.name()));
      Collections.shuffle(left, random);
      again.clear();
    }
    String name = left.remove(left.size() - 1);
    return faults.stream().filter(fault -> fault.name().equals(name)).findFirst().orElseThrow();
  }

  /** What was next could not happen. */
  public void refused(Fault fault) {
    if (again.add(fault.name())) {
      left.add(0, fault.name());
    }
  }
}
