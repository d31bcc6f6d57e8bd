package io.retso.report;

import java.util.ArrayList;
import java.util.List;

/** Rows of text in columns as wide as they need to be. */
final class TextTable {
  private final String alignment;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * Makes a table with its head.
   *
   * @param alignment of each column: {@code l} or {@code r}
   */
  TextTable(String alignment, String... head) {
    if (alignment.length() != head.length) {
      throw new IllegalArgumentException(
          head.length + " columns, but the alignment of " + alignment.length());
    }
    this.alignment = alignment;
    row(head);
  }

  /** Adds a row; it may have fewer cells than the head. */
  TextTable row(String... cells) {
    rows.add(List.of(cells));
    return this;
  }

  /** The table in Markdown. */
  public String markdown() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < rows.size(); i++) {
      List<String> cells = new ArrayList<>(rows.get(i));
      while (cells.size() < alignment.length()) {
        cells.add("");
      }
      text.append("| ").append(String.join(" | ", cells)).append(" |\n");
      if (i == 0) {
        alignment.chars().forEach(side -> text.append(side == 'l' ? "|---" : "|--:"));
        text.append("|\n");
      }
    }
    return text.toString();
  }

  @Override
  public String toString() {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < row.size(); i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder(" ");
      for (int i = 0; i < row.size(); i++) {
        String cell = row.get(i);
        String pad = " ".repeat(widths[i] - cell.length());
        line.append(' ').append(alignment.charAt(i) == 'l' ? cell + pad : pad + cell).append(' ');
      }
      text.append(line.toString().stripTrailing()).append(System.lineSeparator());
    }
    return text.toString();
  }
}
