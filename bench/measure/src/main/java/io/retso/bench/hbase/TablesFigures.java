package io.retso.bench.hbase;

import io.retso.report.Percentiles;
import java.util.List;

/**
 * What one benchmark of transactional tables measured.
 *
 * @param runs in their order
 * @param works of region servers, in their order
 * @param requests of single operations
 * @param written bytes and cells of single operations
 */
public record TablesFigures(
    List<Run> runs, List<Work> works, List<Requests> requests, List<Written> written) {
  /**
   * One measurement.
   *
   * @param contest what is compared
   * @param load threads, or operations under way
   * @param variant what does it
   * @param round from 0
   * @param perSecond operations that were not aborted
   * @param abortShare of all operations
   * @param latency of those that were not aborted, ms
   * @param cpu for each operation
   */
  public record Run(
      String contest,
      int load,
      String variant,
      int round,
      double perSecond,
      double abortShare,
      Percentiles latency,
      Cpu cpu) {}

  /**
   * Processor time for an operation, cleanup included, microseconds.
   *
   * @param client of this process
   * @param server of the HBase process
   * @param oracle of the oracle's process, its bookie included
   * @param compilerShare what the JVMs' compilers took of all that, 0 to 1
   */
  public record Cpu(double client, double server, double oracle, double compilerShare) {
    /** The time of all processes. */
    public double sum() {
      return client + server + oracle;
    }
  }

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

  /**
   * What one operation leaves in HBase, its cleanup included.
   *
   * @param logBytes in the write-ahead log of the region server
   * @param cells in the memory of the regions
   */
  public record Written(String operation, String variant, double logBytes, double cells) {}
}
