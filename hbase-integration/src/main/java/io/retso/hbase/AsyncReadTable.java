package io.retso.hbase;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.AsyncTableRegionLocator;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.ScanResultConsumer;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A table as a transaction reads it: the methods of HBase's {@code AsyncTable} that read, and
 * nothing else; see {@link ReadTable}.
 *
 * <p>Threads are those of {@link AsyncTransactionalTable}.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public interface AsyncReadTable {
  /** Its name. */
  TableName getName();

  /** The descriptor, {@code !pw} and the settings of transactions included. */
  CompletableFuture<TableDescriptor> getDescriptor();

  /** HBase's; regions are no part of a transaction. */
  AsyncTableRegionLocator getRegionLocator();

  /** Whether there is something to get. */
  CompletableFuture<Boolean> exists(Get get);

  /** Whether there is something to get, for each. */
  List<CompletableFuture<Boolean>> exists(List<Get> gets);

  /** Whether there is something to get, for each; all or nothing. */
  CompletableFuture<List<Boolean>> existsAll(List<Get> gets);

  /** Reads a row. */
  CompletableFuture<Result> get(Get get);

  /** Reads rows. */
  List<CompletableFuture<Result>> get(List<Get> gets);

  /** Reads rows, with one request per region server; all or nothing. */
  CompletableFuture<List<Result>> getAll(List<Get> gets);

  /**
   * Gives the rows of the scan to the consumer. If the transaction ends meanwhile, by whichever
   * thread, the consumer gets no more rows, and fails.
   */
  void scan(Scan scan, ScanResultConsumer consumer);

  /** The rows of the scan; to be read before the transaction's end. Waits where it is read. */
  ResultScanner getScanner(Scan scan);

  /** All rows of the scan, in memory. */
  CompletableFuture<List<Result>> scanAll(Scan scan);

  /** This table, with reads that are not certified: see {@link ReadTable#untracked}. */
  AsyncReadTable untracked();

  /**
   * This table for code that takes HBase's interface. In a read-only transaction its methods that
   * write throw {@link IllegalStateException}.
   */
  AsyncTable<ScanResultConsumer> asTable();
}
