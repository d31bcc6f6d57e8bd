package io.retso.hbase;

import java.io.IOException;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;

/** The blocking side of a scan whose metrics are wanted: those of HBase's own scan. */
record MeasuredScanner(ResultScanner rows, SnapshotScan scan) implements ResultScanner {
  @Override
  public Result next() throws IOException {
    return rows.next();
  }

  @Override
  public void close() {
    rows.close();
  }

  @Override
  public boolean renewLease() {
    return rows.renewLease();
  }

  /** Null until HBase's scan is open: at the latest with the first row, or the end. */
  @Override
  public ScanMetrics getScanMetrics() {
    return scan.metrics();
  }
}
