package io.retso.hbase.admin;

import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.layout.AdoptionCell;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.table.TableCatalog;
import io.retso.protocol.OracleIdentity;
import io.retso.text.ErrorText;
import io.retso.text.Text;
import java.io.IOException;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What may be changed of a prepared table, and when.
 *
 * <p>All who use a table must agree on its conflict rule, its granules and on where its reads are
 * decided. Two writers of a row, one of which names the row to the oracle and the other one its
 * cells, do not conflict, and one update is lost. A region without the coprocessor refuses server
 * reads and leaves cleanups undone; cleanups by clients go round the rules of a coprocessor that
 * purges.
 *
 * <p>But they learn of a change one by one: regions when they are opened again; managers when a
 * region refuses them, or within 30 s ({@link TableCatalog}); and what a transaction has written by
 * the old settings is there. So these settings are changed while the table is disabled: no client
 * reads or writes it, and no region has it open. It must stay disabled until all that used it
 * before have ended; nothing but the user that enables it can see to that.
 */
final class SettingsChange {
  private SettingsChange() {}

  /**
   * Checks that a prepared table that is enabled may be changed so.
   *
   * @throws TableNotPreparedException if it may not; says what to do
   */
  static void requireUsedAlike(TableDescriptor before, TableDescriptor after)
      throws TableNotPreparedException {
    if (!TableSettings.isUsedAlike(before, after)) {
      throw PreparedDescriptor.refused(
          before.getTableName(),
          "is in use, and its conflict rule, reads and granules cannot be changed then, as"
              + " transactions that do not agree on them lose commits: disable it, prepare it again"
              + " like this, and enable it when no client goes by the old settings any more: wait"
              + " until all transactions have ended that used the table before, at the latest after"
              + " the oracle's transaction.timeout, and with client reads for a minute before, as"
              + " managers remember settings for 30 s");
    }
  }

  /**
   * Checks that a prepared table that is disabled may be changed. What is in it cannot be looked at
   * then. It was when the table was prepared for its oracle; another one may be behind it.
   *
   * @param oracle that it is prepared for now
   * @throws TableNotPreparedException if it may not; says what to do
   */
  static void requireSameOracle(TableDescriptor before, OracleIdentity oracle)
      throws TableNotPreparedException {
    if (!isOf(before, oracle)) {
      throw PreparedDescriptor.refused(
          before.getTableName(),
          "is disabled, and is not known to be prepared for oracle "
              + oracle
              + ": enable it, so that its cells can be compared with the oracle's timestamps");
    }
  }

  private static boolean isOf(TableDescriptor table, OracleIdentity oracle)
      throws TableNotPreparedException {
    try {
      return TableSettings.oracleOf(table).isSameAs(oracle);
    } catch (IllegalArgumentException e) {
      throw new TableNotPreparedException(ErrorText.of(e), e);
    }
  }

  /**
   * Checks that a prepared table that goes to another oracle has no marks: that one would call
   * their transactions aborted, and commits that are not cleaned up would be lost.
   *
   * @throws TableNotPreparedException if it has; says what to do
   */
  static void requireNoMarksOfAnother(
      Connection connection, TableDescriptor before, OracleIdentity oracle) throws IOException {
    if (isOf(before, oracle)) {
      return;
    }
    Result first = firstMark(connection, before);
    if (first != null) {
      throw PreparedDescriptor.refused(
          before.getTableName(),
          Text.of(
              "is not prepared for oracle %s, but has marks of another one's transactions, the"
                  + " first in row %s. Which of them committed, only that one knows: run ./retso"
                  + " hbase sweep with it until 0 marks are found, while no transaction runs. If"
                  + " its log is lost for good, decide for each cell of family !pw: delete it, and"
                  + " the row's cells of its version are committed; delete those cells before it,"
                  + " and they never were",
              oracle, Bytes.toStringBinary(first.getRow())));
    }
  }

  /**
   * Checks that a copy of a prepared table has no marks. Its original's transactions have left
   * them, and the oracle forgets commits when the original is clean: it would call them aborted.
   *
   * @throws TableNotPreparedException if it has; says what to do
   */
  static void requireNoCopiedMarks(Connection connection, TableDescriptor copy) throws IOException {
    Result first = firstMark(connection, copy);
    if (first != null) {
      throw PreparedDescriptor.refused(
          copy.getTableName(),
          Text.of(
              "is a copy of table %s and has marks of transactions that were under way when it was"
                  + " copied, the first one in row %s. Which of them committed, the oracle may have"
                  + " forgotten: copy the table again while no transaction runs, after ./retso"
                  + " hbase sweep has found 0 marks",
              TableSettings.originOf(copy), Bytes.toStringBinary(first.getRow())));
    }
  }

  /** Null if there is none. */
  private static Result firstMark(Connection connection, TableDescriptor prepared)
      throws IOException {
    Scan scan = new Scan().addFamily(PendingWrite.family());
    try (Table table = connection.getTable(prepared.getTableName());
        ResultScanner scanner = table.getScanner(scan)) {
      for (Result row = scanner.next(); row != null; row = scanner.next()) {
        if (!Stream.of(row.rawCells()).allMatch(AdoptionCell::is)) {
          return row;
        }
      }
      return null;
    }
  }
}
