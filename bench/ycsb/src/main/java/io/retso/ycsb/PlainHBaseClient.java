package io.retso.ycsb;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.yetus.audience.InterfaceAudience;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * HBase without transactions, to compare with. YCSB makes one for each thread; all have one
 * connection. Not thread-safe.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class PlainHBaseClient extends DB {
  private static Connection shared;
  private static int users;

  private Rows rows;
  private Connection connection;

  /** As YCSB makes it. */
  public PlainHBaseClient() {}

  @Override
  public void init() throws DBException {
    Settings settings = new Settings(getProperties());
    rows = new Rows(settings.family());
    connection = open(settings);
  }

  private static synchronized Connection open(Settings settings) throws DBException {
    boolean creates = settings.creates();
    try {
      if (shared == null) {
        shared = ConnectionFactory.createConnection(settings.configuration());
      }
      if (creates) {
        create(settings);
      }
      users++;
      return shared;
    } catch (IOException e) {
      throw new DBException("HBase cannot be used: see hbase.zookeeper.quorum", e);
    }
  }

  private static void create(Settings settings) throws IOException {
    try (Admin admin = shared.getAdmin()) {
      if (!admin.tableExists(settings.table())) {
        admin.createTable(settings.descriptor());
      }
    }
  }

  @Override
  public void cleanup() throws DBException {
    synchronized (PlainHBaseClient.class) {
      users--;
      if (users == 0) {
        try {
          shared.close();
        } catch (IOException e) {
          throw new DBException(e);
        } finally {
          shared = null;
        }
      }
    }
  }

  @Override
  public Status read(
      String name, String key, Set<String> fields, Map<String, ByteIterator> result) {
    try (Table table = table(name)) {
      Result row = table.get(rows.get(key, fields));
      result.putAll(Rows.fields(row));
      return row.isEmpty() ? Status.NOT_FOUND : Status.OK;
    } catch (IOException e) {
      return RetsoClient.failed(e);
    }
  }

  @Override
  public Status scan(
      String name,
      String startKey,
      int records,
      Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    try (Table table = table(name);
        ResultScanner scanner = table.getScanner(rows.scan(startKey, records, fields))) {
      for (Result row : scanner) {
        result.add(new HashMap<>(Rows.fields(row)));
      }
      return Status.OK;
    } catch (IOException e) {
      return RetsoClient.failed(e);
    }
  }

  @Override
  public Status update(String name, String key, Map<String, ByteIterator> values) {
    try (Table table = table(name)) {
      table.put(rows.put(key, values));
      return Status.OK;
    } catch (IOException e) {
      return RetsoClient.failed(e);
    }
  }

  @Override
  public Status insert(String name, String key, Map<String, ByteIterator> values) {
    return update(name, key, values);
  }

  @Override
  public Status delete(String name, String key) {
    try (Table table = table(name)) {
      table.delete(new Delete(Bytes.toBytes(key)));
      return Status.OK;
    } catch (IOException e) {
      return RetsoClient.failed(e);
    }
  }

  private Table table(String name) throws IOException {
    return connection.getTable(TableName.valueOf(name));
  }
}
