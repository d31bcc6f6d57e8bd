package io.retso.bench.growth;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.report.CpuFigures;
import io.retso.report.Drawing;
import io.retso.report.Percentiles;
import io.retso.report.Result;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class GrowthResultTest {
  private static GrowthPoint point(long value, double oracle) {
    return new GrowthPoint(
        Axis.CONNECTIONS,
        value,
        100_000,
        new Percentiles(10, 0.2, 0.1, 0.3, 0.5, 0.6, 0.7),
        new CpuFigures(0.2, oracle, 0.01, 0, 0.1, 0));
  }

  @Test
  void everyValueHasARowAndAPoint() {
    Result.Builder result = Result.begin("growth", "test", List.of(), Map.of());
    GrowthResult.describe(result, List.of(point(1, 0.1), point(4_000, 0.15)), 100_000);
    String text = result.end().text().replaceAll(" +", " ");
    assertTrue(text.contains("connections 4,000 100k 2,000 1,500 0.100 0.500 1.00%"), text);
    String figure = Drawing.of(result.end().plots().get(0));
    assertTrue(figure.startsWith("<svg") && figure.endsWith("</svg>\n"), figure);
    assertTrue(figure.contains(">4,000<"), figure);
  }
}
