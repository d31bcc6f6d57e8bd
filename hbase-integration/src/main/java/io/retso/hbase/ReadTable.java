package io.retso.hbase;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A table as a transaction reads it: the methods of HBase's {@code Table} that read, and nothing
 * else. It is no {@code Table} itself, since that has methods that write; code that takes one gets
 * it from {@link #asTable}.
 *
 * <p>Errors and threads are those of {@link TransactionalTable}.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public interface ReadTable {
  /** Its name. */
  TableName getName();

  /** The descriptor, {@code !pw} and the settings of transactions included. */
  TableDescriptor getDescriptor() throws IOException;

  /** HBase's; regions are no part of a transaction, so it is for any thread, also after its end. */
  RegionLocator getRegionLocator() throws IOException;

  /** Whether there is something to get. */
  boolean exists(Get get) throws IOException;

  /** Whether there is something to get, for each. */
  boolean[] exists(List<Get> gets) throws IOException;

  /** Reads a row. */
  Result get(Get get) throws IOException;

  /** Reads rows, with one request per region server. */
  Result[] get(List<Get> gets) throws IOException;

  /** The rows of the scan; to be read before the transaction's end. */
  ResultScanner getScanner(Scan scan) throws IOException;

  /** All rows of a family. */
  ResultScanner getScanner(byte[] family) throws IOException;

  /** All rows of a column. */
  ResultScanner getScanner(byte[] family, byte[] qualifier) throws IOException;

  /**
   * This table, with reads that do not count when a serializable transaction is certified: for rows
   * that are written all the time, and for much that is read to decide on little. They are of the
   * same snapshot and see the transaction's own writes; but that the transaction is serializable
   * holds only if what it does with them does not depend on their being unchanged. {@link
   * TransactionalTable#addReadConflict} protects single ones afterwards. Where reads are not
   * certified anyway, it reads as this table does.
   */
  ReadTable untracked();

  /**
   * This table for code that takes HBase's interface. In a read-only transaction its methods that
   * write throw {@link IllegalStateException}.
   */
  Table asTable();
}
