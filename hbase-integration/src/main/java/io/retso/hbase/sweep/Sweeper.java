package io.retso.hbase.sweep;

import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.client.TransactionStatus;
import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.cleanup.HiddenCells;
import io.retso.hbase.cleanup.RowCleanup;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.layout.AdoptionCell;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.table.RowBatches;
import io.retso.hbase.table.TableCatalog;
import io.retso.text.ErrorText;
import io.retso.text.Text;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One sweep: every mark of every table of the oracle is visited, and what is decided is cleaned up;
 * docs/protocol.md, "Sweep". Then it is reported to the oracle, on condition that nothing was left
 * out: a commit whose mark is still somewhere must not be forgotten, or its readers would take it
 * for aborted.
 *
 * <p>Hence nothing is reported if this user is not shown a table or may not read all of its marks,
 * or if a row could not be cleaned up. An oracle serves the tables of one HBase cluster. Tables of
 * other oracles are left to those: the id in the descriptor says whose a table is, it went to
 * another oracle only without marks, and regions refuse what goes by its settings from before.
 * Cells among the marks that are none belong to no transaction: they are logged, and keep nothing
 * from the oracle.
 *
 * <p>Blocking, used once, by one thread. Marks in memory at a time: {@value #BATCH_MARKS}.
 */
public final class Sweeper {
  private static final int BATCH_MARKS = 1000;
  private static final Logger LOG = LoggerFactory.getLogger(Sweeper.class);

  private record Mark(byte[] row, long start) {
    Get get() {
      return new Get(row).addColumn(PendingWrite.family(), PendingWrite.qualifier(start));
    }

    CleanupRequest cleanup(long outcome) {
      return new CleanupRequest(row, start, outcome);
    }
  }

  private final OracleClient oracle;
  private final AsyncConnection hbase;
  private final TableCatalog tables;
  private int visited;
  private long marks;
  private long cleaned;
  private long open;

  /** What was left out last, so that the sweep is not reported; empty if nothing was. */
  private String leftOut = "";

  /** A sweep of all tables that the connection's user is shown; it closes neither of the two. */
  public Sweeper(OracleClient oracle, AsyncConnection hbase, TableCatalog tables) {
    this.oracle = oracle;
    this.hbase = hbase;
    this.tables = tables;
  }

  /**
   * Sweeps.
   *
   * @param own from {@code begin()} before this call, with X as its start timestamp; the caller
   *     ends it afterwards
   */
  public SweepResult sweep(TransactionHandle own) throws IOException {
    long timestamp = own.startTimestamp();
    for (TableDescriptor table : tablesSeen()) {
      // Copies are used by no transaction until they are prepared, and have no marks then.
      if (TableSettings.isPrepared(table) && TableSettings.originOf(table) == null) {
        sweepTable(table, timestamp);
      }
    }
    boolean reported = leftOut.isEmpty();
    if (reported) {
      Futures.await(oracle.sweptAsync(own));
    }
    return new SweepResult(visited, marks, cleaned, open, reported, leftOut);
  }

  /**
   * The tables that this user is shown. Where HBase checks rights, it leaves out without a word
   * what the user has neither ADMIN nor CREATE for; hbase:meta has all names, and every user may
   * read it.
   *
   * <p>Both are read after X was issued, the names first: a table that transactions below X
   * committed to is among the names. One that is missing later was dropped, or is not shown.
   */
  private List<TableDescriptor> tablesSeen() throws IOException {
    AsyncAdmin admin = hbase.getAdmin();
    Set<TableName> names = new TreeSet<>();
    Scan states = new Scan().addColumn(HConstants.TABLE_FAMILY, HConstants.TABLE_STATE_QUALIFIER);
    try (ResultScanner rows = hbase.getTable(TableName.META_TABLE_NAME).getScanner(states)) {
      for (Result row = rows.next(); row != null; row = rows.next()) {
        names.add(TableName.valueOf(row.getRow()));
      }
    }
    List<TableDescriptor> seen = Futures.await(admin.listTableDescriptors());
    seen.forEach(table -> names.remove(table.getTableName()));
    for (TableName name : names) {
      if (!name.isSystemTable() && Futures.await(admin.tableExists(name))) {
        leftOut =
            Text.of(
                "table %s is not shown to this user and may hold marks: let a user sweep who has"
                    + " the right ADMIN or CREATE for all tables (./retso hbase sweep)",
                name);
        break;
      }
    }
    return seen;
  }

  private void sweepTable(TableDescriptor descriptor, long timestamp) throws IOException {
    PreparedTable table;
    try {
      if (tables.isOfAnotherOracle(descriptor)) {
        return;
      }
      table = tables.of(descriptor);
    } catch (TableNotPreparedException e) {
      leftOut = e.getMessage();
      return;
    }
    if (Futures.await(hbase.getAdmin().isTableDisabled(table.name()))) {
      leftOut = "table " + table.name() + " is disabled and may hold marks: enable it";
      return;
    }
    visited++;
    if (seesAllMarks(table)) {
      scanMarks(table, timestamp);
      seesAllMarks(table);
    }
  }

  /** Whether no mark is hidden from this user; otherwise the sweep will not be reported. */
  private boolean seesAllMarks(PreparedTable table) {
    try {
      HiddenCells.requireNoMarksAmong(hbase, table);
      return true;
    } catch (IOException e) {
      leftOut =
          Text.of(
              "table %s may have marks that are hidden from this user: let a user sweep who has the"
                  + " rights READ and WRITE for all tables (./retso hbase sweep): %s",
              table.name(), ErrorText.of(e));
      return false;
    }
  }

  private void scanMarks(PreparedTable table, long timestamp) throws IOException {
    // Marks at or above X belong to transactions that cannot have committed below it.
    Scan scan = new Scan().addFamily(PendingWrite.family()).setTimeRange(0, timestamp);
    List<Mark> batch = new ArrayList<>();
    long strange = 0;
    try (ResultScanner scanner = table.raw().getScanner(scan)) {
      for (Result row = scanner.next(); row != null; row = scanner.next()) {
        for (Cell cell : row.rawCells()) {
          if (PendingWrite.isWellFormed(cell)) {
            batch.add(new Mark(CellUtil.cloneRow(cell), PendingWrite.startOf(cell)));
          } else if (!AdoptionCell.is(cell) && strange++ == 0) {
            LOG.warn("table {}: {} is no mark of a transaction: delete it", table.name(), cell);
          }
        }
        if (batch.size() >= BATCH_MARKS) {
          sweepMarks(table, batch, timestamp);
          batch.clear();
        }
      }
    }
    sweepMarks(table, batch, timestamp);
    if (strange > 1) {
      LOG.warn("table {}: there are {} such cells in family !pw", table.name(), strange);
    }
  }

  private void sweepMarks(PreparedTable table, List<Mark> found, long timestamp)
      throws IOException {
    marks += found.size();
    Map<Long, CompletableFuture<TransactionStatus>> asked = new LinkedHashMap<>();
    for (Mark mark : found) {
      asked.computeIfAbsent(mark.start, start -> oracle.statusAsync(start, timestamp));
    }
    List<CleanupRequest> requests = new ArrayList<>();
    List<Mark> forgotten = new ArrayList<>();
    for (Mark mark : found) {
      TransactionStatus status = Futures.await(asked.get(mark.start));
      switch (status.state()) {
        case OPEN -> open++;
        case COMMITTED -> requests.add(mark.cleanup(status.commitTimestamp()));
        case ABORTED -> requests.add(mark.cleanup(Outcome.ABORTED));
        case RETRY -> forgotten.add(mark);
      }
    }
    requests.addAll(stillThere(table, forgotten));
    clean(table, requests);
  }

  private void clean(PreparedTable table, List<CleanupRequest> requests) {
    List<RowCleanup.Failed> failed = RowCleanup.repeated(table, requests);
    cleaned += requests.size() - failed.size();
    failed.forEach(
        row ->
            leftOut =
                row.request() + " in " + table.name() + " failed: " + ErrorText.of(row.reason()));
  }

  /** Forgotten, and the mark is there when read after the answer: aborted. */
  private static List<CleanupRequest> stillThere(PreparedTable table, List<Mark> forgotten)
      throws IOException {
    if (forgotten.isEmpty()) {
      return List.of();
    }
    List<Get> gets = forgotten.stream().map(Mark::get).toList();
    List<Result> rows = Futures.await(RowBatches.all(table, gets));
    List<CleanupRequest> requests = new ArrayList<>();
    for (int i = 0; i < rows.size(); i++) {
      if (!rows.get(i).isEmpty()) {
        requests.add(forgotten.get(i).cleanup(Outcome.ABORTED));
      }
    }
    return requests;
  }
}
