package io.retso.jobs;

import java.io.Serializable;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Scan;

/** What runs jobs that read tables by scans. */
interface Engine extends AutoCloseable {
  /** What a job found: rows, and the sum of their balances. */
  record Found(long rows, long sum) implements Serializable {
    Found and(long moreRows, long more) {
      return new Found(rows + moreRows, sum + more);
    }
  }

  /** One job over all of these tables. */
  Found run(Map<TableName, Scan> scans) throws Exception;

  @Override
  void close();
}
