package io.retso.hbase.table;

import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.futures.Timers;
import io.retso.hbase.layout.DescriptorQuery;
import io.retso.hbase.layout.RegionSettings;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.trace.TraceContext;
import io.retso.protocol.OracleIdentity;
import io.retso.text.ErrorText;
import io.retso.text.Text;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out whether tables are prepared, and remembers it for 30 s, or until a region says that it
 * has other settings ({@link PreparedTable#isOutdated}). At most 10,000 tables are remembered.
 *
 * <p>HBase's master is asked for descriptors. While it does not answer no table can be altered, and
 * what is remembered serves on: transactions go on without a master, as HBase's own reads and
 * writes do. Users who are shown nothing ask a region ({@link DescriptorQuery}).
 *
 * <p>Thread-safe.
 */
public final class TableCatalog {
  /** The name under which applications know it, and may turn it off. */
  private static final Logger LOG = LoggerFactory.getLogger(TableRisks.class);

  private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final int TABLES_MAX = 10_000;
  private static final String NO_NAME = "the name is null: name the table";

  /** HBase's own. */
  private static final int CELL_BYTES_DEFAULT = 10 << 20;

  /**
   * HBase's client goes on for 20 minutes by default; a transaction would hold its marks, and the
   * oracle's low watermark, all the time.
   */
  private static final long OPERATION_MILLIS_MAX = TimeUnit.MINUTES.toMillis(3);

  /** For so long the master's answer is waited for if an older one is at hand. */
  private static final long PATIENCE_MILLIS = 1_000;

  private final AsyncConnection hbase;

  private final OracleIdentity oracle;

  /** Longest time that an operation of {@link PreparedTable#shortTimeout} takes. */
  private final long shortTimeoutMillis;

  private final LongSupplier nanoClock;
  private final int cellBytesMax;
  private final ConcurrentHashMap<TableName, PreparedTable> known = new ConcurrentHashMap<>();

  /** Tables whose risks are in the log. */
  private final Set<TableName> warned = ConcurrentHashMap.newKeySet();

  /**
   * Whether tables that were found do. Sweeps look at all tables of the cluster, and do not count.
   */
  private volatile boolean haveClientReads;

  /** Descriptors that are being read again. */
  private final ConcurrentHashMap<TableName, CompletableFuture<PreparedTable>> renewals =
      new ConcurrentHashMap<>();

  public TableCatalog(
      AsyncConnection hbase,
      OracleIdentity oracle,
      long shortTimeoutMillis,
      LongSupplier nanoClock) {
    this.hbase = hbase;
    this.oracle = oracle;
    this.shortTimeoutMillis = shortTimeoutMillis;
    this.nanoClock = nanoClock;
    this.cellBytesMax =
        hbase.getConfiguration().getInt("hbase.client.keyvalue.maxsize", CELL_BYTES_DEFAULT);
  }

  /** Bytes of a cell that HBase's client sends, at most; not positive if it sends any. */
  public int cellBytesMax() {
    return cellBytesMax;
  }

  public static TableName named(String text) {
    return TableName.valueOf(Objects.requireNonNull(text, NO_NAME));
  }

  /** The table; fails with {@link TableNotPreparedException}. */
  public CompletableFuture<PreparedTable> find(TableName name) {
    PreparedTable table = known.get(Objects.requireNonNull(name, NO_NAME));
    if (table != null && table.isOutdated()) {
      known.remove(name, table);
      table = null;
    }
    if (table == null) {
      return read(name);
    }
    return nanoClock.getAsLong() - table.loadedNanos() < KEPT_NANOS
        ? CompletableFuture.completedFuture(table)
        : renewed(table);
  }

  private CompletableFuture<PreparedTable> renewed(PreparedTable table) {
    CompletableFuture<PreparedTable> answer = new CompletableFuture<>();
    CompletableFuture<PreparedTable> underWay = renewals.putIfAbsent(table.name(), answer);
    if (underWay != null) {
      return underWay;
    }
    Timers.completeAfter(answer, table, PATIENCE_MILLIS);
    read(table.name())
        .whenComplete(
            (read, failure) -> {
              renewals.remove(table.name());
              PreparedTable kept = failure == null ? read : keptOn(table);
              Futures.complete(answer, kept, kept == null ? Futures.unwrap(failure) : null);
            });
    return answer;
  }

  /** After an attempt that found no master; null if it did, and the table is not what it was. */
  private PreparedTable keptOn(PreparedTable table) {
    return known.computeIfPresent(
        table.name(), (name, now) -> now == table ? table.loadedAt(nanoClock.getAsLong()) : now);
  }

  /** Asks the master. What is known is forgotten, unless there is no answer. */
  private CompletableFuture<PreparedTable> read(TableName name) {
    return Futures.compose(
        TraceContext.keep(hbase.getAdmin().getDescriptor(name)),
        (descriptor, failure) -> {
          if (failure instanceof AccessDeniedException) {
            return readFromRegion(name, failure);
          }
          if (failure != null) {
            throw unread(name, failure);
          }
          return check(descriptor, false);
        });
  }

  private Throwable unread(TableName name, Throwable cause) {
    if (!(cause instanceof TableNotFoundException)) {
      return cause;
    }
    known.remove(name);
    return new TableNotPreparedException(
        "table " + name + " does not exist: create and prepare it", cause);
  }

  /** The master shows descriptors to few; regions of tables with server reads to all readers. */
  private CompletableFuture<PreparedTable> readFromRegion(TableName name, Throwable refusal) {
    return Futures.compose(
        hbase.getTable(name).get(DescriptorQuery.query()),
        (answer, failure) -> {
          if (failure != null) {
            throw unanswered(name, failure, refusal);
          }
          TableDescriptor descriptor = DescriptorQuery.parse(answer);
          if (descriptor == null) {
            throw denied(
                name, "prepare it for server reads, or grant CREATE beside READ, WRITE", refusal);
          }
          return check(descriptor, true);
        });
  }

  private Throwable unanswered(TableName name, Throwable failure, Throwable refusal) {
    if (failure instanceof AccessDeniedException) {
      return notShown(name, failure);
    }
    if (failure instanceof DoNotRetryIOException && !(failure instanceof TableNotFoundException)) {
      return denied(name, "prepare it", refusal); // it has no marks: the question names them
    }
    return unread(name, failure);
  }

  private IOException notShown(TableName name, Throwable cause) {
    return denied(name, "grant READ and WRITE, all families", cause);
  }

  private IOException denied(TableName name, String remedy, Throwable cause) {
    known.remove(name);
    IOException denied =
        new AccessDeniedException(
            Text.of(
                "this user is not shown how table %s holds transactions: %s; HBase says: %s",
                name, remedy, ErrorText.of(cause)));
    denied.initCause(cause);
    return denied;
  }

  /**
   * What was just read.
   *
   * @param byRegion whether the first region reported it: then it runs the coprocessor
   */
  private CompletableFuture<PreparedTable> check(TableDescriptor descriptor, boolean byRegion)
      throws TableNotPreparedException {
    PreparedTable table;
    try {
      table = of(descriptor);
    } catch (TableNotPreparedException e) {
      known.remove(descriptor.getTableName());
      throw e;
    }
    if (!table.isServerReads()) {
      haveClientReads = true;
      return requireMarks(table);
    }
    if (byRegion) {
      warn(descriptor);
    }
    return byRegion || known.containsKey(table.name())
        ? CompletableFuture.completedFuture(keep(table))
        : requireCoprocessor(table);
  }

  /**
   * A descriptor that names the coprocessor is not enough: servers may be configured to load none.
   * They refuse reads then, after all attempts of HBase's client. So the first region is asked, at
   * the first use, which fails at once and says why; {@link TablePreparation} asks all. A client
   * that is not answered goes on: wrong settings are mostly the same everywhere.
   */
  private CompletableFuture<PreparedTable> requireCoprocessor(PreparedTable table) {
    return Futures.compose(
        table.shortTimeout().get(DescriptorQuery.query()),
        (answer, failure) -> {
          if (failure == null) {
            TableDescriptor reported = DescriptorQuery.parse(answer);
            if (reported == null) {
              throw new TableNotPreparedException(
                  TableRules.noCoprocessor(table.name(), "(the first)"), null);
            }
            warn(reported);
          }
          return CompletableFuture.completedFuture(keep(table));
        });
  }

  /** Warns of what a table's first region says; once for each table. */
  private void warn(TableDescriptor reported) {
    RegionSettings region = RegionSettings.of(reported);
    if (region != null && warned.size() < TABLES_MAX && warned.add(reported.getTableName())) {
      TableRisks.of(reported, Set.of(region))
          .forEach(risk -> LOG.warn("table {}: {}", reported.getTableName(), risk));
    }
  }

  /**
   * With client reads this user must be shown the marks: without its mark a pending cell looks as
   * if it were committed, and HBase leaves out what a user may not read. It denies a question for
   * nothing else.
   */
  private CompletableFuture<PreparedTable> requireMarks(PreparedTable table) {
    return Futures.explained(
            table.raw().get(DescriptorQuery.query()),
            failure ->
                failure instanceof AccessDeniedException
                    ? notShown(table.name(), failure)
                    : failure)
        .thenApply(answer -> keep(table));
  }

  private PreparedTable keep(PreparedTable table) {
    if (known.size() < TABLES_MAX || known.containsKey(table.name())) {
      known.put(table.name(), table);
    }
    return table;
  }

  /** A descriptor that was just read. */
  public PreparedTable of(TableDescriptor descriptor) throws TableNotPreparedException {
    TableName name = descriptor.getTableName();
    TableSettings settings;
    try {
      settings = TableSettings.of(descriptor);
    } catch (IllegalArgumentException e) {
      throw new TableNotPreparedException(
          ErrorText.of(e) + " (./retso hbase prepare " + name + ")", e);
    }
    List<String> violations = TableRules.violations(descriptor, settings);
    if (!violations.isEmpty()) {
      throw new TableNotPreparedException(
          Text.of(
              "table %s was altered and cannot hold transactions: %s (./retso hbase prepare %s does"
                  + " it)",
              name, String.join("; ", violations), name),
          null);
    }
    if (!settings.oracle().isSameAs(oracle)) {
      throw new TableNotPreparedException(
          TableRules.otherOracle(name, settings.oracle(), oracle), null);
    }
    return new PreparedTable(
        descriptor,
        settings,
        table(name, OPERATION_MILLIS_MAX),
        table(name, shortTimeoutMillis),
        hbase.getRegionLocator(name),
        nanoClock.getAsLong());
  }

  /**
   * Whether a prepared table says that its transactions are another oracle's.
   *
   * @throws TableNotPreparedException if it does not say whose
   */
  public boolean isOfAnotherOracle(TableDescriptor descriptor) throws TableNotPreparedException {
    try {
      return !TableSettings.oracleOf(descriptor).isSameAs(oracle);
    } catch (IllegalArgumentException e) {
      throw new TableNotPreparedException(ErrorText.of(e), e);
    }
  }

  /** The table, whose operations take so long at most. */
  private AsyncTable<AdvancedScanResultConsumer> table(TableName name, long millisMax) {
    var builder = hbase.getTableBuilder(name);
    long millis = hbase.getTable(name).getOperationTimeout(TimeUnit.MILLISECONDS);
    return builder.setOperationTimeout(Math.min(millis, millisMax), TimeUnit.MILLISECONDS).build();
  }

  /** Whether a table with client reads was used. */
  public boolean haveClientReads() {
    return haveClientReads;
  }

  /** The descriptor may have changed: read it again at the next use. */
  public void forget(TableName name) {
    known.remove(name);
  }
}
