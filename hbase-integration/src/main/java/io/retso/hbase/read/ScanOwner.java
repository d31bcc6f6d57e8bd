package io.retso.hbase.read;

import io.retso.hbase.operation.SingleThreadGuard;
import io.retso.hbase.table.PreparedTable;
import java.io.IOException;
import org.apache.hadoop.hbase.client.Scan;

/** The transaction of a scan, as far as the scan needs to know it. Thread-safe. */
public interface ScanOwner {
  boolean isOpen();

  /**
   * Refuses the use of a transaction that has ended.
   *
   * @throws IOException if it has run out of time, which is no mistake of the caller that uses it
   */
  void checkOpen() throws IOException;

  /** Why a scan fails when it has ended. */
  Exception endOfScans();

  /** Whether own writes within the range of the scan may be in the table. */
  boolean hasSent(PreparedTable table, Scan scan);

  /** Its scanners that wait for room. */
  WaitingScanners waiting();

  /** It has waited so long for a row. */
  void waited(long nanos);

  /** Runs a blocking method, unless another thread is within one. */
  <T> T exclusive(SingleThreadGuard.Blocking<T> body) throws IOException;
}
