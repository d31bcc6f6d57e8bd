package io.retso.oracle.rows;

import java.util.Arrays;

/**
 * What serializable transactions have read of rows, and which rows were written lately. It is
 * small, so that most of it stays in a processor's own cache: half a MiB in lines of 64 bytes, of
 * which a row belongs to one.
 *
 * <pre>
 *   word 0 .. 7    eight stripes: the highest serial position that has read one of the rows
 *   word 8 .. 10   names of three rows that were written lately (their low 32 bits)
 *   word 11 .. 13  their newest commits
 *   word 14        the newest commit of the other rows of this line, or a later one
 * </pre>
 *
 * <p>Stripes have no keys: rows that share one look as if all of them had been read. Of written
 * rows the newest three are known by name, so that most rows that were read are certified without a
 * look at the map, whose line would have to come from memory: they were certainly not written
 * since. Beside the lines are the commits of each stripe that have their position before their
 * commit timestamp, which are hardly ever looked at.
 *
 * <p>The errors are on the safe side. A position that is too high can only refuse a commit, and
 * only of a transaction of which something that it read was changed. A row that looks written makes
 * the oracle ask the map. So it does with rows of one name, and with word 14: it is at least the
 * newest commit of each row that is not named, since a row loses its name to that word only.
 *
 * <p>All numbers are the low 32 bits of sequences, a position being rounded up to one, and are
 * compared by difference. So none may fall more than 2^31 behind: like the map's commits they are
 * held at {@link CommittedMap#AGE_MAX} by a sweep. Memory is allocated once. Not thread-safe.
 */
public final class RowStripes {
  /** Stripes of a line. */
  private static final int READS = 8;

  private static final int LINE_WORDS = 16;

  /** Bytes of memory per stripe. */
  public static final int BYTES = LINE_WORDS * Integer.BYTES / READS + CommitPairs.BYTES;

  private static final int RECENT = 3;

  /**
   * Places count from this word: lines coincide with cache lines if the array begins as {@link
   * CommittedMap} says.
   */
  private static final int FIRST = 12;

  private static final int NAMES = FIRST + READS;
  private static final int COMMITS = NAMES + RECENT;
  private static final int OTHERS = COMMITS + RECENT;

  private final int[] words;
  private final CommitPairs past;
  private final StripeSweep sweep;
  private final int shift;

  /** Keeps the compiler from dropping the loads of {@link #locate}. */
  private int touched;

  /** Allocates stripes: a power of two, at least 16. */
  public RowStripes(int stripes) {
    words = new int[FIRST + stripes / READS * LINE_WORDS];
    past = new CommitPairs(stripes);
    sweep = new StripeSweep(stripes / READS, this::hold);
    shift = Long.SIZE - Integer.numberOfTrailingZeros(stripes);
  }

  /**
   * Finds the places of many rows, and touches them all, so that their loads overlap.
   *
   * @param rows row ids; id 0 is replaced by its name in the map
   * @param found receives the place of each row: that of its stripe
   */
  public void locate(long[] rows, int from, int to, int[] found) {
    int[] w = words;
    int sum = 0;
    for (int i = from; i < to; i++) {
      if (rows[i] == 0) {
        rows[i] = CommittedMap.named(0);
      }
      int place = place((int) (mix(rows[i]) >>> shift));
      found[i] = place;
      sum += w[FIRST + place];
    }
    touched = sum;
  }

  private static int place(int stripe) {
    return stripe + (stripe & -READS);
  }

  /** The number of the stripe at a place, for {@link #past}. */
  public static int stripe(int place) {
    return (place & -LINE_WORDS) / 2 + (place & READS - 1);
  }

  private static int line(int place) {
    return place & -LINE_WORDS;
  }

  /**
   * Whether one of these rows may have been written after {@code start}. If not, none of them was
   * by a commit that was given to {@link #wrote}.
   */
  public boolean mayBeWritten(long[] rows, int[] located, int from, int to, int start) {
    int[] w = words;
    int newest = 0;
    for (int i = from; i < to; i++) {
      int line = line(located[i]);
      int name = (int) rows[i];
      int commit = w[line + OTHERS];
      commit = w[line + NAMES + 2] == name ? w[line + COMMITS + 2] : commit;
      commit = w[line + NAMES + 1] == name ? w[line + COMMITS + 1] : commit;
      commit = w[line + NAMES] == name ? w[line + COMMITS] : commit; // the first, as in wrote()
      newest = Math.max(newest, commit - start);
    }
    return newest > 0;
  }

  /** This commit, the newest of all, wrote these rows. */
  public void wrote(long[] rows, int[] located, int from, int to, int commit) {
    int[] w = words;
    for (int i = from; i < to; i++) {
      int line = line(located[i]);
      int name = (int) rows[i];
      if (w[line + NAMES] == name) {
        w[line + COMMITS] = commit;
      } else if (w[line + NAMES + 1] == name) {
        w[line + COMMITS + 1] = commit;
      } else if (w[line + NAMES + 2] == name) {
        w[line + COMMITS + 2] = commit;
      } else {
        name(w, line, name, commit);
      }
    }
  }

  /** Names a row in its line; the one that was named before the others gives way. */
  private static void name(int[] w, int line, int name, int commit) {
    assert commit - later(w[line + OTHERS], w[line + COMMITS]) >= 0;
    w[line + OTHERS] = later(w[line + OTHERS], w[line + COMMITS + 2]);
    w[line + NAMES + 2] = w[line + NAMES + 1];
    w[line + COMMITS + 2] = w[line + COMMITS + 1];
    w[line + NAMES + 1] = w[line + NAMES];
    w[line + COMMITS + 1] = w[line + COMMITS];
    w[line + NAMES] = name;
    w[line + COMMITS] = commit;
  }

  /** The highest position that has read, as a sequence. */
  public int read(int place) {
    return words[FIRST + place];
  }

  /**
   * These were read at this position, rounded up to a sequence.
   *
   * @param located places; what is below 0 is left out
   */
  public void setRead(int[] located, int from, int to, int sequence) {
    int[] w = words;
    for (int i = from; i < to; i++) {
      int place = located[i];
      if (place >= 0) {
        w[FIRST + place] = later(w[FIRST + place], sequence);
      }
    }
  }

  /**
   * They were read at a position above all that have read yet, and none of the places is left out:
   * the usual case, which needs no comparison.
   */
  public void setReadNow(int[] located, int from, int to, int sequence) {
    int[] w = words;
    for (int i = from; i < to; i++) {
      assert sequence - w[FIRST + located[i]] >= 0;
      w[FIRST + located[i]] = sequence;
    }
  }

  /**
   * By {@link #stripe}, commits that changed rows and have their position before their commit
   * timestamp.
   */
  public CommitPairs past() {
    return past;
  }

  private static int later(int a, int b) {
    return a + Math.max(b - a, 0);
  }

  /**
   * Spreads ids, in the upper bits, otherwise than the map does: those of one line of it are in
   * different stripes. Ids are hashes (RowId) mostly; of others neighbours are spread.
   */
  static long mix(long id) {
    return id * 0xD6E8FEB86659FD93L;
  }

  /**
   * Forgets everything, on the safe side: all was read, and written in the past, at {@code now}.
   */
  public void clear(int now) {
    Arrays.fill(words, now);
    past.clear(now);
    sweep.clear(now);
  }

  /** Ages what is kept, as time goes on. */
  public void age(int now) {
    if (sweep.isDue(now)) {
      sweep.advance(now);
    }
  }

  private void hold(int lineNumber, int now) {
    int line = lineNumber * LINE_WORDS;
    for (int i = 0; i < READS; i++) {
      words[FIRST + line + i] = CommittedMap.held(words[FIRST + line + i], now);
      past.hold(lineNumber * READS + i, now);
    }
    for (int i = COMMITS; i <= OTHERS; i++) {
      words[line + i] = CommittedMap.held(words[line + i], now);
    }
  }
}
