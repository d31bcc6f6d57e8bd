package io.retso.oracle;

/**
 * Committed transactions that left the window before their cleanup was reported: start sequence to
 * commit sequence. While one is here, a reader that meets its pending mark learns the true commit
 * timestamp, however long ago that was.
 *
 * <p>Open addressing with linear probing and deletion by backward shift, so no tombstones build up.
 * Bounded: {@link StatusOracle} refuses new commits while this table and the window together hold
 * as many uncleaned commits as fit here, so {@link #put} always finds a place.
 *
 * <p>Memory is allocated once: 32 to 64 bytes per entry of capacity. Not thread-safe.
 */
final class UncleanedCommits {
  /** Entries, at most. */
  static final int CAPACITY_MAX = 1 << 28;

  /** Sees one uncleaned commit. */
  interface Visitor {
    void visit(long startSequence, long commitSequence);
  }

  private final int capacity;
  private final long[] starts; // 0 = vacant: sequences begin at 1
  private final long[] commits;
  private final int mask;
  private int size;

  UncleanedCommits(int capacity) {
    if (capacity < 1 || capacity > CAPACITY_MAX) {
      throw new IllegalArgumentException(
          capacity + " uncleaned commits are not within 1 and " + CAPACITY_MAX);
    }
    this.capacity = capacity;
    int places = Integer.highestOneBit(2 * capacity - 1) << 1; // at most half full
    starts = new long[places];
    commits = new long[places];
    mask = places - 1;
  }

  int capacity() {
    return capacity;
  }

  int size() {
    return size;
  }

  void put(long startSequence, long commitSequence) {
    int place = find(startSequence);
    if (starts[place] == 0) {
      if (size == capacity) {
        throw new IllegalStateException("the table of " + capacity + " uncleaned commits is full");
      }
      size++;
      starts[place] = startSequence;
    }
    commits[place] = commitSequence;
  }

  /** The commit sequence of a transaction, or 0 if it is not here. */
  long get(long startSequence) {
    int place = find(startSequence);
    return starts[place] == 0 ? 0 : commits[place];
  }

  /** Forgets a transaction; returns whether it was here. */
  boolean remove(long startSequence) {
    int hole = find(startSequence);
    if (starts[hole] == 0) {
      return false;
    }
    // Backward shift: an entry moves into the hole unless its home lies behind the hole.
    for (int place = hole + 1 & mask; starts[place] != 0; place = place + 1 & mask) {
      int home = home(starts[place]);
      if ((place - home & mask) >= (place - hole & mask)) {
        starts[hole] = starts[place];
        commits[hole] = commits[place];
        hole = place;
      }
    }
    starts[hole] = 0;
    size--;
    return true;
  }

  void forEach(Visitor visitor) {
    for (int place = 0; place < starts.length; place++) {
      if (starts[place] != 0) {
        visitor.visit(starts[place], commits[place]);
      }
    }
  }

  private int find(long startSequence) {
    int place = home(startSequence);
    while (starts[place] != 0 && starts[place] != startSequence) {
      place = place + 1 & mask;
    }
    return place;
  }

  private int home(long startSequence) {
    return (int) (startSequence * 0x9E3779B97F4A7C15L >>> 32) & mask;
  }
}
