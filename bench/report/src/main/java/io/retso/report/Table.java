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
    StringBuilder text = new StringBuilder();
    for (List<String> line : lines()) {
      text.append("| ").append(String.join(" | ", line)).append(" |\n");
      if (text.indexOf("\n") == text.length() - 1) { // below the head
        columns.forEach(column -> text.append(isLeft(column) ? "|---" : "|--:"));
        text.append("|\n");
      }
    }
    return text.toString();
  }

  /** In columns as wide as they need to be. */
  @Override
  public String toString() {
    List<List<String>> lines = lines();
    StringBuilder text = new StringBuilder();
    for (List<String> line : lines) {
      StringBuilder one = new StringBuilder(" ");
      for (int i = 0; i < columns.size(); i++) {
        int column = i;
        int width = lines.stream().mapToInt(other -> other.get(column).length()).max().orElse(0);
        String pad = " ".repeat(width - line.get(i).length());
        boolean isLeft = isLeft(columns.get(i));
        one.append(' ').append(isLeft ? line.get(i) + pad : pad + line.get(i)).append(' ');
      }
      text.append(one.toString().stripTrailing()).append(System.lineSeparator());
    }
    return text.toString();
  }

  private static boolean isLeft(Column column) {
    return column.unit() == Unit.TEXT;
  }

  /** The head and all rows, as wide as the head, for people. */
  private List<List<String>> lines() {
    List<List<String>> lines = new ArrayList<>();
    lines.add(columns.stream().map(Column::head).toList());
    for (List<Object> row : rows) {
      List<String> line = new ArrayList<>();
      for (int i = 0; i < columns.size(); i++) {
        line.add(i < row.size() ? columns.get(i).unit().text(row.get(i)) : "");
      }
      lines.add(line);
    }
    return lines;
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
