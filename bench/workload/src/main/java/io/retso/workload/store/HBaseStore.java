package io.retso.workload.store;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.retso.hbase.ReadTable;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.errors.AbortedException;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.options.ReadSnapshot;
import io.retso.workload.Options;
import io.retso.workload.Range;
import io.retso.workload.Reason;
import io.retso.workload.RefusedException;
import io.retso.workload.Row;
import io.retso.workload.Store;
import io.retso.workload.StoreTransaction;
import io.retso.workload.UnknownOutcomeException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;

/** ReTSO on HBase: what an application has. */
public final class HBaseStore implements Store {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final Connection connection;
  private final boolean owns;
  private final String oracle;
  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final TransactionManager manager;
  private final Map<Options, TransactionOptions> options = new ConcurrentHashMap<>();

  /** Connects to a cluster and its oracle. */
  public HBaseStore(Configuration hbase, String oracle) throws IOException {
    this(ConnectionFactory.createConnection(hbase), oracle, true);
  }

  private HBaseStore(Connection connection, String oracle, boolean owns) throws IOException {
    this.connection = connection;
    this.owns = owns;
    this.oracle = oracle;
    manager = TransactionManager.builder(connection).oracle(oracle).meterRegistry(meters).build();
  }

  /** Drops the tables that workloads have made in a cluster, and their namespace. */
  public static void dropAll(Configuration hbase) throws IOException {
    try (Connection connection = ConnectionFactory.createConnection(hbase);
        Admin admin = connection.getAdmin()) {
      HBaseRows.dropNamespace(admin);
    }
  }

  /** How HBase knows a table that {@link #create} has made here, or a {@link PlainStore}. */
  public static String tableName(String table) {
    return HBaseRows.name(table).getNameAsString();
  }

  /** Another manager on the same connection to HBase, to be closed before this one. */
  public HBaseStore another() throws IOException {
    return new HBaseStore(connection, oracle, false);
  }

  @Override
  public void create(List<String> tables) throws IOException {
    TablePreparation preparation = TablePreparation.builder(connection).oracle(oracle).build();
    try (Admin admin = connection.getAdmin()) {
      HBaseRows.makeNamespace(admin);
      for (String table : tables) {
        HBaseRows.drop(admin, HBaseRows.name(table));
        preparation.create(HBaseRows.descriptor(table), TablePreparation.Options.DEFAULT);
      }
    }
    // The manager may remember tables of these names: a read is refused then, and run again.
    for (String table : tables) {
      manager.read(tx -> tx.table(HBaseRows.name(table)).exists(new Get(new byte[1])));
    }
  }

  @Override
  public StoreTransaction begin(Options asked) throws IOException {
    TransactionOptions known = options.computeIfAbsent(asked, HBaseStore::options);
    return new TableTransaction(
        asked.readOnly() ? manager.beginReadOnly(known) : manager.begin(known));
  }

  private static TransactionOptions options(Options asked) {
    return TransactionOptions.DEFAULT
        .withName(asked.name())
        .withReadSnapshot(asked.deferred() ? ReadSnapshot.DEFERRED : ReadSnapshot.RECENT)
        .withIsolation(
            switch (asked.isolation()) {
              case SNAPSHOT -> io.retso.hbase.options.Isolation.SNAPSHOT;
              case SERIALIZABLE -> io.retso.hbase.options.Isolation.SERIALIZABLE;
              case READ_COMMITTED ->
                  throw new IllegalArgumentException("ReTSO has no isolation READ_COMMITTED");
            });
  }

  /** Waits until everything that was committed is cleaned up. */
  @Override
  public void awaitQuiet() throws IOException {
    while (meters.get("retso.client.cleanup.rows").gauge().value() > 0) {
      LockSupport.parkNanos(POLL_NANOS);
    }
    try (ReadTransaction tx = manager.beginReadOnly(options(Options.DEFERRED))) {
      tx.readTimestamp();
    }
  }

  /** Cleans up what clients left that died. */
  public SweepResult sweep() throws IOException {
    return manager.sweep();
  }

  @Override
  public void close() throws IOException {
    manager.close();
    if (owns) {
      connection.close();
    }
  }

  /** What the refusal of a transaction is called here; others go on as they are. */
  private static IOException translated(IOException failure) {
    if (failure instanceof SerializationException refused) {
      return new RefusedException(
          switch (refused.reason()) {
            case PIVOT -> Reason.PIVOT;
            case READ_ONLY -> Reason.READ_ONLY;
            case UNKNOWN_SUCCESSOR -> Reason.UNKNOWN_SUCCESSOR;
          },
          failure);
    }
    if (failure instanceof ConflictException) {
      return new RefusedException(Reason.CONFLICT, failure);
    }
    if (failure instanceof AbortedException) {
      return new RefusedException(Reason.ABORTED, failure);
    }
    return failure instanceof SnapshotTooOldException
        ? new RefusedException(Reason.TOO_OLD, failure)
        : failure;
  }

  /** Only what is a refusal, or promised by its type, says that nothing is committed. */
  static IOException failedCommit(IOException failure) {
    boolean isPromised =
        failure instanceof TransactionException of
            && of.category() != TransactionException.Category.UNKNOWN_OUTCOME;
    return isPromised ? translated(failure) : new UnknownOutcomeException(failure);
  }

  private static final class TableTransaction implements StoreTransaction {
    private final ReadTransaction tx;

    TableTransaction(ReadTransaction tx) {
      this.tx = tx;
    }

    private Transaction writer() {
      if (tx instanceof Transaction writer) {
        return writer;
      }
      throw new IllegalStateException("the transaction was begun as one that only reads");
    }

    @Override
    public byte[] get(Row row) throws IOException {
      try {
        return HBaseRows.value(tx.table(HBaseRows.name(row.table())).get(HBaseRows.get(row)));
      } catch (IOException e) {
        throw translated(e);
      }
    }

    @Override
    public List<byte[]> getAll(String table, List<String> keys) throws IOException {
      try {
        return HBaseRows.values(tx.table(HBaseRows.name(table)).get(HBaseRows.gets(keys)));
      } catch (IOException e) {
        throw translated(e);
      }
    }

    @Override
    public byte[] lock(Row row) throws IOException {
      try {
        return HBaseRows.value(
            writer().table(HBaseRows.name(row.table())).getForUpdate(HBaseRows.get(row)));
      } catch (IOException e) {
        throw translated(e);
      }
    }

    @Override
    public byte[] validate(Row row) throws IOException {
      try {
        return HBaseRows.value(
            writer().table(HBaseRows.name(row.table())).getValidated(HBaseRows.get(row)));
      } catch (IOException e) {
        throw translated(e);
      }
    }

    @Override
    public void put(Row row, byte[] value) throws IOException {
      try {
        writer().table(HBaseRows.name(row.table())).put(HBaseRows.put(row, value));
      } catch (IOException e) {
        throw translated(e);
      }
    }

    @Override
    public void delete(Row row) throws IOException {
      try {
        writer().table(HBaseRows.name(row.table())).delete(HBaseRows.delete(row));
      } catch (IOException e) {
        throw translated(e);
      }
    }

    @Override
    public void scan(Range range, int limit, BiConsumer<String, byte[]> each) throws IOException {
      ReadTable table = tx.table(HBaseRows.name(range.table()));
      try (ResultScanner rows = table.getScanner(HBaseRows.scan(range, limit))) {
        for (Result row = rows.next(); row != null; row = rows.next()) {
          each.accept(HBaseRows.key(row), HBaseRows.value(row));
        }
      } catch (IOException e) {
        throw translated(e);
      }
    }

    @Override
    public void commit() throws IOException {
      if (tx instanceof Transaction writer) {
        try {
          writer.commit();
        } catch (IOException e) {
          throw failedCommit(e);
        }
      }
    }

    @Override
    public void close() {
      tx.close();
    }
  }
}
