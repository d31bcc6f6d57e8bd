package io.retso.advise.learn;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * One line of a recording: a transaction.
 *
 * @param number of the transaction among those of its name and run
 * @param isCut whether operations are missing
 */
record Recorded(
    String program,
    long run,
    long number,
    boolean isSerializable,
    String outcome,
    List<Op> ops,
    boolean isCut) {
  /**
   * An operation.
   *
   * @param key of the row, or what all rows of the range begin with
   * @param isExact whether a scan's range is all rows that begin so
   */
  record Op(
      String kind,
      String table,
      boolean isByCell,
      boolean isScan,
      String key,
      boolean isExact,
      List<String> columns) {}

  boolean isDone() {
    return outcome.equals("COMMITTED") || outcome.equals("READ");
  }

  /**
   * Reads a line; JSON is YAML.
   *
   * @return null if it is no line of a recording, such as one that was torn
   */
  static Recorded parse(String line) {
    try {
      LoaderOptions options = new LoaderOptions();
      options.setMaxAliasesForCollections(0);
      Map<?, ?> map = (Map<?, ?>) new Yaml(new SafeConstructor(options)).load(line);
      List<Op> ops = new ArrayList<>();
      for (Object op : (List<?>) map.get("operations")) {
        ops.add(op((Map<?, ?>) op));
      }
      return new Recorded(
          text(map, "program"),
          ((Number) map.get("run")).longValue(),
          ((Number) map.get("number")).longValue(),
          text(map, "isolation").equals("SERIALIZABLE"),
          text(map, "outcome"),
          ops,
          map.containsKey("cut"));
    } catch (YAMLException | ClassCastException | NullPointerException e) {
      return null;
    }
  }

  private static Op op(Map<?, ?> map) {
    String kind = text(map, "kind");
    List<String> columns = new ArrayList<>();
    for (Object column : (List<?>) map.get("columns")) {
      columns.add(column.toString());
    }
    boolean isScan = kind.startsWith("scan");
    boolean isByCell = text(map, "conflicts").equals("cell");
    if (!isScan) {
      String row = bytes(text(map, "row"));
      return new Op(kind, text(map, "table"), isByCell, false, row, true, columns);
    }
    String from = bytes(text(map, "start"));
    String to = bytes(text(map, "stop"));
    if (Boolean.TRUE.equals(map.get("reversed"))) {
      String start = from;
      from = to;
      to = start;
    }
    boolean isUsual = !map.containsKey("open") && !map.containsKey("reversed");
    boolean isExact = isUsual && to.equals(behind(from));
    String prefix = isExact ? from : to.isEmpty() ? "" : common(from, to);
    return new Op(kind, text(map, "table"), isByCell, true, prefix, isExact, columns);
  }

  private static String text(Map<?, ?> map, String name) {
    return map.get(name).toString();
  }

  /** The first key behind all that begin so; empty if there is none. */
  private static String behind(String prefix) {
    int end = prefix.length();
    while (end > 0 && prefix.charAt(end - 1) == 0xff) {
      end--;
    }
    return end == 0 ? "" : prefix.substring(0, end - 1) + (char) (prefix.charAt(end - 1) + 1);
  }

  private static String common(String a, String b) {
    int length = 0;
    while (length < Math.min(a.length(), b.length()) && a.charAt(length) == b.charAt(length)) {
      length++;
    }
    return a.substring(0, length);
  }

  /** Bytes as characters 0 to 255, of a text with {@code \x00}. */
  private static String bytes(String shown) {
    StringBuilder bytes = new StringBuilder();
    for (int i = 0; i < shown.length(); i++) {
      if (shown.startsWith("\\x", i) && i + 4 <= shown.length()) {
        bytes.append((char) Integer.parseInt(shown.substring(i + 2, i + 4), 16));
        i += 3;
      } else {
        bytes.append(shown.charAt(i));
      }
    }
    return bytes.toString();
  }
}
