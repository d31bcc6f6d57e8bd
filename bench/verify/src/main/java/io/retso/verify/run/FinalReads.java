package io.retso.verify.run;

import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.history.Isolation;
import io.retso.verify.history.Step;
import io.retso.verify.history.TimestampPair;
import io.retso.verify.lists.ListKey;
import io.retso.verify.lists.ListStore;
import io.retso.verify.lists.ListValue;
import io.retso.verify.lists.TableLists;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The end of a history: one transaction for each table reads every list that any client tried to
 * append to. Without it an append that was lost last could go unnoticed.
 */
final class FinalReads {
  private static final Pattern APPEND = Pattern.compile("\\[:append (\\d+) ");
  private static final String INVOKE = ", :type :invoke, ";
  private static final int ATTEMPTS_MAX = 20;
  private static final int GETS_MAX = 500;

  private final TransactionManager manager;
  private final List<TableName> tables;
  private final HistoryRecorder recorder;
  private final Isolation isolation;
  private final long process;

  FinalReads(
      TransactionManager manager,
      List<TableName> tables,
      HistoryRecorder recorder,
      Isolation isolation,
      long process) {
    this.manager = manager;
    this.tables = tables;
    this.recorder = recorder;
    this.isolation = isolation;
    this.process = process;
  }

  /** The lists that transactions of these histories tried to append to. */
  static SortedSet<Long> keys(List<Path> histories) throws IOException {
    SortedSet<Long> keys = new TreeSet<>();
    for (Path history : histories) {
      try (BufferedReader lines = Files.newBufferedReader(history, StandardCharsets.UTF_8)) {
        String line;
        while ((line = lines.readLine()) != null) {
          if (line.contains(INVOKE)) {
            Matcher appends = APPEND.matcher(line);
            while (appends.find()) {
              keys.add(Long.parseLong(appends.group(1)));
            }
          }
        }
      }
    }
    return keys;
  }

  /**
   * Reads all of them.
   *
   * @param byScan by a scan of each table; otherwise by gets
   * @throws IOException if that is not possible, not at the twentieth attempt either
   */
  void read(SortedSet<Long> keys, boolean byScan) throws IOException, ListStore.Violation {
    for (int table = 0; table < tables.size(); table++) {
      int wanted = table;
      List<ListKey> mine =
          keys.stream().map(ListKey::ofNumber).filter(key -> key.table() == wanted).toList();
      for (int attempt = 1; !read(table, mine, byScan, attempt == ATTEMPTS_MAX); attempt++) {
        recorder.flush();
      }
    }
  }

  private boolean read(int table, List<ListKey> keys, boolean byScan, boolean isLast)
      throws IOException, ListStore.Violation {
    recorder.invoke(process, isolation, keys.stream().map(key -> Step.read(key.number())).toList());
    TimestampPair timestamps = TimestampPair.NONE;
    try (Transaction tx = manager.begin(TableLists.options(isolation))) {
      timestamps = TimestampPair.started(tx.startTimestamp());
      Table snapshot = tx.table(tables.get(table));
      List<long[]> lists = byScan ? scan(snapshot, keys) : get(snapshot, keys);
      tx.commit();
      List<Step> done = new ArrayList<>();
      for (int i = 0; i < lists.size(); i++) {
        done.add(Step.read(keys.get(i).number(), lists.get(i)));
      }
      recorder.ok(process, done, timestamps);
      return true;
    } catch (IOException e) {
      recorder.fail(process, timestamps, e.toString());
      if (isLast) {
        throw e;
      }
      return false;
    }
  }

  private static List<long[]> get(Table table, List<ListKey> keys)
      throws IOException, ListStore.Violation {
    List<long[]> lists = new ArrayList<>();
    for (int from = 0; from < keys.size(); from += GETS_MAX) {
      List<ListKey> some = keys.subList(from, Math.min(keys.size(), from + GETS_MAX));
      Result[] rows =
          table.get(
              some.stream()
                  .map(key -> new Get(key.rowKey()).addColumn(key.family(), key.qualifier()))
                  .toList());
      for (int i = 0; i < rows.length; i++) {
        ListKey key = some.get(i);
        lists.add(ListValue.decode(rows[i].getValue(key.family(), key.qualifier())));
      }
    }
    return lists;
  }

  private static List<long[]> scan(Table table, List<ListKey> keys)
      throws IOException, ListStore.Violation {
    Map<byte[], Result> rows = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    keys.forEach(key -> rows.put(key.rowKey(), Result.EMPTY_RESULT));
    try (ResultScanner scanner = table.getScanner(new Scan().setCaching(100))) {
      for (Result row = scanner.next(); row != null; row = scanner.next()) {
        rows.replace(row.getRow(), row); // rows of earlier rounds are not kept
      }
    }
    List<long[]> lists = new ArrayList<>();
    for (ListKey key : keys) {
      Result row = rows.get(key.rowKey());
      lists.add(ListValue.decode(row.getValue(key.family(), key.qualifier())));
    }
    return lists;
  }
}
