package io.retso.oracle;

import java.util.Arrays;

/**
 * Committed transactions that left the window before their cleanup was reported: start sequence to
 * commit sequence. While one is here, a reader that meets its pending mark learns the true commit
 * timestamp, however long ago that was.
 *
 * <p>Open addressing with linear probing and deletion by backward shift, so no tombstones build up.
 * Bounded: {@link StatusOracle} refuses new commits while this table and the window together hold
 * as many uncleaned commits as fit here, so {@link #put} always finds a place.
 *
 * <p><strong>The lowest start</strong> is kept as a lower bound: exact until that entry is removed,
 * then made exact again by a pass over the table ({@link #tidy}). The same pass drops the entries
 * that a {@link #sweep} declared clean. A pass goes in steps, and other requests come in between:
 * whatever they move from the part ahead to the part that was passed is taken into account.
 *
 * <p>Clients choose which transactions stay here. So places depend on a secret number: without it a
 * client could fill one stretch of the table, and every search in there would take as long.
 *
 * <p>Memory is allocated once: 32 to 64 bytes per entry of capacity. Not thread-safe.
 */
final class UncleanedCommits {
  /** Entries, at most. */
  static final int CAPACITY_MAX = 1 << 28;

  private final long secret;
  private final int capacity;
  private final long[] starts; // 0 = vacant: sequences begin at 1
  private final long[] commits;
  private final int mask;
  private int size;

  /** No entry that committed below this sequence has a pending mark. Grows only. */
  private long sweptBelow;

  /** Invariant: no start is below it. Long.MAX_VALUE if the table is empty. */
  private long lowest = Long.MAX_VALUE;

  /** A pass is needed or under way: swept entries may be left, lowest may be too low. */
  private boolean untidy;

  /** Places before this one were seen by the pass under way; 0 between passes. */
  private int passed;

  /** The lowest start that the pass has seen; invariant: none before {@link #passed} is below. */
  private long lowestPassed = Long.MAX_VALUE;

  /** What happened during the pass makes another one necessary. */
  private boolean again;

  /**
   * Allocates the table.
   *
   * @param secret decides about places, nothing else
   */
  UncleanedCommits(int capacity, long secret) {
    this.secret = secret;
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

  /** Forgets everything. */
  void clear() {
    Arrays.fill(starts, 0);
    size = 0;
    sweptBelow = 0;
    lowest = Long.MAX_VALUE;
    endPass(false);
  }

  /** Entries; until the pass after a sweep is finished some have no marks left. */
  int size() {
    return size;
  }

  void put(long startSequence, long commitSequence) {
    assert startSequence > 0 && commitSequence > 0; // 0 stands for a vacant place
    int place = find(startSequence);
    if (starts[place] == 0) {
      if (size == capacity) {
        place = placeAfterTidying(startSequence);
      }
      size++;
      starts[place] = startSequence;
      lowest = Math.min(lowest, startSequence);
      if (place < passed) {
        lowestPassed = Math.min(lowestPassed, startSequence);
      }
    }
    commits[place] = commitSequence;
    assert lowest <= startSequence;
    assert size <= capacity && 2 * capacity <= starts.length; // so a search meets a vacant place
  }

  /** In a replay swept entries may stand in the way; otherwise the caller saw to it. */
  private int placeAfterTidying(long startSequence) {
    while (!tidy(starts.length)) {
      // Each pass that began after the last change is the last one.
    }
    if (size == capacity) {
      throw new IllegalStateException("the table of " + capacity + " uncleaned commits is full");
    }
    return find(startSequence);
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
    removeAt(hole);
    return true;
  }

  private void removeAt(int place) {
    assert starts[place] != 0 && lowest <= starts[place];
    untidy |= starts[place] == lowest;
    again |= starts[place] == lowestPassed;
    close(place);
    if (--size == 0) {
      lowest = Long.MAX_VALUE;
      endPass(false);
    }
  }

  /** Vacates a place. */
  private void close(int vacated) {
    int hole = vacated;
    // Backward shift: an entry moves into the hole unless its home lies behind the hole.
    for (int place = hole + 1 & mask; starts[place] != 0; place = place + 1 & mask) {
      int home = home(starts[place]);
      if ((place - home & mask) >= (place - hole & mask)) {
        starts[hole] = starts[place];
        commits[hole] = commits[place];
        if (hole < passed) { // the pass may not have seen it where it was
          lowestPassed = Math.min(lowestPassed, starts[hole]);
          again |= commits[hole] < sweptBelow;
        }
        hole = place;
      }
    }
    starts[hole] = 0;
  }

  /** Entries that committed below {@code below} have no marks left: they leave with a pass. */
  void sweep(long below) {
    if (below > sweptBelow) {
      sweptBelow = below;
      untidy = size > 0;
      again |= passed > 0;
    }
  }

  /** Goes on with a pass over the table, if one is needed; returns whether none is any more. */
  boolean tidy(int stepsMax) {
    if (!untidy) {
      return true;
    }
    for (int steps = stepsMax; steps > 0 && untidy && passed < starts.length; steps--) {
      if (starts[passed] == 0) {
        passed++;
      } else if (commits[passed] < sweptBelow) {
        removeAt(passed); // and look again: another may have moved here
      } else {
        lowestPassed = Math.min(lowestPassed, starts[passed]);
        passed++;
      }
    }
    if (untidy && passed == starts.length) {
      assert lowest <= lowestPassed;
      lowest = lowestPassed;
      endPass(again);
    }
    return !untidy;
  }

  private void endPass(boolean another) {
    untidy = another;
    again = false;
    passed = 0;
    lowestPassed = Long.MAX_VALUE;
  }

  /** No start in the table is lower; Long.MAX_VALUE if the table is empty. */
  long lowest() {
    return lowest;
  }

  // Its places, for UncleanedSnapshot.

  int places() {
    return starts.length;
  }

  /** The start at a place, or 0 if it is vacant. */
  long start(int place) {
    return starts[place];
  }

  /** The commit at an occupied place. */
  long commit(int place) {
    return commits[place];
  }

  /** Whether the entry at an occupied place has no marks left. */
  boolean isSwept(int place) {
    return commits[place] < sweptBelow;
  }

  /** Whether the entry at an occupied place found none between its home and the table's end. */
  boolean isWrapped(int place) {
    return home(starts[place]) > place;
  }

  private int find(long startSequence) {
    int place = home(startSequence);
    while (starts[place] != 0 && starts[place] != startSequence) {
      place = place + 1 & mask;
    }
    return place;
  }

  /** Where the search for a transaction begins. */
  int home(long startSequence) {
    long mixed = (startSequence ^ secret) * 0x9E3779B97F4A7C15L;
    return (int) ((mixed ^ mixed >>> 32) * 0xD6E8FEB86659FD93L >>> 32) & mask;
  }
}
