package io.retso.oracle.rows;

import java.util.Arrays;

/**
 * The lazy, self-collecting hash map of the paper (section 3.2): for each row the time of its last
 * commit, for as many rows as fit, in one cache line per row.
 *
 * <p>The map is one {@code long[]}, cut into lines of 64 bytes. A row belongs to one line; a line
 * holds five rows and its own T_max:
 *
 * <pre>
 *   word 0 .. 4   row ids, the full 64 bits
 *   word 5        commit of row 0 (low half)   commit of row 1 (high half)
 *   word 6        commit of row 2              commit of row 3
 *   word 7        commit of row 4              T_max of this line
 * </pre>
 *
 * <p>That is 12.8 bytes a row. A commit here is the low 32 bits of the sequence of its timestamp.
 *
 * <ul>
 *   <li><strong>Collection is lazy</strong>: a row that finds its line full takes the place of the
 *       line's oldest one, which is in the cache already. Nothing ever scans for garbage.
 *   <li><strong>T_max per line</strong>: the newest commit that was evicted from this line. A row
 *       that is absent was last committed at T_max of its line or before, because a row can only be
 *       evicted from its own line. So Algorithm 3, line 7, judged by the line instead of by one
 *       global T_max, is still exact on the safe side, and the eviction of a young row harms only
 *       the rows of its own line.
 *   <li><strong>One entry a row</strong>, updated in place: a hot row does not flush its line.
 *   <li>The sixth commit of a line is T_max: a row that is found nowhere has index 5, and its "last
 *       commit" is read at index 5. Looking up needs no branch that a processor could mispredict.
 * </ul>
 *
 * <p>Commits are compared by difference, so no stored commit may fall more than 2^31 behind: each
 * step of time sweeps a few lines ({@link #advance}) and lifts commits older than {@link #AGE_MAX}
 * to that age. The lift is invisible: the oracle aborts transactions that started so long ago
 * before it looks here (its window is far shorter).
 *
 * <p>Memory is allocated once. Not thread-safe.
 */
public final class CommittedMap {
  /** Rows of a line. */
  static final int WAYS = 5;

  /** Bytes of memory per row. */
  static final double BYTES_PER_ROW = 64.0 / WAYS;

  /** The most rows that one array can hold. */
  static final long CAPACITY_MAX = 1_000_000_000L;

  /** Age, in sequences, at which the sweep holds a commit. */
  public static final int AGE_MAX = 1 << 30;

  /** The sweep visits every line once in so many sequences. */
  static final int SWEEP_PERIOD = 1 << 29;

  private static final int LINE_WORDS = 8;
  private static final int COMMITS = 5;
  private static final int TMAX_WORD = 7;
  private static final int TMAX_INDEX = 5;

  /** The bits of a place that are a line; the others are an index. */
  private static final int LINE_MASK = -LINE_WORDS;

  private static final long LOW = 0xffff_ffffL;

  /**
   * Array elements begin 16 bytes behind an array's address, and large arrays begin at the start of
   * a heap region (G1): six words further the lines coincide with cache lines.
   */
  private static final int ALIGNMENT_WORDS = 6;

  /**
   * Empty places hold row id 0; the real row 0 lives under this name. If it is another row's id the
   * two conflict with each other, which is safe.
   */
  private static final long ROW_ZERO = 0x5bd1_e995_9e37_79b9L;

  private final long[] words;
  private final long lines;
  private final int sequencesPerLine;

  private int sweptAt;
  private int sweepLine;
  private long occupied;
  private long evictions;
  private int newestEvicted;

  /**
   * Allocates the map.
   *
   * @param capacity rows, 1 to {@link #CAPACITY_MAX}; rounded up to whole lines
   */
  public CommittedMap(long capacity) {
    if (capacity < 1 || capacity > CAPACITY_MAX) {
      throw new IllegalArgumentException(
          "capacity of " + capacity + " rows is not within 1 and " + CAPACITY_MAX);
    }
    lines = (capacity + WAYS - 1) / WAYS;
    words = new long[(int) lines * LINE_WORDS + LINE_WORDS];
    sequencesPerLine = (int) Math.max(1, SWEEP_PERIOD / lines);
  }

  /** Rows that fit. */
  public long capacity() {
    return lines * WAYS;
  }

  /** Rows present. */
  public long occupied() {
    return occupied;
  }

  /** Rows that gave their place to another since the start. */
  public long evictions() {
    return evictions;
  }

  /** The newest commit that was ever evicted: the paper's T_max. */
  public int newestEvicted() {
    return newestEvicted;
  }

  /**
   * Finds the lines of many rows and touches them all, so that their loads from memory overlap.
   * Without this pass each row would wait for the one before it; it is worth a factor of two.
   *
   * @param rows row ids; id 0 is replaced by its stand-in
   * @param found receives the place of each row: its line, and later, in the low bits, its index
   */
  public void locate(long[] rows, int from, int to, int[] found) {
    long[] w = words;
    long lineCount = lines;
    long sum = 0;
    for (int i = from; i < to; i++) {
      long row = rows[i];
      if (row == 0) {
        row = ROW_ZERO;
        rows[i] = row;
      }
      int line = line(row, lineCount);
      found[i] = line;
      sum += w[line + ALIGNMENT_WORDS + TMAX_WORD];
    }
    touched = sum;
  }

  /**
   * Does the same for the rows at some places of the array.
   *
   * @param at the places, {@code count} of them
   */
  public void locate(long[] rows, int[] at, int count, int[] found) {
    long[] w = words;
    long lineCount = lines;
    long sum = 0;
    for (int j = 0; j < count; j++) {
      int i = at[j];
      long row = rows[i];
      if (row == 0) {
        row = ROW_ZERO;
        rows[i] = row;
      }
      int line = line(row, lineCount);
      found[i] = line;
      sum += w[line + ALIGNMENT_WORDS + TMAX_WORD];
    }
    touched = sum;
  }

  /** Keeps the compiler from dropping the loads of {@link #locate} and {@link #touch}. */
  private long touched;

  /**
   * Algorithm 3, lines 1 to 11: the newest commit of these rows, or what it may have been, as its
   * distance from {@code start}. Above 0 a row was, or may have been, committed after the start.
   */
  public int newestSince(long[] rows, int from, int to, int[] located, int start) {
    long[] w = words;
    int newest = -AGE_MAX;
    for (int i = from; i < to; i++) {
      int place = located[i] & LINE_MASK;
      int line = place + ALIGNMENT_WORDS;
      int index = find(w, line, rows[i]);
      located[i] = place | index;
      newest = Math.max(newest, commit(w, line, index) - start);
    }
    return newest;
  }

  /** Touches the line of a row that was not located. */
  public void touch(long row) {
    touched += words[line(named(row), lines) + ALIGNMENT_WORDS + TMAX_WORD];
  }

  /** The place of a row that was not located: its line and its index. */
  public int find(long row) {
    long name = named(row);
    int line = line(name, lines);
    return line | find(words, line + ALIGNMENT_WORDS, name);
  }

  /** The last commit of the row that has this place, or T_max of its line if it is absent. */
  public int commitAt(int place) {
    return commit(words, (place & LINE_MASK) + ALIGNMENT_WORDS, place & ~LINE_MASK);
  }

  /** Whether the row that has this place is in the map. */
  public static boolean isPresent(int place) {
    return (place & ~LINE_MASK) != TMAX_INDEX;
  }

  /** The name of a row in the map. */
  static long named(long row) {
    return row == 0 ? ROW_ZERO : row;
  }

  /**
   * Whether one of the rows is present with a commit after {@code start} (line 4), as opposed to
   * absent with a younger T_max (line 8). Asked only about transactions that conflict.
   */
  public boolean conflictsCertainly(long[] rows, int from, int to, int[] located, int start) {
    for (int i = from; i < to; i++) {
      int line = (located[i] & LINE_MASK) + ALIGNMENT_WORDS;
      int index = find(words, line, rows[i]);
      if (index != TMAX_INDEX && start - commit(words, line, index) < 0) {
        return true;
      }
    }
    return false;
  }

  /** Algorithm 3, lines 12 to 14: the rows were last committed at {@code commit}. */
  public void put(long[] rows, int from, int to, int[] located, int commit) {
    long[] w = words;
    for (int i = from; i < to; i++) {
      long row = rows[i];
      int line = (located[i] & LINE_MASK) + ALIGNMENT_WORDS;
      int index = located[i] & ~LINE_MASK;
      // What newestSince() found is a hint only: a put of this same transaction may have evicted
      // it, or put it there. (The word at TMAX_INDEX holds commits; should it look like the row,
      // the sixth commit, T_max, is raised, which is safe.)
      if (w[line + index] != row) {
        index = find(w, line, row);
        if (index == TMAX_INDEX) {
          index = evictOldest(w, line, commit);
          w[line + index] = row;
        }
      }
      int word = line + COMMITS + (index >> 1);
      int shift = (index & 1) << 5;
      w[word] = w[word] & ~(LOW << shift) | (commit & LOW) << shift;
    }
    assert commit - newestEvicted >= 0 : "T_max is above the commit " + commit;
    assert occupied <= lines * WAYS;
  }

  /** Makes room in a full line: returns the index of its oldest row, and raises T_max. */
  private int evictOldest(long[] w, int line, int now) {
    long a = w[line + COMMITS];
    long b = w[line + COMMITS + 1];
    long c = w[line + TMAX_WORD];
    // The age above, the index below: the maximum is the oldest entry and names its own place.
    long oldest = (long) (now - (int) a) << 3;
    oldest = max(oldest, ((long) (now - (int) (a >>> 32)) << 3) + 1);
    oldest = max(oldest, ((long) (now - (int) b) << 3) + 2);
    oldest = max(oldest, ((long) (now - (int) (b >>> 32)) << 3) + 3);
    oldest = max(oldest, ((long) (now - (int) c) << 3) + 4);
    int index = (int) oldest & 7;
    if (w[line + index] == 0) {
      occupied++;
      return index; // an empty place: nothing is forgotten, T_max stays
    }
    int age = (int) (oldest >> 3);
    evictions++;
    newestEvicted = now - min(age, now - newestEvicted);
    int tmax = now - min(age, now - (int) (c >>> 32));
    w[line + TMAX_WORD] = c & LOW | (long) tmax << 32;
    return index;
  }

  /**
   * Advances the map's time, so that it ages its commits: visits as many lines as are due, one in
   * {@link #SWEEP_PERIOD} / lines sequences.
   */
  public void advance(int now) {
    int due = now - sweptAt;
    if (due < 0 || due >= SWEEP_PERIOD) { // time was set: the log's end lies far ahead
      for (int line = 0; line < lines; line++) {
        holdAges(line, now);
      }
      newestEvicted = held(newestEvicted, now);
      sweptAt = now;
      return;
    }
    while (now - sweptAt >= sequencesPerLine) {
      holdAges(sweepLine, now);
      sweptAt += sequencesPerLine;
      if (++sweepLine == lines) {
        sweepLine = 0;
        newestEvicted = held(newestEvicted, now);
      }
    }
    assert !isDue(now);
  }

  /** Whether the next {@link #advance} to {@code now} has work to do. */
  public boolean isDue(int now) {
    return now - sweptAt >= sequencesPerLine;
  }

  /**
   * Empties the map and starts its time at {@code now}. T_max of every line is older than every
   * transaction of the window that ends at {@code now}.
   */
  public void clear(int now) {
    long oldest = now - AGE_MAX & LOW;
    long pair = oldest << 32 | oldest;
    if (occupied > 0) { // at a start it is as it was allocated: one pass over much memory less
      Arrays.fill(words, 0);
    }
    for (int line = 0; line < lines; line++) {
      int first = ALIGNMENT_WORDS + line * LINE_WORDS;
      Arrays.fill(words, first + COMMITS, first + LINE_WORDS, pair);
    }
    sweptAt = now;
    sweepLine = 0;
    newestEvicted = (int) oldest;
    occupied = 0;
    evictions = 0;
  }

  private void holdAges(int line, int now) {
    int first = ALIGNMENT_WORDS + line * LINE_WORDS;
    for (int i = first + COMMITS; i <= first + TMAX_WORD; i++) {
      long pair = words[i];
      words[i] = (long) held((int) (pair >>> 32), now) << 32 | held((int) pair, now) & LOW;
    }
  }

  /** A sequence as it is kept: not older than {@link #AGE_MAX}. */
  static int held(int commit, int now) {
    // Unsigned: an age beyond 2^31 would look like a commit of the future.
    return Integer.compareUnsigned(now - commit, AGE_MAX) > 0 ? now - AGE_MAX : commit;
  }

  /** The index of a row in its line, or {@link #TMAX_INDEX} if it is absent; without branches. */
  private static int find(long[] w, int line, long row) {
    return TMAX_INDEX
        - 5 * isZero(w[line] ^ row)
        - 4 * isZero(w[line + 1] ^ row)
        - 3 * isZero(w[line + 2] ^ row)
        - 2 * isZero(w[line + 3] ^ row)
        - isZero(w[line + 4] ^ row);
  }

  /** 1 if {@code x} is zero, otherwise 0. */
  private static int isZero(long x) {
    return (int) (~(x | -x) >>> 63);
  }

  // Without branches: which entry is the oldest cannot be predicted.

  private static long max(long a, long b) {
    long difference = b - a;
    return a + (difference & ~(difference >> 63));
  }

  private static int min(int a, int b) {
    int difference = b - a;
    return a + (difference & difference >> 31);
  }

  private static int commit(long[] w, int line, int index) {
    return (int) (w[line + COMMITS + (index >> 1)] >>> ((index & 1) << 5));
  }

  private static int line(long name, long lineCount) {
    return (int) ((mix(name) >>> 32) * lineCount >>> 32) * LINE_WORDS;
  }

  /** Spreads row ids that are not hashes. */
  private static long mix(long row) {
    long x = row * 0x9E3779B97F4A7C15L;
    return (x ^ x >>> 32) * 0xD6E8FEB86659FD93L;
  }
}
