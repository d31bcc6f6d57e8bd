package io.retso.hbase.isolation;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.hbase.ReadTable;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.ValueFilter;

/**
 * A few transactions on real tables, step by step in one order, and beside them a model of snapshot
 * isolation that says what each step has to show:
 *
 * <ul>
 *   <li>a transaction reads what was committed before it began, the latest commit last, and its own
 *       writes;
 *   <li>it commits unless another one that wrote one of its rows (or cells) committed since it
 *       began: the first committer wins.
 * </ul>
 *
 * <p>Steps are {@code begin}, {@code observe}, the begin of a reader whose snapshot is taken by its
 * first read, {@code r(x)}, {@code w(x=1,y=2)} in one call, {@code d(x)}, {@code scan} of all rows,
 * {@code match(1)}, a scan of the cells with a value, {@code remove(1)}, which deletes those,
 * {@code commit} and {@code rollback}; {@code if(x=1)} behind a step demands what the transaction
 * read last. An item is a row, {@code x}, or a cell of a row, {@code x.a}, in another table {@code
 * o:x}. A transaction that has not ended with its last step commits after all.
 *
 * <p>What is written is read back at once, by which it is sent: the cells are in HBase, pending,
 * while others take their steps.
 */
public final class Interleaving {
  private static final Pattern STEP =
      Pattern.compile("(\\w+)(?:\\(([^)]*)\\))?(?:if\\(([^=]*)=([^)]*)\\))?");
  private static final Pattern ITEM = Pattern.compile("(o:)?(\\w+)(?:\\.(\\w+))?");

  /** One step of one transaction. */
  record Step(int transaction, String text) {}

  /** Where the steps are taken. Rows begin with {@code prefix}, which no other uses. */
  record Place(
      TransactionManager manager,
      TableName table,
      TableName other,
      boolean conflictsByCell,
      String prefix) {}

  /** How transactions ended, what they read last, and what is there afterwards. */
  record Outcome(int commits, int conflicts, List<Map<String, String>> read, String last) {}

  /** A transaction, and what the model knows of it. */
  private static final class Participant {
    private ReadTransaction tx;

    /** If it may write. */
    private Transaction writer;

    /** 0 of a reader that has read nothing. */
    private int begun;

    private int committed;

    /** Item to value, null if it is deleted. */
    private final Map<String, String> writes = new TreeMap<>();

    /** Item to value, as it was read last; of scans {@code scan}. */
    private final Map<String, String> read = new TreeMap<>();
  }

  private final Place place;
  private final List<Step> steps;
  private final Map<String, String> initial;
  private final List<Participant> participants = new ArrayList<>();
  private final List<Participant> commits = new ArrayList<>();
  private int clock;
  private int conflicts;

  Interleaving(Place place, Map<String, String> initial, int transactions, List<Step> steps) {
    this.place = place;
    this.initial = initial;
    this.steps = steps;
    for (int i = 0; i < transactions; i++) {
      participants.add(new Participant());
    }
  }

  /** All orders of the steps of several transactions that keep each one's own order. */
  static List<List<Step>> of(List<String> scripts) {
    List<List<Step>> orders = new ArrayList<>();
    String[][] steps = scripts.stream().map(s -> s.split(" ")).toArray(String[][]::new);
    extend(new ArrayList<>(), steps, new int[steps.length], orders);
    return orders;
  }

  private static void extend(
      List<Step> before, String[][] steps, int[] taken, List<List<Step>> orders) {
    boolean complete = true;
    for (int i = 0; i < steps.length; i++) {
      if (taken[i] < steps[i].length) {
        complete = false;
        before.add(new Step(i, steps[i][taken[i]++]));
        extend(before, steps, taken, orders);
        before.remove(before.size() - 1);
        taken[i]--;
      }
    }
    if (complete) {
      orders.add(List.copyOf(before));
    }
  }

  /** {@code "x=0 y.a=1"} as items and values. */
  static Map<String, String> items(String text, String separator) {
    Map<String, String> items = new TreeMap<>();
    for (String each : text.isEmpty() ? new String[0] : text.split(separator)) {
      int equals = each.indexOf('=');
      items.put(cell(each.substring(0, equals)), each.substring(equals + 1));
    }
    return items;
  }

  /** The full name of an item: table, row and column. */
  private static String cell(String item) {
    Matcher matcher = ITEM.matcher(item);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not an item: " + item);
    }
    return matcher.group(3) == null ? item + ".q" : item;
  }

  /** Takes all steps; fails if any shows anything but what the model says. */
  Outcome run() throws IOException {
    int taken = 0;
    try {
      for (Step step : steps) {
        clock++;
        take(participants.get(step.transaction()), step.text());
        taken++;
      }
      for (Participant each : participants) {
        clock++;
        if (Inside.isOpen(each.tx)) {
          take(each, "commit");
        }
      }
      return outcome();
    } catch (AssertionError | IOException | RuntimeException e) {
      throw new AssertionError("after " + taken + " steps of " + steps + " at " + place, e);
    }
  }

  private void take(Participant who, String text) throws IOException {
    Matcher step = STEP.matcher(text);
    if (!step.matches()) {
      throw new IllegalArgumentException("not a step: " + text);
    }
    String what = step.group(2);
    if (step.group(3) != null && !step.group(4).equals(who.read.get(cell(step.group(3))))) {
      return;
    }
    switch (step.group(1)) {
      case "begin" -> {
        who.writer = place.manager().begin();
        who.tx = who.writer;
        who.begun = clock;
      }
      case "observe" -> who.tx = place.manager().beginReadOnly();
      case "r" -> read(who, cell(what));
      case "w" -> write(who, items(what, ","));
      case "d" -> delete(who, Set.of(cell(what)));
      case "scan" -> scan(who, null);
      case "match" -> scan(who, what);
      case "remove" -> delete(who, scan(who, what).keySet());
      case "commit" -> commit(who);
      case "rollback" -> who.writer.rollback();
      default -> throw new IllegalArgumentException("not a step: " + text);
    }
  }

  /** What the transaction has to see. */
  private Map<String, String> visible(Participant who) {
    who.begun = who.begun == 0 ? clock : who.begun;
    Map<String, String> visible = new TreeMap<>(initial);
    for (Participant each : commits) {
      if (each.committed < who.begun) {
        visible.putAll(each.writes);
      }
    }
    visible.putAll(who.writes);
    visible.values().removeIf(value -> value == null);
    return visible;
  }

  private void read(Participant who, String cell) throws IOException {
    byte[] column = column(cell);
    ReadTable table = who.tx.table(cell.startsWith("o:") ? place.other() : place.table());
    Result row = table.get(new Get(row(cell)).addColumn(F, column));
    String value = text(row.getValue(F, column));
    assertEquals(visible(who).get(cell), value, cell);
    who.read.put(cell, value);
  }

  /** Scans the first table, forwards and backwards; {@code value} is null for all cells. */
  private Map<String, String> scan(Participant who, String value) throws IOException {
    Map<String, String> expected = visible(who);
    expected
        .entrySet()
        .removeIf(e -> e.getKey().startsWith("o:") || value != null && !value.equals(e.getValue()));
    ReadTable table = who.tx.table(place.table());
    for (boolean reversed : new boolean[] {false, true}) {
      // The character after the last of the prefix, '/', is '0'.
      byte[] first = bytes(place.prefix());
      byte[] last = bytes(place.prefix().replace('/', '0'));
      Scan scan = new Scan().setReversed(reversed);
      scan.withStartRow(reversed ? last : first).withStopRow(reversed ? first : last);
      if (value != null) {
        scan.setFilter(new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(bytes(value))));
      }
      Map<String, String> found = new TreeMap<>();
      try (ResultScanner scanner = table.getScanner(scan)) {
        for (Result row : scanner) {
          for (Cell cell : row.listCells()) {
            String name = text(row.getRow()).substring(place.prefix().length());
            String column = text(CellUtil.cloneQualifier(cell));
            found.put(name + "." + column, text(CellUtil.cloneValue(cell)));
          }
        }
      }
      assertEquals(expected, found, reversed ? "reversed scan" : "scan");
    }
    who.read.put("scan", expected.toString());
    return expected;
  }

  private void write(Participant who, Map<String, String> cells) throws IOException {
    for (boolean other : new boolean[] {false, true}) {
      List<Put> puts = new ArrayList<>();
      cells.forEach(
          (cell, value) -> {
            if (cell.startsWith("o:") == other) {
              puts.add(new Put(row(cell)).addColumn(F, column(cell), bytes(value)));
            }
          });
      if (!puts.isEmpty()) {
        who.writer.table(other ? place.other() : place.table()).put(puts);
      }
    }
    who.writes.putAll(cells);
    readBack(who, cells.keySet());
  }

  private void delete(Participant who, Set<String> cells) throws IOException {
    for (String cell : cells) {
      table(who, cell).delete(new Delete(row(cell)).addColumns(F, column(cell)));
      who.writes.put(cell, null);
    }
    readBack(who, cells);
  }

  /** Sends what was written, and checks that its own transaction sees it. */
  private void readBack(Participant who, Set<String> cells) throws IOException {
    Futures.await(Inside.writes(who.writer).sendAll());
    for (String cell : cells) {
      String before = who.read.get(cell);
      read(who, cell);
      who.read.put(cell, before);
    }
  }

  private void commit(Participant who) throws IOException {
    Set<String> mine = conflictIds(who);
    boolean overtaken =
        commits.stream()
            .filter(each -> each.committed > who.begun)
            .anyMatch(each -> conflictIds(each).stream().anyMatch(mine::contains));
    if (overtaken) {
      assertThrows(ConflictException.class, who.writer::commit, "the first committer wins");
      conflicts++;
    } else {
      if (who.writer == null) {
        who.tx.close();
      } else {
        who.writer.commit();
      }
      who.committed = clock;
      commits.add(who);
    }
  }

  private Set<String> conflictIds(Participant who) {
    Set<String> ids = new HashSet<>();
    for (String cell : who.writes.keySet()) {
      ids.add(place.conflictsByCell() ? cell : cell.substring(0, cell.indexOf('.')));
    }
    return ids;
  }

  /** A last transaction reads everything that anybody ever wrote. */
  private Outcome outcome() throws IOException {
    Set<String> cells = new HashSet<>(initial.keySet());
    participants.forEach(each -> cells.addAll(each.writes.keySet()));
    Participant last = new Participant();
    clock++;
    take(last, "begin");
    for (String cell : cells) {
      read(last, cell);
    }
    int committed = commits.size();
    String state = visible(last).toString();
    take(last, "commit");
    for (Participant each : participants) {
      if (each.writer != null && each.writer.state() == Transaction.State.ROLLED_BACK) {
        place.manager().resolve(each.writer.handle()); // for managers that do not clean up
      }
    }
    return new Outcome(
        committed, conflicts, participants.stream().map(each -> each.read).toList(), state);
  }

  private Table table(Participant who, String cell) throws IOException {
    return who.writer.table(cell.startsWith("o:") ? place.other() : place.table());
  }

  private byte[] row(String cell) {
    Matcher matcher = ITEM.matcher(cell);
    matcher.matches();
    return bytes(place.prefix() + matcher.group(2));
  }

  private static byte[] column(String cell) {
    return bytes(cell.substring(cell.indexOf('.') + 1));
  }

  /** Writes the initial values of several places. */
  static void prepare(List<Place> places, Map<String, String> initial) throws IOException {
    Place any = places.get(0);
    any.manager()
        .run(
            tx -> {
              for (Place place : places) {
                Interleaving rows = new Interleaving(place, initial, 0, List.of());
                for (Map.Entry<String, String> each : initial.entrySet()) {
                  String cell = each.getKey();
                  tx.table(cell.startsWith("o:") ? place.other() : place.table())
                      .put(
                          new Put(rows.row(cell))
                              .addColumn(F, column(cell), bytes(each.getValue())));
                }
              }
              return null;
            });
  }
}
