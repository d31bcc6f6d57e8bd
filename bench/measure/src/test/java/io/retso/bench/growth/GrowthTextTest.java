package io.retso.bench.growth;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.report.CpuFigures;
import io.retso.report.Percentiles;
import io.retso.report.Verdict;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GrowthTextTest {
  private static GrowthReport.Point point(long value, double oracle) {
    return new GrowthReport.Point(
        Axis.CONNECTIONS,
        value,
        100_000,
        new Percentiles(10, 0.2, 0.1, 0.3, 0.5, 0.6, 0.7),
        new CpuFigures(0.2, oracle, 0.01, 0, 0.1, 0));
  }

  @Test
  void everyValueHasARowAndAPoint() {
    GrowthReport report =
        new GrowthReport(
            "test",
            "2026-01-01T00:00:00Z",
            List.of(),
            Map.of(),
            100_000,
            List.of(point(1, 0.1), point(4_000, 0.15)),
            List.of("a map"),
            List.of(new Verdict("connections", 1.5, false, 1.5, "")));
    String text = GrowthText.of(report).replaceAll(" +", " ");
    assertTrue(text.contains("connections 4,000 100k 2,000 1,500 0.100 0.500 1.00%"), text);
    assertTrue(text.contains("not measured: a map"), text);
    assertTrue(text.contains("<= 1.5 met"), text);
    String figure = GrowthText.figure(report, Axis.CONNECTIONS);
    assertTrue(figure.startsWith("<svg") && figure.endsWith("</svg>\n"), figure);
    assertTrue(figure.contains(">4,000<"), figure);
  }
}
