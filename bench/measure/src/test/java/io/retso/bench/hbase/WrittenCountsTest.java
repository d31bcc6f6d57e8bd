package io.retso.bench.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.cluster.ForcedLogs;
import io.retso.hbase.options.Isolation;
import io.retso.report.Result;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a real cluster: what the plain client writes is known, so the counts can be checked. */
class WrittenCountsTest {
  @TempDir Path directory;

  @Test
  void aPlainWriteIsOneCellARowAndItsBytesAreInTheLog() throws Exception {
    TablesSettings settings =
        TablesSettings.standard(true, 1000, 1, directory)
            .with(
                Pattern.compile("bytes and cells"),
                Duration.ofMillis(1),
                1,
                false,
                Isolation.SNAPSHOT,
                ForcedLogs.ORACLE);
    Result result =
        new TablesBench(settings, new PrintWriter(new StringWriter()), false).run("1", List.of());
    TablesFigures report = result.runs(TablesFigures.class).get(0);
    assertEquals(2 * WrittenCounts.operations().size(), report.written().size());
    for (TablesFigures.Written one : report.written()) {
      boolean plain = one.variant().equals(Contest.PLAIN);
      int rows = rows(one.operation());
      assertEquals(rows, one.cells(), plain ? 0 : 0.5 * rows, one::toString);
      assertTrue(one.cells() >= rows, one::toString);
      assertTrue(one.logBytes() > rows * (plain ? 100 : 120), one::toString);
    }
    assertTrue(result.verdicts().get(0).what().startsWith("bytes of the log, 1 put"));
  }

  /** A ratio of -203.93 was once taken for a target met. */
  @Test
  void aLogThatIsMovedOrDeletedMeanwhileTakesNoBytesAway() {
    Map<String, Long> before = Map.of("archived", 90L, "current", 40L);
    assertEquals(10 + 7, WrittenCounts.grown(before, Map.of("current", 50L, "next", 7L)));
  }

  private static int rows(String operation) {
    String number = operation.replaceAll("\\D", "");
    return number.isEmpty() ? 1 : Integer.parseInt(number);
  }
}
