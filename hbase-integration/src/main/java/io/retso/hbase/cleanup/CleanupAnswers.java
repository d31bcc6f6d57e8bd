package io.retso.hbase.cleanup;

import java.util.List;

/** What follows when HBase has answered about rows that were sent. */
interface CleanupAnswers {
  /**
   * An attempt is over; called once for each row that was sent, unless {@link #rowByRow} is.
   *
   * @param part what of a batch's parts was answered
   * @param sent when it was sent, by the nano clock
   * @param failure null if its rows are cleaned up
   */
  void ended(CleanupPart part, long sent, Throwable failure);

  long nanoTime();

  /** Regions want these rows to be cleaned up by requests for each. */
  void rowByRow(List<CleanupPart> parts);
}
