package io.retso.hbase.beside;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;

/** What a statement came to, as text: all that an application sees of it but timestamps. */
final class Outcome {
  private static final int LENGTH_MAX = 40;

  private Outcome() {}

  /** Makes the call, and tells what it answers or which kind of exception it throws. */
  static String of(Statement statement, AnyTable table) {
    try {
      return text(statement.on(table));
    } catch (IOException e) {
      return "IOException" + details(e);
    } catch (Exception e) {
      return e.getClass().getSimpleName() + details(e);
    }
  }

  /** Whether the call threw an exception. */
  static boolean isFailure(String outcome) {
    return outcome.contains("Exception\n");
  }

  /**
   * Whether both tables did alike: messages differ, and are there for people who read a failed
   * test.
   */
  static boolean isEqual(String one, String other) {
    return isFailure(one) && isFailure(other)
        ? one.lines().findFirst().equals(other.lines().findFirst())
        : one.equals(other);
  }

  private static String details(Exception failure) {
    return "\n" + failure;
  }

  /** What a call answers. */
  static String text(Object answer) {
    if (answer instanceof List<?> list) {
      return String.join("\n", list.stream().map(Outcome::text).toList());
    }
    if (answer instanceof CheckAndMutateResult checked) {
      return "success=" + checked.isSuccess() + " " + text(checked.getResult());
    }
    if (answer instanceof Result result) {
      List<String> cells = new ArrayList<>();
      for (Cell cell : result.isEmpty() ? new Cell[0] : result.rawCells()) {
        cells.add(text(cell));
      }
      return "exists=" + result.getExists() + " " + cells;
    }
    return String.valueOf(answer);
  }

  private static String text(Cell cell) {
    return text(CellUtil.cloneRow(cell))
        + "/"
        + Bytes.toString(CellUtil.cloneFamily(cell)).charAt(0)
        + ":"
        + text(CellUtil.cloneQualifier(cell))
        + "="
        + text(CellUtil.cloneValue(cell));
  }

  /** Short enough to be read. */
  static String text(byte[] bytes) {
    if (bytes == null) {
      return "null";
    }
    return bytes.length <= LENGTH_MAX
        ? Bytes.toStringBinary(bytes)
        : Bytes.toStringBinary(bytes, 0, 3) + "#" + bytes.length + "#" + Arrays.hashCode(bytes);
  }
}
