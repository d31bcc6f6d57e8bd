package io.retso.hbase.table;

import java.util.Arrays;

/**
 * A set of 64-bit ids, which are hashes already: a slot is found by their low bits. Takes 16 to 32
 * bytes for each. Not thread-safe.
 */
public final class IdSet {
  private static final int SLOTS_MIN = 16;

  /** What an empty set has; nothing is ever put there. */
  private static final long[] NONE = new long[1];

  /** A power of two of them, half of them free at least. 0 is free: that id is kept apart. */
  private long[] slots = NONE;

  private int size;
  private boolean hasZero;

  /** Adds an id; whether it was not in the set. */
  public boolean add(long id) {
    if (id == 0) {
      boolean isNew = !hasZero;
      hasZero = true;
      size += isNew ? 1 : 0;
      return isNew;
    }
    if (slots[find(slots, id)] == id) {
      return false;
    }
    size++;
    if (size > slots.length / 2) {
      grow();
    }
    slots[find(slots, id)] = id;
    return true;
  }

  public void addAll(long[] ids) {
    for (long id : ids) {
      add(id);
    }
  }

  public boolean contains(long id) {
    return id == 0 ? hasZero : slots[find(slots, id)] == id;
  }

  public int size() {
    return size;
  }

  public boolean isEmpty() {
    return size == 0;
  }

  /** All of them, in no order. */
  public long[] toArray() {
    long[] ids = new long[size]; // that of 0 is there already
    int n = hasZero ? 1 : 0;
    for (long id : slots) {
      if (id != 0) {
        ids[n++] = id;
      }
    }
    return ids;
  }

  /** Those that are not in another set. */
  public long[] without(IdSet other) {
    long[] ids = toArray();
    int n = 0;
    for (long id : ids) {
      if (!other.contains(id)) {
        ids[n++] = id;
      }
    }
    return Arrays.copyOf(ids, n);
  }

  /** The slot of the id, or the free one where it belongs. */
  private static int find(long[] slots, long id) {
    int slot = (int) id & slots.length - 1;
    while (slots[slot] != 0 && slots[slot] != id) {
      slot = slot + 1 & slots.length - 1;
    }
    return slot;
  }

  private void grow() {
    long[] larger = new long[Math.max(SLOTS_MIN, slots.length * 2)];
    for (long id : slots) {
      if (id != 0) {
        larger[find(larger, id)] = id;
      }
    }
    slots = larger;
  }
}
