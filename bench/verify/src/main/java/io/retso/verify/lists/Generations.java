package io.retso.verify.lists;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Which generation of each group of lists is in use; see {@link ListKey}. Processes do not agree on
 * it and need not: one that lags meets a full list, and follows. Thread-safe.
 */
public final class Generations {
  private final AtomicIntegerArray current;
  private final int listMax;

  /**
   * Begins somewhere.
   *
   * @param current a generation for each group
   * @param listMax length from which a list counts as full
   */
  public Generations(int[] current, int listMax) {
    if (current.length != ListKey.GROUPS) {
      throw new IllegalArgumentException(
          current.length + " generations for " + ListKey.GROUPS + " groups");
    }
    this.current = new AtomicIntegerArray(current);
    this.listMax = listMax;
  }

  /** All groups begin at {@code first}. */
  public static int[] allAt(int first) {
    int[] generations = new int[ListKey.GROUPS];
    Arrays.fill(generations, first);
    return generations;
  }

  public int of(int group) {
    return current.get(group);
  }

  /** The present state. */
  public int[] toArray() {
    int[] generations = new int[ListKey.GROUPS];
    Arrays.setAll(generations, current::get);
    return generations;
  }

  /** A list was seen. */
  public void saw(ListKey key, int length) {
    if (length >= listMax) {
      current.accumulateAndGet(key.group(), key.generation() + 1, Math::max);
    }
  }
}
