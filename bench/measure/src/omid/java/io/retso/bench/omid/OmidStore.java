package io.retso.bench.omid;

import io.retso.cluster.LocalCluster;
import io.retso.workload.Isolation;
import io.retso.workload.Options;
import io.retso.workload.Range;
import io.retso.workload.Reason;
import io.retso.workload.RefusedException;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import io.retso.workload.UnknownOutcomeException;
import io.retso.workload.store.HBaseRows;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.omid.transaction.RollbackException;
import org.apache.omid.transaction.TTable;
import org.apache.omid.transaction.Transaction;
import org.apache.omid.transaction.TransactionException;

/**
 * Apache Omid: snapshot isolation, without locks and validated reads. What cannot be done in it is
 * refused with an exception, as an experiment must not measure something else. Thread-safe.
 */
public final class OmidStore implements Store {
  private final OmidServer server;

  /** Starts Omid's server for a cluster. */
  public OmidStore(LocalCluster cluster) throws IOException, InterruptedException {
    server = new OmidServer(cluster);
  }

  @Override
  public void create(List<String> tables) throws IOException {
    try (Admin admin = server.connection().getAdmin()) {
      HBaseRows.makeNamespace(admin);
      for (String table : tables) {
        HBaseRows.drop(admin, HBaseRows.name(table));
        server.create(HBaseRows.name(table), HBaseRows.FAMILY, null);
      }
    }
  }

  @Override
  public StoreTransaction begin(Options options) throws IOException {
    if (options.isolation() != Isolation.SNAPSHOT) {
      throw new IllegalArgumentException("Omid has no isolation " + options.isolation());
    }
    try {
      return new OmidTransaction(server.manager().begin());
    } catch (TransactionException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }

  private final class OmidTransaction implements StoreTransaction {
    private final Transaction tx;
    private final Map<String, TTable> tables = new HashMap<>();
    private boolean ended;

    OmidTransaction(Transaction tx) {
      this.tx = tx;
    }

    private TTable table(String name) throws IOException {
      TTable table = tables.get(name);
      if (table == null) {
        table = new TTable(server.connection(), HBaseRows.name(name).getNameAsString());
        tables.put(name, table);
      }
      return table;
    }

    @Override
    public byte[] get(Row row) throws IOException {
      return HBaseRows.value(table(row.table()).get(tx, HBaseRows.get(row)));
    }

    @Override
    public List<byte[]> getAll(String table, List<String> keys) throws IOException {
      return HBaseRows.values(table(table).get(tx, HBaseRows.gets(keys)));
    }

    @Override
    public byte[] lock(Row row) {
      throw new UnsupportedOperationException("Omid locks no rows");
    }

    @Override
    public byte[] validate(Row row) {
      throw new UnsupportedOperationException("Omid validates no reads");
    }

    @Override
    public void put(Row row, byte[] value) throws IOException {
      table(row.table()).put(tx, HBaseRows.put(row, value));
    }

    @Override
    public void delete(Row row) throws IOException {
      table(row.table()).delete(tx, HBaseRows.delete(row));
    }

    @Override
    public void scan(Range range, int limit, BiConsumer<String, byte[]> each) throws IOException {
      try (ResultScanner rows =
          table(range.table()).getScanner(tx, HBaseRows.scan(range, limit))) {
        int left = limit; // Omid passes over versions that do not count, so it may give more
        for (Result row = rows.next(); row != null && left-- > 0; row = rows.next()) {
          each.accept(HBaseRows.key(row), HBaseRows.value(row));
        }
      }
    }

    @Override
    public void commit() throws IOException {
      ended = true;
      try {
        server.manager().commit(tx);
      } catch (RollbackException e) {
        throw new RefusedException(Reason.CONFLICT, e);
      } catch (TransactionException e) {
        throw new UnknownOutcomeException(new IOException(e));
      }
    }

    @Override
    public void close() throws IOException {
      try {
        if (!ended) {
          server.manager().rollback(tx);
        }
      } catch (TransactionException e) {
        throw new IOException(e);
      } finally {
        for (TTable table : tables.values()) {
          table.close();
        }
      }
    }
  }
}
