package io.retso.hbase.cleanup;

import io.retso.hbase.layout.AdoptionRequest.Adoption;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.WrittenRows;

/**
 * Rows of a transaction, next to each other in one table, that are cleaned up in one go: by
 * adoptions by their regions, or row by row. Immutable.
 *
 * @param from index of the first of the rows
 * @param to index behind the last one
 * @param byRows whether each row is cleaned up by a request of its own
 * @param attempt which attempt it is, from 1
 * @param begun when the first attempt was sent, by the nano clock; not known before the second
 */
record CleanupPart(
    CleanupJob job, WrittenRows rows, int from, int to, boolean byRows, int attempt, long begun) {
  /**
   * Each row of an aborted transaction with no more of them is cleaned up by itself: plain readers
   * would see its versions until the region is flushed. That takes a region server about 100 us a
   * row, several times what the write took: too much for batches, of which many conflict.
   */
  static final int ABORTED_ROWS_MAX = 10;

  /** All rows of one table, as they are cleaned up there. */
  CleanupPart(CleanupJob job, WrittenRows rows) {
    this(job, rows, 0, rows.size(), isByRows(job, rows), 1, 0);
  }

  private static boolean isByRows(CleanupJob job, WrittenRows rows) {
    boolean isSmall = rows.size() <= ABORTED_ROWS_MAX;
    return !rows.table().isAdoptedByRegions() || isSmall && job.outcome() == Outcome.ABORTED;
  }

  PreparedTable table() {
    return rows.table();
  }

  int size() {
    return to - from;
  }

  byte[] firstRow() {
    return rows.key(from);
  }

  /** How much of a batch it takes: requests of rows, or one entry of a list. */
  int weight() {
    return byRows ? size() : 1;
  }

  CleanupPart slice(int first, int end) {
    return new CleanupPart(job, rows, first, end, byRows, attempt, begun);
  }

  /** The next attempt, after this one was sent at {@code sent}. */
  CleanupPart again(long sent) {
    return new CleanupPart(job, rows, from, to, byRows, attempt + 1, attempt == 1 ? sent : begun);
  }

  /** These rows, as a region left their cleanup to requests for each. */
  CleanupPart rowByRow() {
    return new CleanupPart(job, rows, from, to, true, 1, 0);
  }

  /** What the region is told that has exactly these of the transaction's rows. */
  Adoption adoption() {
    return new Adoption(job.start(), job.outcome(), job.receipt(), size());
  }

  CleanupRequest request(int index) {
    return new CleanupRequest(rows.key(index), job.start(), job.outcome(), job.receipt());
  }

  @Override
  public String toString() {
    return (size() == 1 ? "" : size() + " rows, the first of them: ") + request(from);
  }
}
