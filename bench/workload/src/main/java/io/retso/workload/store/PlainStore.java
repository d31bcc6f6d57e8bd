package io.retso.workload.store;

import io.retso.workload.Options;
import io.retso.workload.Range;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import io.retso.workload.UnknownOutcomeException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;

/**
 * HBase without transactions, for comparison: nothing is isolated, whatever is asked for, and no
 * transaction is refused. Writes are sent at the commit, in one batch for each table.
 */
public final class PlainStore implements Store {
  private final Connection connection;

  /** Connects to a cluster. */
  public PlainStore(Configuration hbase) throws IOException {
    connection = ConnectionFactory.createConnection(hbase);
  }

  @Override
  public void create(List<String> tables) throws IOException {
    try (Admin admin = connection.getAdmin()) {
      HBaseRows.makeNamespace(admin);
      for (String table : tables) {
        HBaseRows.drop(admin, HBaseRows.name(table));
        admin.createTable(HBaseRows.descriptor(table));
      }
    }
  }

  @Override
  public StoreTransaction begin(Options options) {
    return new PlainTransaction();
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }

  private final class PlainTransaction extends BufferedTransaction {
    @Override
    byte[] read(Row row) throws IOException {
      try (Table table = connection.getTable(HBaseRows.name(row.table()))) {
        return HBaseRows.value(table.get(HBaseRows.get(row)));
      }
    }

    @Override
    public List<byte[]> getAll(String name, List<String> keys) throws IOException {
      if (writes.keySet().stream().anyMatch(row -> row.table().equals(name))) {
        return super.getAll(name, keys); // some may be its own
      }
      try (Table table = connection.getTable(HBaseRows.name(name))) {
        return HBaseRows.values(table.get(HBaseRows.gets(keys)));
      }
    }

    @Override
    public byte[] lock(Row row) throws IOException {
      return get(row);
    }

    @Override
    public byte[] validate(Row row) throws IOException {
      return get(row);
    }

    @Override
    public void scan(Range range, int limit, BiConsumer<String, byte[]> each) throws IOException {
      Scan scan = HBaseRows.scan(range, limit);
      try (Table table = connection.getTable(HBaseRows.name(range.table()));
          ResultScanner rows = table.getScanner(scan)) {
        for (Result row : rows) {
          each.accept(HBaseRows.key(row), HBaseRows.value(row));
        }
      }
    }

    @Override
    public void commit() throws IOException {
      Map<String, List<Mutation>> changes = new HashMap<>();
      writes.forEach(
          (row, value) ->
              changes
                  .computeIfAbsent(row.table(), key -> new ArrayList<>())
                  .add(value == null ? HBaseRows.delete(row) : HBaseRows.put(row, value)));
      for (Map.Entry<String, List<Mutation>> of : changes.entrySet()) {
        try (Table table = connection.getTable(HBaseRows.name(of.getKey()))) {
          table.batch(of.getValue(), null);
        } catch (IOException e) {
          throw new UnknownOutcomeException(e); // some of it may be written
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new UnknownOutcomeException(e);
        }
      }
    }

    @Override
    public void close() {
      writes.clear();
    }
  }
}
