package io.retso.hbase.layout;

import java.io.IOException;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A region's answer to the question which commit was the first to change what a get looks at
 * ({@link ReadAttribute#setFirstChange}): one cell that is nowhere stored, in the family of the
 * marks. The region answers, as it has the versions and marks at hand, which may be many, and which
 * not every reader may see.
 */
public final class FirstChange {
  /** Instead of a commit timestamp: nothing has changed. */
  public static final long NONE = Long.MAX_VALUE;

  private static final byte[] QUALIFIER = Bytes.toBytes("first");

  private FirstChange() {}

  /**
   * The answer.
   *
   * @param commit the commit timestamp, or {@link #NONE}
   */
  public static Cell answer(byte[] row, long commit) {
    return new KeyValue(row, PendingWrite.family(), QUALIFIER, Bytes.toBytes(commit));
  }

  /**
   * What was answered: the commit timestamp, or {@link #NONE}.
   *
   * @throws IOException if this is no answer
   */
  public static long of(Result result) throws IOException {
    if (result.size() != 1
        || !CellUtil.matchingColumn(result.rawCells()[0], PendingWrite.family(), QUALIFIER)) {
      throw new IOException("a region did not say what has changed, but: " + result);
    }
    return Bytes.toLong(CellUtil.cloneValue(result.rawCells()[0]));
  }
}
