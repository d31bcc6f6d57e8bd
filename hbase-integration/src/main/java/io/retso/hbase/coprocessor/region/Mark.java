package io.retso.hbase.coprocessor.region;

import java.util.Arrays;
import java.util.Comparator;
import org.apache.hadoop.hbase.KeyValue;

/**
 * A mark that is in the write-ahead log and in the memory of a region, and no cell of {@code !pw};
 * {@link RegionMarks}. Thread-safe.
 */
public final class Mark {
  /** In the order of the rows of a table. */
  static final Comparator<Mark> BY_ROW =
      (one, other) ->
          Arrays.compareUnsigned(one.row, other.row); // the JVM's is faster than HBase's

  /** What it takes to keep one, besides its row and its cell, if it is the only one of a batch. */
  private static final int OVERHEAD_BYTES = 220;

  private final byte[] row;
  private final long start;

  /** As it is in the log; null in what is looked for. */
  private final KeyValue cell;

  /** Whether a flush writes it or has written it. */
  private volatile boolean isTaken;

  /** Whether its cleanup is in log and memory, and the mark goes when that is visible. */
  private volatile boolean isCleaned;

  /** Whether it is here no more; set under the lock of {@link Writers}. */
  private volatile boolean isGone;

  Mark(byte[] row, long start, KeyValue cell) {
    this.row = row;
    this.start = start;
    this.cell = cell;
  }

  /** Not to be changed. */
  public byte[] row() {
    return row;
  }

  /** The start timestamp of its transaction. */
  public long start() {
    return start;
  }

  /** What stands for it in the log, and later in a file. */
  public KeyValue cell() {
    return cell;
  }

  /** Whether it is a cell of the family, or about to be one. */
  public boolean isTaken() {
    return isTaken;
  }

  void take() {
    isTaken = true;
  }

  boolean isCleaned() {
    return isCleaned;
  }

  void setCleaned() {
    isCleaned = true;
  }

  boolean isGone() {
    return isGone;
  }

  void setGone() {
    isGone = true;
  }

  /** HBase numbers a cell when it appends it to the log. */
  boolean isLogged() {
    return cell.getSequenceId() != 0;
  }

  int bytes() {
    return OVERHEAD_BYTES + row.length + cell.getLength();
  }
}
