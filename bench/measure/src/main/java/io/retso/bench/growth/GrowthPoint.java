package io.retso.bench.growth;

import io.retso.report.CpuFigures;
import io.retso.report.Percentiles;

/**
 * What a transaction costs at one value of an axis.
 *
 * @param perSecond transactions decided per second
 * @param begin latencies of begins, from the instants at which they were due, milliseconds
 */
public record GrowthPoint(
    Axis axis, long value, double perSecond, Percentiles begin, CpuFigures cpu) {
  /** Nanoseconds of the server's process for a transaction; negative if not known. */
  double serverNanos() {
    return CpuFigures.nanosPerTransaction(cpu.server(), perSecond);
  }

  /** Nanoseconds of the server's deciding thread for a transaction; negative if not known. */
  double oracleNanos() {
    return CpuFigures.nanosPerTransaction(cpu.oracle(), perSecond);
  }
}
