package io.retso.bench.growth;

import io.retso.report.CpuFigures;
import io.retso.report.Percentiles;
import io.retso.report.Verdict;
import java.util.List;
import java.util.Map;

/**
 * Everything that a benchmark of growth found.
 *
 * @param version of ReTSO
 * @param startedAt ISO-8601
 * @param flags as given
 * @param machine where it ran
 * @param ratePerSecond transactions begun per second
 * @param points in the order of axes and values
 * @param leftOut what was not measured, and why
 */
public record GrowthReport(
    String version,
    String startedAt,
    List<String> flags,
    Map<String, Object> machine,
    double ratePerSecond,
    List<Point> points,
    List<String> leftOut,
    List<Verdict> comparisons) {

  /**
   * What a transaction costs at one value of an axis.
   *
   * @param perSecond transactions decided per second
   * @param begin latencies of begins, from the instants at which they were due, milliseconds
   */
  public record Point(Axis axis, long value, double perSecond, Percentiles begin, CpuFigures cpu) {
    /** Nanoseconds of the server's process for a transaction; negative if not known. */
    public double serverNanos() {
      return CpuFigures.nanosPerTransaction(cpu.server(), perSecond);
    }

    /** Nanoseconds of the server's deciding thread for a transaction; negative if not known. */
    public double oracleNanos() {
      return CpuFigures.nanosPerTransaction(cpu.oracle(), perSecond);
    }
  }
}
