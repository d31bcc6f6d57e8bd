package io.retso.hbase.recording;

import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.SortedSet;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * What one transaction has done so far, in the order of its calls. Keys are data, values are not in
 * it. Thread-safe.
 */
public final class TransactionRecord {
  /** Operations of one transaction in a line; the line says how many more there were. */
  static final int OPERATIONS_MAX = 500;

  /** Characters of these. */
  static final int CHARACTERS_MAX = 64 * 1024;

  private final Recorder recorder;
  private final String head;

  /** Guarded by this, as all below. */
  private final StringBuilder operations = new StringBuilder();

  private int count;
  private int cut;

  TransactionRecord(Recorder recorder, String head) {
    this.recorder = recorder;
    this.head = head;
  }

  /** A table as operations name it. */
  public record Place(String table, boolean isByCell) {}

  /** Gets; {@code kind} is the method's name. */
  public void reads(String kind, Place place, List<Get> gets) {
    for (Get get : gets) {
      add(operation(kind, place, get.getRow(), columns(get.getFamilyMap())));
    }
  }

  /** Actions of a batch, of any kinds, one after another. */
  public void actions(Place place, List<? extends Row> actions) {
    for (Row action : actions) {
      if (action instanceof Get get) {
        reads("get", place, List.of(get));
      } else if (action instanceof RowMutations many) {
        actions(place, many.getMutations());
      } else if (action instanceof CheckAndMutate conditional) {
        condition(place, conditional);
        actions(place, List.of(conditional.getAction()));
      } else if (action instanceof Mutation mutation) {
        add(operation(kind(mutation), place, mutation.getRow(), written(mutation)));
      }
    }
  }

  private void condition(Place place, CheckAndMutate conditional) {
    SortedSet<String> columns = new TreeSet<>();
    if (conditional.getFamily() != null) {
      byte[] qualifier = conditional.getQualifier();
      columns.add(column(conditional.getFamily(), qualifier == null ? new byte[0] : qualifier));
    }
    add(operation("get", place, conditional.getRow(), columns)); // a filter may look at all
  }

  private static String kind(Mutation mutation) {
    return mutation instanceof Put
        ? "put"
        : mutation instanceof Increment
            ? "increment"
            : mutation instanceof Append ? "append" : "delete";
  }

  /** A scan, with the range of its rows. */
  public void scan(String kind, Place place, Scan scan) {
    StringBuilder text = begun(kind, place).append(",\"start\":");
    Json.quoted(text, scan.getStartRow()).append(",\"stop\":");
    Json.quoted(text, scan.getStopRow());
    if (!scan.includeStartRow() || scan.includeStopRow()) {
      text.append(",\"open\":").append(!scan.includeStartRow());
      text.append(",\"closed\":").append(scan.includeStopRow());
    }
    if (scan.isReversed()) {
      text.append(",\"reversed\":true");
    }
    add(ended(text, columns(scan.getFamilyMap())));
  }

  private static StringBuilder begun(String kind, Place place) {
    StringBuilder text = new StringBuilder("{\"kind\":\"").append(kind).append("\",\"table\":");
    return Json.quoted(text, place.table())
        .append(",\"conflicts\":\"")
        .append(place.isByCell() ? "cell" : "row")
        .append('"');
  }

  private static String operation(String kind, Place place, byte[] row, SortedSet<String> columns) {
    StringBuilder text = begun(kind, place).append(",\"row\":");
    return ended(Json.quoted(text, row), columns);
  }

  private static String ended(StringBuilder text, SortedSet<String> columns) {
    text.append(",\"columns\":[");
    String comma = "";
    for (String column : columns) {
      Json.quoted(text.append(comma), column);
      comma = ",";
    }
    return text.append("]}").toString();
  }

  /** Names of columns; of a whole family the family's, without a colon. */
  private static SortedSet<String> columns(Map<byte[], NavigableSet<byte[]>> families) {
    SortedSet<String> columns = new TreeSet<>();
    families.forEach(
        (family, qualifiers) -> {
          if (qualifiers == null || qualifiers.isEmpty()) {
            columns.add(Bytes.toStringBinary(family));
          } else {
            qualifiers.forEach(qualifier -> columns.add(column(family, qualifier)));
          }
        });
    return columns;
  }

  private static SortedSet<String> written(Mutation mutation) {
    SortedSet<String> columns = new TreeSet<>();
    mutation
        .getFamilyCellMap()
        .forEach(
            (family, cells) -> {
              for (Cell cell : cells) {
                boolean isWhole =
                    cell.getType() == Cell.Type.DeleteFamily
                        || cell.getType() == Cell.Type.DeleteFamilyVersion;
                columns.add(
                    isWhole
                        ? Bytes.toStringBinary(family)
                        : column(family, CellUtil.cloneQualifier(cell)));
              }
            });
    return columns;
  }

  private static String column(byte[] family, byte[] qualifier) {
    return Bytes.toStringBinary(family) + ":" + Bytes.toStringBinary(qualifier);
  }

  private synchronized void add(String operation) {
    if (count == OPERATIONS_MAX || operations.length() + operation.length() > CHARACTERS_MAX) {
      cut++;
      return;
    }
    operations.append(count++ == 0 ? "" : ",").append(operation);
  }

  /** The transaction has ended; once. */
  public void ended(String outcome) {
    String line;
    synchronized (this) {
      if (count + cut == 0) {
        return;
      }
      line =
          head
              + ",\"outcome\":\""
              + outcome
              + "\",\"operations\":["
              + operations
              + "]"
              + (cut == 0 ? "" : ",\"cut\":" + cut)
              + "}\n";
    }
    recorder.write(line);
  }
}
