package io.retso.hbase;

import io.retso.hbase.data.TableSettings;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * Finds out whether tables are prepared, and remembers it for 30 s: a table that is prepared anew
 * with other settings is seen so by all clients after that time. At most 10,000 tables are
 * remembered. Thread-safe.
 */
final class PreparedTables {
  private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final int TABLES_MAX = 10_000;

  private final AsyncConnection hbase;

  /** {@code host:port} of this manager's oracle, as it was configured. */
  private final Set<String> oracle;

  private final ConcurrentHashMap<TableName, PreparedTable> known = new ConcurrentHashMap<>();

  PreparedTables(AsyncConnection hbase, Set<String> oracle) {
    this.hbase = hbase;
    this.oracle = Set.copyOf(oracle);
  }

  /** The table; fails with {@link TableNotPreparedException}. */
  CompletableFuture<PreparedTable> find(TableName name) {
    PreparedTable table = known.get(name);
    if (table != null && System.nanoTime() - table.loadedNanos() < KEPT_NANOS) {
      return CompletableFuture.completedFuture(table);
    }
    return hbase
        .getAdmin()
        .getDescriptor(name)
        .handle(
            (descriptor, failure) -> {
              if (failure == null) {
                return check(descriptor);
              }
              known.remove(name);
              Throwable cause = Failures.unwrap(failure);
              return Failures.<PreparedTable>failed(
                  cause instanceof TableNotFoundException
                      ? new TableNotPreparedException(
                          "table " + name + " does not exist: create and prepare it", cause)
                      : cause);
            })
        .thenCompose(found -> found);
  }

  private CompletableFuture<PreparedTable> check(TableDescriptor descriptor) {
    TableName name = descriptor.getTableName();
    known.remove(name);
    try {
      PreparedTable table = of(descriptor);
      if (known.size() < TABLES_MAX) {
        known.put(name, table);
      }
      return CompletableFuture.completedFuture(table);
    } catch (TableNotPreparedException e) {
      return Failures.failed(e);
    }
  }

  /** A descriptor that was just read. */
  PreparedTable of(TableDescriptor descriptor) throws TableNotPreparedException {
    TableName name = descriptor.getTableName();
    TableSettings settings;
    try {
      settings = TableSettings.of(descriptor);
    } catch (IllegalArgumentException e) {
      throw new TableNotPreparedException(
          e.getMessage() + " (./retso hbase prepare " + name + ")", e);
    }
    List<String> violations = TablePreparation.violations(descriptor, settings);
    if (!violations.isEmpty()) {
      throw new TableNotPreparedException(
          "table "
              + name
              + " was altered and cannot hold transactions: "
              + String.join("; ", violations)
              + " (./retso hbase prepare "
              + name
              + " does it)",
          null);
    }
    if (!isOurs(settings)) {
      throw new TableNotPreparedException(
          "table "
              + name
              + " is prepared for the oracle "
              + settings.oracle()
              + ", but this transaction manager uses "
              + String.join(",", oracle)
              + ": use that one, or prepare the table again if these are two names of one oracle",
          null);
    }
    return new PreparedTable(descriptor, settings, hbase.getTable(name), System.nanoTime());
  }

  /**
   * Whether the table's transactions are decided by this manager's oracle. Answers of another one
   * would be about other transactions of the same number.
   */
  boolean isOurs(TableSettings settings) {
    if (settings.oracle().isBlank()) {
      return true;
    }
    for (String address : settings.oracle().split(",")) {
      if (oracle.contains(address.trim())) {
        return true;
      }
    }
    return false;
  }

  /** The descriptor may have changed: read it again at the next use. */
  void forget(TableName name) {
    known.remove(name);
  }
}
