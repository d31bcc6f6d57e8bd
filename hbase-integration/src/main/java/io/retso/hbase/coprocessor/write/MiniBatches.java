package io.retso.hbase.coprocessor.write;

import io.retso.hbase.layout.PendingWrite;
import java.util.Arrays;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.wal.WALEdit;

/**
 * What can be done to one of the mutations that HBase is about to apply.
 *
 * <p>If one mutation of a batch is refused the others proceed, as they may be of other
 * transactions. Only if all are for one row the batch fails as a whole: it may have to be atomic.
 */
final class MiniBatches {
  private static final byte[] FAMILY = PendingWrite.family();

  private MiniBatches() {}

  /** Has a cell of the marks' family written to the log, in the edit of the mutation. */
  static void log(MiniBatchOperationInProgress<Mutation> mutations, int i, Cell ofMarks) {
    WALEdit edit = mutations.getWalEdit(i);
    if (edit == null) {
      edit = new WALEdit();
      mutations.setWalEdit(i, edit);
    }
    edit.add(ofMarks, FAMILY);
  }

  /** The mutation fails for good. */
  static void refuse(MiniBatchOperationInProgress<Mutation> mutations, int i, String message)
      throws DoNotRetryIOException {
    if (isOneRow(mutations)) {
      throw new DoNotRetryIOException(message);
    }
    mutations.setOperationStatus(
        i, new OperationStatus(OperationStatusCode.SANITY_CHECK_FAILURE, message));
  }

  /** The mutation fails for now: the client may try again. */
  static void turnAway(MiniBatchOperationInProgress<Mutation> mutations, int i, String message)
      throws RegionTooBusyException {
    if (isOneRow(mutations)) {
      throw new RegionTooBusyException(message);
    }
    mutations.setOperationStatus(
        i, new OperationStatus(OperationStatusCode.STORE_TOO_BUSY, message));
  }

  private static boolean isOneRow(MiniBatchOperationInProgress<Mutation> mutations) {
    byte[] first = mutations.getOperation(0).getRow();
    for (int i = 1; i < mutations.size(); i++) {
      if (!Arrays.equals(first, mutations.getOperation(i).getRow())) {
        return false;
      }
    }
    return true;
  }
}
