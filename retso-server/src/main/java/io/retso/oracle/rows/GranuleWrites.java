package io.retso.oracle.rows;

import java.util.Arrays;

/**
 * The newest two commits that wrote each granule, in lines of 64 bytes, of which a granule belongs
 * to one. A transaction names tens of granules for each row that it writes, so places without keys
 * would soon be full of commits of others.
 *
 * <pre>
 *   word 0 .. 4    names of five granules (their low 32 bits)
 *   word 5 .. 9    their newest commits
 *   word 10 .. 14  the newest commits before these, or later ones
 *   word 15        the newest commit of the other granules of this line, or a later one
 * </pre>
 *
 * <p>Errors are on the safe side, a commit that is too new: granules of one name share their
 * commits, and of a granule without a name both commits count as word 15. A granule loses its name
 * to that word only, when it is the one of five that was not written for the longest time.
 *
 * <p>All are the low 32 bits of sequences, compared by difference, and held like those of {@link
 * RowStripes}. Memory is allocated once. Not thread-safe.
 */
public final class GranuleWrites {
  private static final int NAMED = 5;
  private static final int LINE_WORDS = 16;

  /** Bytes of memory per line. */
  static final int BYTES = LINE_WORDS * Integer.BYTES;

  /** Lines coincide with cache lines if the array begins as {@link CommittedMap} says. */
  private static final int FIRST = 12;

  /** From a name to the newest commit, and from that to the one before it. */
  private static final int NEXT = NAMED;

  private static final int OTHERS = 3 * NAMED;

  private final int[] words;

  GranuleWrites(int lines) {
    words = new int[FIRST + lines * LINE_WORDS];
  }

  /** A word of the line, for loads that are to overlap. */
  int touch(int line) {
    return words[FIRST + line * LINE_WORDS];
  }

  /**
   * Where the commits of a granule are, for {@link #newest} and {@link #previous}: until the next
   * one is written.
   */
  public int find(long id, int line) {
    int begin = FIRST + line * LINE_WORDS;
    int named = named((int) id, begin);
    return named < 0 ? begin + OTHERS : named + NEXT;
  }

  /** The first, since a line that is new, or forgotten, has one name five times. */
  private int named(int name, int begin) {
    for (int at = begin; at < begin + NAMED; at++) {
      if (words[at] == name) {
        return at;
      }
    }
    return -1;
  }

  /** The newest commit that wrote it, or a later one. */
  public int newest(int place) {
    return words[place];
  }

  /** The newest before the {@link #newest}, or a later one. */
  public int previous(int place) {
    return words[isOthers(place) ? place : place + NEXT];
  }

  private static boolean isOthers(int place) {
    return (place - FIRST) % LINE_WORDS == OTHERS;
  }

  /** This commit, the newest of all, wrote these granules. */
  public void wrote(long[] ids, int[] lines, int from, int to, int commit) {
    for (int i = from; i < to; i++) {
      int begin = FIRST + lines[i] * LINE_WORDS;
      int at = named((int) ids[i], begin);
      if (at < 0) {
        at = nameFor((int) ids[i], begin);
      }
      assert commit - words[at + NEXT] >= 0 && words[at + NEXT] - words[at + 2 * NEXT] >= 0;
      if (words[at + NEXT] != commit) { // the transaction may have named it twice
        words[at + 2 * NEXT] = words[at + NEXT];
        words[at + NEXT] = commit;
      }
    }
  }

  /** Names a granule in its line, in place of the one that was written before the others. */
  private int nameFor(int name, int begin) {
    int oldest = begin;
    for (int at = begin + 1; at < begin + NAMED; at++) {
      if (words[at + NEXT] - words[oldest + NEXT] < 0) {
        oldest = at;
      }
    }
    int others = begin + OTHERS;
    int gone = words[oldest + NEXT];
    int before = words[others]; // among which it was until now
    words[others] = before + Math.max(gone - before, 0);
    words[oldest] = name;
    words[oldest + NEXT] = before;
    words[oldest + 2 * NEXT] = before;
    return oldest;
  }

  /** Ages the commits of a line; see {@link CommittedMap#held}. */
  void hold(int line, int now) {
    int begin = FIRST + line * LINE_WORDS;
    for (int at = begin + NEXT; at <= begin + OTHERS; at++) {
      words[at] = CommittedMap.held(words[at], now);
    }
  }

  /** All of them were written at {@code now}. */
  void clear(int now) {
    Arrays.fill(words, now);
  }
}
