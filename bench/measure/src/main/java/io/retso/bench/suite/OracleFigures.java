package io.retso.bench.suite;

import io.retso.report.DiskFigures;
import io.retso.report.Percentiles;
import io.retso.report.RunFigures;
import java.util.List;

/**
 * What the paper's benchmark of the oracle measured.
 *
 * @param disk time to force bytes to the disk of the data directory
 * @param bookKeeperAdd one add of a small entry by one client, milliseconds; {@code null} if it was
 *     not measured
 * @param runs in their order
 * @param kernel the oracle alone and the memory, measured beside the runs; {@code null} if it was
 *     not
 */
record OracleFigures(
    List<DiskFigures> disk, Percentiles bookKeeperAdd, List<RunFigures> runs, Kernel kernel) {

  /**
   * The oracle alone, on one thread without network and log; medians.
   *
   * @param linesPerSecond random cache lines that the memory reads
   * @param perSecond transactions per second of processor time
   * @param shareOfLines lines that the oracle uses of those, of 1
   */
  record Kernel(double linesPerSecond, double perSecond, double shareOfLines) {}
}
