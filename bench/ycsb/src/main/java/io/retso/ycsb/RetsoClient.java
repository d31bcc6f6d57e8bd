package io.retso.ycsb;

import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.errors.UnknownCommitException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.yetus.audience.InterfaceAudience;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * ReTSO for YCSB. As YCSB knows no begin and no commit, each {@code retso.operations} operations of
 * a thread (1 to 1,000, by default 1) are one transaction. What is written in the midst of one is
 * BATCHED_OK; the last operation has the status of the commit. An operation that fails rolls the
 * transaction back, and the next begins another. Transactions are not run again. Not thread-safe:
 * YCSB makes one for each thread; all have one manager.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class RetsoClient extends DB {
  /** Another transaction was first; nothing was written. */
  public static final Status CONFLICT = new Status("CONFLICT", "another transaction was first");

  /** It is not known whether the transaction committed. */
  public static final Status UNKNOWN_COMMIT =
      new Status("UNKNOWN_COMMIT", "it is not known whether the transaction committed");

  private static final ThreadLocal<RetsoClient> OF_THREAD = new ThreadLocal<>();

  private static TransactionManager shared;
  private static int users;

  private interface Work {
    Status run(TransactionalTable table) throws IOException;
  }

  private Rows rows;
  private int operations;
  private TransactionOptions options;
  private TransactionManager manager;
  private Transaction transaction;
  private int done;
  private boolean explicit;

  /** As YCSB makes it. */
  public RetsoClient() {}

  /** That of this thread, behind YCSB's wrapper, or null if the thread uses another binding. */
  static RetsoClient ofThread() {
    return OF_THREAD.get();
  }

  @Override
  public void init() throws DBException {
    Settings settings = new Settings(getProperties());
    rows = new Rows(settings.family());
    operations = settings.operations();
    options = TransactionOptions.DEFAULT.withIsolation(settings.isolation());
    manager = open(settings);
    OF_THREAD.set(this);
  }

  private static synchronized TransactionManager open(Settings settings) throws DBException {
    String oracle = settings.oracle();
    Configuration configuration = settings.configuration();
    try {
      if (shared == null) {
        if (settings.creates()) {
          create(settings, configuration);
        }
        shared = TransactionManager.builder(configuration).oracle(oracle).build();
      }
      users++;
      return shared;
    } catch (IOException e) {
      throw new DBException("see hbase.zookeeper.quorum and retso.oracle", e);
    }
  }

  private static void create(Settings settings, Configuration configuration)
      throws IOException, DBException {
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin()) {
      if (!admin.tableExists(settings.table())) {
        TablePreparation.builder(connection)
            .oracle(settings.oracle())
            .build()
            .create(settings.descriptor(), TablePreparation.Options.DEFAULT);
      }
    }
  }

  /**
   * Commits what is open, and closes the manager after the last thread. A conflict is no error, and
   * YCSB does not count it: there is no operation left that it could be the status of.
   */
  @Override
  public void cleanup() throws DBException {
    Status last = transaction == null ? Status.OK : commit();
    OF_THREAD.remove();
    synchronized (RetsoClient.class) {
      users--;
      if (users == 0) {
        shared.close();
        shared = null;
      }
    }
    if (!last.isOk() && last != CONFLICT) {
      throw new DBException("the last transaction of this thread: " + last.getName());
    }
  }

  /** From here to {@link #end} is one transaction, however many operations it has. */
  void begin() {
    explicit = true;
  }

  /** Commits, or rolls back; the status is that of the commit. */
  Status end(boolean commits) {
    explicit = false;
    if (transaction == null) {
      return Status.OK;
    }
    if (commits) {
      return commit();
    }
    rollback();
    return Status.OK;
  }

  @Override
  public Status read(
      String name, String key, Set<String> fields, Map<String, ByteIterator> result) {
    return operation(
        name,
        table -> {
          Result row = table.get(rows.get(key, fields));
          result.putAll(Rows.fields(row));
          return row.isEmpty() ? Status.NOT_FOUND : Status.OK;
        });
  }

  @Override
  public Status scan(
      String name,
      String startKey,
      int records,
      Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    return operation(
        name,
        table -> {
          try (ResultScanner scanner = table.getScanner(rows.scan(startKey, records, fields))) {
            for (Result row : scanner) {
              result.add(new HashMap<>(Rows.fields(row)));
            }
          }
          return Status.OK;
        });
  }

  @Override
  public Status update(String name, String key, Map<String, ByteIterator> values) {
    return operation(
        name,
        table -> {
          table.put(rows.put(key, values));
          return Status.BATCHED_OK;
        });
  }

  @Override
  public Status insert(String name, String key, Map<String, ByteIterator> values) {
    return update(name, key, values);
  }

  @Override
  public Status delete(String name, String key) {
    return operation(
        name,
        table -> {
          table.delete(new Delete(Bytes.toBytes(key)));
          return Status.BATCHED_OK;
        });
  }

  private Status operation(String name, Work work) {
    try {
      if (transaction == null) {
        transaction = manager.begin(options);
        done = 0;
      }
      Status status = work.run(transaction.table(name));
      done++;
      if (explicit || done < operations) {
        return status;
      }
      Status committed = commit();
      return committed.isOk() && status.equals(Status.NOT_FOUND) ? status : committed;
    } catch (IOException e) {
      rollback();
      return failed(e);
    }
  }

  private Status commit() {
    try (Transaction ending = transaction) {
      ending.commit();
      return Status.OK;
    } catch (IOException e) {
      return failed(e);
    } finally {
      transaction = null;
    }
  }

  private void rollback() {
    if (transaction != null) {
      transaction.close();
      transaction = null;
    }
  }

  /** What YCSB counts an error as. Anything but conflicts is shown, too. */
  static Status failed(IOException error) {
    if (error instanceof ConflictException || error instanceof SerializationException) {
      return CONFLICT;
    }
    error.printStackTrace();
    return error instanceof UnknownCommitException ? UNKNOWN_COMMIT : Status.ERROR;
  }
}
