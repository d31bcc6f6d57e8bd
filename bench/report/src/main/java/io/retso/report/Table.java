package io.retso.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Rows of what was measured, each in columns that say what their numbers are. For one thread until
 * it is complete.
 *
 * @param name its heading; empty if it has none
 * @param rows of cells: text, numbers, {@link Mean}s, or null where there is none
 */
public record Table(String name, List<Column> columns, List<List<Object>> rows) {

  /** A column with its head. */
  public record Column(String head, Unit unit) {}

  /** Makes a table; of what JSON was read into, means become what they were. */
  public Table {
    columns = List.copyOf(columns);
    List<List<Object>> all = new ArrayList<>();
    rows.forEach(row -> all.add(new ArrayList<>(row.stream().map(Table::cell).toList())));
    rows = all;
  }

  /** A table without rows; heads without a unit are of texts. */
  public static Table of(String name, Column... columns) {
    return new Table(name, Arrays.asList(columns), List.of());
  }

  /** Begins a table with a row for each of some things. */
  public static <T> Rows<T> of(String name, Collection<T> things) {
    return new Rows<>(name, List.copyOf(things));
  }

  /** A column of words. */
  public static Column words(String head) {
    return new Column(head, Unit.TEXT);
  }

  /** A column of numbers. */
  public static Column numbers(Unit unit, String head) {
    return new Column(head, unit);
  }

  /** A number that is not known if it is negative. */
  public static Double known(double value) {
    return value < 0 ? null : value;
  }

  /** Adds a row, which may have fewer cells than there are columns. */
  public Table row(Object... cells) {
    if (cells.length > columns.size()) {
      throw new IllegalArgumentException(cells.length + " cells in " + columns.size() + " columns");
    }
    rows.add(new ArrayList<>(Arrays.asList(cells)));
    return this;
  }

  /** Columns as what they show of a thing, from left to right. */
  public static final class Rows<T> {
    private final String name;
    private final List<T> things;
    private final List<Column> columns = new ArrayList<>();
    private final List<Function<T, ?>> cells = new ArrayList<>();

    private Rows(String name, List<T> things) {
      this.name = name;
      this.things = things;
    }

    /** Adds a column of words. */
    public Rows<T> words(String head, Function<T, ?> cell) {
      return column(Unit.TEXT, head, thing -> String.valueOf(cell.apply(thing)));
    }

    /** Adds a column of numbers, or of {@link Mean}s; null where there is none. */
    public Rows<T> column(Unit unit, String head, Function<T, ?> cell) {
      columns.add(new Column(head, unit));
      cells.add(cell);
      return this;
    }

    /** The table. */
    public Table end() {
      Table table = new Table(name, columns, List.of());
      for (T thing : things) {
        table.row(cells.stream().map(cell -> cell.apply(thing)).toArray());
      }
      return table;
    }
  }

  /** In Markdown. */
  public String markdown() {
    return lines().markdown();
  }

  /** In columns as wide as they need to be. */
  @Override
  public String toString() {
    return lines().toString();
  }

  private TextTable lines() {
    StringBuilder alignment = new StringBuilder();
    columns.forEach(column -> alignment.append(column.unit() == Unit.TEXT ? 'l' : 'r'));
    TextTable text =
        new TextTable(
            alignment.toString(), columns.stream().map(Column::head).toArray(String[]::new));
    for (List<Object> row : rows) {
      String[] cells = new String[row.size()];
      for (int i = 0; i < cells.length; i++) {
        cells[i] = columns.get(i).unit().text(row.get(i));
      }
      text.row(cells);
    }
    return text;
  }

  private static Object cell(Object cell) {
    return cell instanceof Map<?, ?> mean
        ? new Mean(
            ((Number) mean.get("value")).doubleValue(),
            ((Number) mean.get("error")).doubleValue(),
            ((Number) mean.get("count")).intValue())
        : cell;
  }
}
