package io.retso.report;

import java.util.List;
import java.util.Map;

/**
 * Everything that one benchmark found.
 *
 * @param version of ReTSO, with its commit if it was built from a checkout
 * @param startedAt ISO-8601
 * @param flags as given
 * @param seed of the rows
 * @param machine where it ran
 * @param disk time to force bytes to the disk of the data directory
 * @param bookKeeperAdd one add of a small entry by one client, milliseconds; {@code null} if it was
 *     not measured
 * @param runs in their order
 * @param kernel the oracle alone and the memory, measured beside the runs; {@code null} if it was
 *     not
 * @param comparisons with what is hoped for
 */
public record Report(
    String version,
    String startedAt,
    List<String> flags,
    long seed,
    Map<String, Object> machine,
    List<DiskFigures> disk,
    Percentiles bookKeeperAdd,
    List<RunFigures> runs,
    Kernel kernel,
    List<Verdict> comparisons) {

  /**
   * The oracle alone, on one thread without network and log; medians.
   *
   * @param linesPerSecond random cache lines that the memory reads
   * @param perSecond transactions per second of processor time
   * @param shareOfLines lines that the oracle uses of those, of 1
   */
  public record Kernel(double linesPerSecond, double perSecond, double shareOfLines) {}
}
