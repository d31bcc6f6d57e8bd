package io.retso.oracle;

import io.retso.oracle.rows.CommittedMap;
import io.retso.protocol.Outcome;

/**
 * Commit requests that are decided together, so that the memory loads of their rows overlap (about
 * 16 requests are enough, more bring nothing). Filled, decided, read and cleared by one thread,
 * again and again; it allocates nothing after construction.
 */
public final class CommitBatch {
  /** Requests of a batch, at most. */
  public static final int COMMITS_MAX = 32;

  /**
   * A batch that has this many rows takes no further request, unless it is empty: their lines of
   * the map stay in the processor's cache from the moment they are located until they are written.
   * A request of more rows is alone in its batch.
   */
  static final int ROWS_ENOUGH = 512;

  private static final int LISTS = 5;

  final long[] starts = new long[COMMITS_MAX];
  final boolean[] repeats = new boolean[COMMITS_MAX];

  /**
   * Where lists of ids end, behind a 0. Each request has five, one behind the other: rows that it
   * writes, rows that it validates, rows that it reads, granules that it reads, granules in which
   * it writes. Plain commits have the first one only.
   */
  private final int[] ends = new int[LISTS * COMMITS_MAX + 1];

  final boolean[] serializable = new boolean[COMMITS_MAX];
  final long[] outcomes = new long[COMMITS_MAX];

  /** Why requests were refused. */
  final Refusals refusals = new Refusals(COMMITS_MAX);

  final long[] rows;

  /** The places in the map of rows that are written or validated, once they are located. */
  final int[] lines;

  /** Where {@link #rows} has those that are written or validated, once they are gathered. */
  final int[] mapped = new int[ROWS_ENOUGH];

  /**
   * The stripe of each id, if {@link Certifier#locate} has found any; for a row that was read and
   * is judged, less than 0 if others have changed it.
   */
  final int[] stripes;

  int size;

  /** The answer to commits with rows that are not decided; 0 if it is to be found out. */
  long refusal;

  /** Whether any request has more than rows that it writes. */
  boolean hasReads;

  /** Whether any request has granules. */
  boolean hasGranules;

  /** Whether any request is serializable. */
  boolean hasSerializable;

  private int newCommits;
  private int newRows;

  /**
   * Allocates a batch.
   *
   * @param transactionRowsMax rows of the largest single transaction
   */
  public CommitBatch(int transactionRowsMax) {
    int capacity = Math.max(transactionRowsMax, 1) + ROWS_ENOUGH;
    rows = new long[capacity];
    lines = new int[capacity];
    stripes = new int[capacity];
  }

  /** Whether a request of so many rows can be added. */
  public boolean hasRoomFor(int requestRows) {
    return size == 0 || size < COMMITS_MAX && rowCount() + requestRows <= ROWS_ENOUGH;
  }

  /**
   * Whether it is one request of so many rows that their lines would push each other out of the
   * cache: then it goes over them in pieces of {@link #ROWS_ENOUGH}, each of which it locates.
   */
  boolean isLarge() {
    assert rowCount() <= ROWS_ENOUGH || size == 1;
    return rowCount() > ROWS_ENOUGH;
  }

  /**
   * These rows were last committed at {@code commit}. They were located, but those of a large
   * request are located here: if they were before, their lines may have left the cache since.
   */
  void putInto(CommittedMap map, int from, int to, int commit) {
    for (int at = from; at < to; at += ROWS_ENOUGH) {
      int end = Math.min(at + ROWS_ENOUGH, to);
      if (isLarge()) {
        map.locate(rows, at, end, lines);
      }
      map.put(rows, at, end, lines, commit);
    }
  }

  /**
   * Adds a request and returns the index in {@link #rows()} at which the caller must put its row
   * ids, {@code requestRows} of them.
   *
   * @param repeat whether the client sent this commit before and lost the reply
   */
  public int add(long startTimestamp, boolean repeat, int requestRows) {
    int from = add(startTimestamp, repeat, requestRows, 0, 0, 0, 0);
    serializable[size - 1] = false;
    return from;
  }

  /**
   * Adds a request with five lists of ids, which the caller must put at the returned index in this
   * order; see {@link #ends}.
   *
   * @param isSerializable whether what it reads is judged; otherwise reads are ignored
   */
  public int add(
      long startTimestamp,
      boolean repeat,
      boolean isSerializable,
      int writes,
      int validated,
      int reads,
      int rangeReads,
      int rangeWrites) {
    int from = add(startTimestamp, repeat, writes, validated, reads, rangeReads, rangeWrites);
    serializable[size - 1] = isSerializable;
    hasSerializable |= isSerializable;
    hasReads = true;
    hasGranules |= rangeReads + rangeWrites > 0;
    return from;
  }

  private int add(
      long startTimestamp,
      boolean repeat,
      int writes,
      int validated,
      int reads,
      int rangeReads,
      int rangeWrites) {
    assert size < COMMITS_MAX : "no room for another request";
    assert (writes | validated | reads | rangeReads | rangeWrites) >= 0;
    int from = rowCount();
    int at = LISTS * size;
    starts[size] = startTimestamp;
    repeats[size++] = repeat;
    ends[at + 1] = from + writes;
    ends[at + 2] = ends[at + 1] + validated;
    ends[at + 3] = ends[at + 2] + reads;
    ends[at + 4] = ends[at + 3] + rangeReads;
    ends[at + 5] = ends[at + 4] + rangeWrites;
    return from;
  }

  /**
   * Gathers where the rows are that are written or validated, so that one loop locates them: their
   * loads overlap across requests only if no loop ends in between. Returns how many there are.
   */
  int gatherMapped() {
    assert !isLarge();
    int count = 0;
    for (int i = 0; i < size; i++) {
      int end = validatedEnd(i);
      for (int k = from(i); k < end; k++) {
        mapped[count++] = k;
      }
    }
    return count;
  }

  /** Where the ids of the i-th request begin: those of the rows that it writes. */
  int from(int i) {
    return ends[LISTS * i];
  }

  /** Where the rows end that it writes, and those begin that it validates. */
  int writesEnd(int i) {
    return ends[LISTS * i + 1];
  }

  /** Whether the i-th request writes rows. */
  boolean writes(int i) {
    return from(i) < writesEnd(i);
  }

  /** Where the rows end that it validates, and those begin that it reads. */
  int validatedEnd(int i) {
    return ends[LISTS * i + 2];
  }

  /** Where the rows end that it reads, and the granules begin that it reads. */
  int readsEnd(int i) {
    return ends[LISTS * i + 3];
  }

  /** Where the granules end that it reads, and those begin in which it writes. */
  int rangeReadsEnd(int i) {
    return ends[LISTS * i + 4];
  }

  /** Where the ids of the i-th request end, and those of the next one begin. */
  int end(int i) {
    return ends[LISTS * i + 5];
  }

  /** Ids of all requests. */
  int rowCount() {
    return ends[LISTS * size];
  }

  /** Adds a commit of the log, with the rows that it wrote; see {@link Replay#committed}. */
  public void addLogged(long start, long commit, long[] source, int from, int to) {
    int at = add(start, false, to - from);
    System.arraycopy(source, from, rows, at, to - from);
    outcomes[size - 1] = commit;
  }

  /** Commits with rows that are not decided get this answer, a refusal; or none with 0. */
  public void refuseRows(long answer) {
    refusal = answer;
  }

  /** A request was decided to commit, here and now. */
  void committed(int requestRows) {
    newCommits += requestRows > 0 ? 1 : 0;
    newRows += requestRows;
  }

  /** Requests with rows that committed when they were decided; no answers to repeats. */
  public int newCommits() {
    return newCommits;
  }

  /** The rows of {@link #newCommits}. */
  public int newRows() {
    return newRows;
  }

  /** Where row ids go. */
  public long[] rows() {
    return rows;
  }

  /** Requests in the batch. */
  public int size() {
    return size;
  }

  /** The outcome of the i-th request, once decided. */
  public long outcome(int i) {
    assert i < size;
    return outcomes[i];
  }

  /**
   * Why the i-th request was aborted, once decided: which of its ids met the commit {@link #met}.
   *
   * @return its place among the ids of its five lists, one behind the other; {@link Refusals#NONE}
   *     if no id is known to be the reason
   */
  public int offending(int i) {
    assert i < size;
    return isExplained(i) ? refusals.offending(i) : Refusals.NONE;
  }

  /**
   * The commit that the {@link #offending} id met: the newest one that changed it, or, of a
   * granule, perhaps one that changed another granule of its line.
   *
   * @return a timestamp above the request's start; 0 if none is known: a row of the same line was
   *     committed and forgotten, and it may have been this one
   */
  public long met(int i) {
    assert i < size;
    return isExplained(i) ? refusals.met(i) : 0;
  }

  /**
   * The place of an id that the i-th request writes, if it is a pivot, and that was read by one
   * that must come after the change of what the pivot read; {@link Refusals#NONE} if there is none.
   */
  public int alsoRead(int i) {
    assert i < size;
    return isExplained(i) ? refusals.alsoRead(i) : Refusals.NONE;
  }

  /** Nothing is noted for other outcomes. */
  private boolean isExplained(int i) {
    return Outcome.isExplained(outcomes[i]);
  }

  /** The id of the i-th request at a place that is not {@link Refusals#NONE}. */
  public long id(int i, int place) {
    assert place >= 0 && place < end(i) - from(i);
    return rows[from(i) + place];
  }

  public void clear() {
    size = 0;
    hasReads = false;
    hasGranules = false;
    hasSerializable = false;
    newCommits = 0;
    newRows = 0;
  }
}
