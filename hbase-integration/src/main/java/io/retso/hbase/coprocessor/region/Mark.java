package io.retso.hbase.coprocessor.region;

import java.util.Arrays;
import java.util.Comparator;
import org.apache.hadoop.hbase.KeyValue;

/**
 * A mark that is in the write-ahead log and in the memory of a region, and no cell of {@code !pw};
 * {@link RegionMarks}.
 *
 * <p>One that is numbered may be in the log, and its data be seen: it stays if its batch fails. One
 * that stands for a later write of its row must be applied: otherwise the log may have the data of
 * that write and no mark at all.
 *
 * <p>Thread-safe.
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

  private volatile boolean isApplied;

  /** Whether a flush writes it or has written it. */
  private volatile boolean isTaken;

  /** Whether its cleanup is in log and memory, and the mark goes when that is visible. */
  private volatile boolean isCleaned;

  /**
   * Whether it went by itself, and not with all marks of an adopted transaction; set under the lock
   * of {@link Writers}.
   */
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
    assert isNumbered() && !isCleaned && !isGone : this;
    isTaken = true;
  }

  boolean isCleaned() {
    return isCleaned;
  }

  void setCleaned() {
    assert isNumbered() : this;
    isCleaned = true;
  }

  public boolean isGone() {
    return isGone;
  }

  void setGone() {
    assert !isGone : this;
    isGone = true;
  }

  /** Whether nothing is lost if it goes: see the description of the package. */
  boolean mayGo() {
    return isTaken || isCleaned || !isNumbered();
  }

  /** Whether the log may have it. */
  public boolean isNumbered() {
    return cell.getSequenceId() != 0;
  }

  /** Whether the log has it, and the memory its data. */
  boolean isApplied() {
    return isApplied;
  }

  void setApplied() {
    assert isNumbered() : this;
    assert !isTaken && !isCleaned && !isGone : this;
    isApplied = true;
  }

  int bytes() {
    return OVERHEAD_BYTES + row.length + cell.getLength();
  }

  /** For logs of failures; the row is the user's. */
  @Override
  public String toString() {
    return "mark of "
        + start
        + (isNumbered() ? ", numbered" : "")
        + (isApplied ? ", applied" : "")
        + (isTaken ? ", taken" : "")
        + (isCleaned ? ", cleaned" : "")
        + (isGone ? ", gone" : "");
  }
}
