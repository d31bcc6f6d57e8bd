package io.retso.bench.hbase;

import static io.retso.bench.hbase.PlainOperations.checked;

import io.retso.bench.omid.OmidServer;
import io.retso.cluster.LocalCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.omid.transaction.RollbackException;
import org.apache.omid.transaction.TTable;
import org.apache.omid.transaction.Transaction;
import org.apache.omid.transaction.TransactionException;

/** Apache Omid. */
final class OmidPeer implements Peer {
  private static final TableName TABLE = TableName.valueOf("omids_table");

  private OmidServer server;

  @Override
  public String name() {
    return "Omid";
  }

  @Override
  public void open(LocalCluster cluster, byte[][] splits) throws IOException, InterruptedException {
    server = new OmidServer(cluster);
    server.create(TABLE, Rows.FAMILY, splits);
  }

  private interface Work {
    void in(Transaction tx, TTable table) throws IOException;
  }

  private Operation operation(Work work) throws IOException {
    TTable table = new TTable(server.connection(), TABLE.getNameAsString());
    return new Operation() {
      @Override
      public boolean run() throws IOException {
        return transaction(table, work);
      }

      @Override
      public void close() throws IOException {
        table.close();
      }
    };
  }

  private boolean transaction(TTable table, Work work) throws IOException {
    try {
      Transaction tx = server.manager().begin();
      work.in(tx, table);
      server.manager().commit(tx);
      return true;
    } catch (RollbackException e) {
      return false;
    } catch (TransactionException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void load(List<Put> puts) throws IOException {
    try (Operation operation = operation((tx, table) -> table.put(tx, puts))) {
      operation.run();
    }
  }

  @Override
  public Operation.Maker gets(int count) {
    return rows -> operation((tx, table) -> checked(table.get(tx, rows.gets(count))));
  }

  @Override
  public Operation.Maker singleGets(int count) {
    return rows ->
        operation(
            (tx, table) -> {
              for (Get get : rows.gets(count)) {
                checked(table.get(tx, get));
              }
            });
  }

  @Override
  public Operation.Maker scans(int count) {
    return rows -> operation((tx, table) -> scanned(tx, table, rows.scan(count)));
  }

  private static void scanned(Transaction tx, TTable table, Scan scan) throws IOException {
    try (ResultScanner scanner = table.getScanner(tx, scan)) {
      Result row = scanner.next();
      if (row == null) {
        throw new IOException("a scan found nothing: every row was loaded");
      }
      for (int i = 1; row != null && i < scan.getLimit(); i++) {
        row = scanner.next();
      }
    }
  }

  @Override
  public Operation.Maker puts(int count) {
    return rows -> operation((tx, table) -> table.put(tx, rows.puts(count)));
  }

  @Override
  public Operation.Maker readModifyWrites(int count) {
    return rows -> operation((tx, table) -> readModifyWrite(tx, table, rows, rows.next(count)));
  }

  private static void readModifyWrite(Transaction tx, TTable table, Rows rows, List<byte[]> keys)
      throws IOException {
    checked(table.get(tx, keys.stream().map(Get::new).toList()));
    List<Put> puts = new ArrayList<>(keys.size());
    keys.forEach(key -> puts.add(rows.put(key)));
    table.put(tx, puts);
  }

  @Override
  public Operation.Maker mix(Mix mix) {
    return rows -> operation((tx, table) -> run(mix.next(rows), tx, table, rows));
  }

  private static void run(Mix.Kind kind, Transaction tx, TTable table, Rows rows)
      throws IOException {
    switch (kind) {
      case READ -> checked(table.get(tx, new Get(rows.next())));
      case SCAN -> scanned(tx, table, rows.scan(1 + rows.choose(Mix.SCANNED_MAX)));
      case UPDATE -> table.put(tx, rows.put(rows.next()));
      case INSERT -> table.put(tx, rows.put(rows.absent()));
      case READ_MODIFY_WRITE -> readModifyWrite(tx, table, rows, List.of(rows.next()));
    }
  }

  @Override
  public void close() throws IOException {
    if (server != null) {
      server.close();
    }
  }
}
