package io.retso.bench.load;

/**
 * The rows of the paper's workload: each transaction writes n rows, n uniform in 0..{@link
 * #ROWS_PER_TRANSACTION_MAX}, drawn uniformly from a table of so many rows.
 *
 * <p>A row id is a 64-bit hash of the row's number, as real ids are hashes of the row's key. The
 * same seed gives the same rows. A few nanoseconds a row; not thread-safe.
 */
public final class RowSource {
  /** Rows of a transaction, at most. */
  public static final int ROWS_PER_TRANSACTION_MAX = 20;

  /** Rows of a table, at most. */
  public static final long ROWS_MAX = 0xffff_ffffL;

  private static final long GOLDEN = 0x9E37_79B9_7F4A_7C15L;

  private final long rows;
  private long state;

  /**
   * Seeds a source.
   *
   * @param rows the rows of the table, 1 to {@link #ROWS_MAX}
   */
  public RowSource(long seed, long rows) {
    if (rows < 1 || rows > ROWS_MAX) {
      throw new IllegalArgumentException(rows + " rows are not within 1 and " + ROWS_MAX);
    }
    this.rows = rows;
    long mixed = mix(seed + GOLDEN);
    state = mixed == 0 ? GOLDEN : mixed; // xorshift stays at zero
  }

  /** The number of rows of the next transaction. */
  public int nextCount() {
    return (int) ((next() >>> 32) * (ROWS_PER_TRANSACTION_MAX + 1) >>> 32);
  }

  /** The id of the next row. */
  public long nextRow() {
    return rowId((next() >>> 32) * rows >>> 32);
  }

  /** Marsaglia's xorshift64; its upper half is used. */
  private long next() {
    long x = state;
    x ^= x << 13;
    x ^= x >>> 7;
    x ^= x << 17;
    state = x;
    return x;
  }

  /** The id of a row by its number; different rows have different ids. */
  static long rowId(long number) {
    return mix(number + GOLDEN);
  }

  /** A bijection that spreads (the finalizer of splitmix64). */
  private static long mix(long number) {
    long x = (number ^ number >>> 30) * 0xBF58_476D_1CE4_E5B9L;
    x = (x ^ x >>> 27) * 0x94D0_49BB_1331_11EBL;
    return x ^ x >>> 31;
  }
}
