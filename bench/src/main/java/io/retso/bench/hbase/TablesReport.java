package io.retso.bench.hbase;

import io.retso.bench.report.Comparison;
import io.retso.bench.report.Percentiles;
import java.util.List;
import java.util.Map;

/**
 * Everything that one benchmark of transactional tables found.
 *
 * @param version of ReTSO, with its commit if it was built from a checkout
 * @param startedAt ISO-8601
 * @param flags as given
 * @param machine where it ran
 * @param settings what was measured
 * @param runs in their order
 * @param works of region servers, in their order
 * @param requests of single operations
 * @param comparisons with the targets
 */
public record TablesReport(
    String version,
    String startedAt,
    List<String> flags,
    Map<String, Object> machine,
    Map<String, Object> settings,
    List<Run> runs,
    List<Work> works,
    List<Requests> requests,
    List<Comparison> comparisons) {
  /**
   * One measurement.
   *
   * @param contest what is compared
   * @param load threads, or operations under way
   * @param variant who does it
   * @param round from 0
   * @param perSecond operations that were not aborted
   * @param abortShare of all operations
   * @param latency of those that were not aborted, ms
   * @param serverMicros processor time of the HBase process for each operation, cleanup included
   * @param clientMicros processor time of this process for each operation
   */
  public record Run(
      String contest,
      int load,
      String variant,
      int round,
      double perSecond,
      double abortShare,
      Percentiles latency,
      double serverMicros,
      double clientMicros) {}

  /**
   * Processor time of HBase for writing rows, flushing them, and cleaning up.
   *
   * @param batch rows that are written together
   * @param microsPerRow what it takes when idle is left out
   */
  public record Work(int batch, String variant, int round, long rows, double microsPerRow) {}

  /**
   * Requests that one operation takes.
   *
   * @param hbase requests to region servers, by the client's own count
   * @param oracleFrames frames that the oracle received
   * @param oracleQueries questions about other transactions
   */
  public record Requests(
      String operation, double hbase, double oracleFrames, double oracleQueries) {}
}
