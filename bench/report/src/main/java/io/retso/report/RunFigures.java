package io.retso.report;

/**
 * One measured run.
 *
 * @param target what was measured
 * @param kind which part of the benchmark it belongs to
 * @param transactions whether transactions were repeated, or only start timestamps
 * @param clients connections
 * @param outstanding transactions under way per connection
 * @param ratePerSecond of an open loop, 0 for a closed loop
 * @param round of repetitions, from 0
 * @param seconds measured
 * @param perSecond transactions decided (or start timestamps received) per second
 * @param committed transactions that committed
 * @param conflicts transactions aborted because of a concurrent commit, by a conflict or since they
 *     might not be serializable
 * @param tooOld transactions aborted because the oracle no longer remembered enough
 * @param refused commits refused because too many were not cleaned up
 * @param abortShare those that did not commit, of 1
 * @param transaction latency of begin and commit together, milliseconds
 * @param begin latency of the start timestamp
 * @param commit latency of the commit
 * @param cpu processor time
 * @param log what the server's log did meanwhile; {@code null} if it has none or does not report it
 */
public record RunFigures(
    Target target,
    Kind kind,
    boolean transactions,
    int clients,
    int outstanding,
    double ratePerSecond,
    int round,
    double seconds,
    double perSecond,
    long committed,
    long conflicts,
    long tooOld,
    long refused,
    double abortShare,
    Percentiles transaction,
    Percentiles begin,
    Percentiles commit,
    CpuFigures cpu,
    LogFigures log) {

  /** What a run is for. */
  public enum Kind {
    LATENCY("latency"),
    PEAK("peak"),
    /** Commits that name nine rows read and one written, under snapshot isolation. */
    READS("9 reads"),
    /** Commits of nine rows read and one written, serializable. */
    CERTIFIED("certified"),
    SCALE("scale"),
    RATE("open loop");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    @Override
    public String toString() {
      return label;
    }
  }

  /** What answers the requests. */
  public enum Target {
    ECHO("echo"),
    LOG_OFF("log off"),
    LOG_ON("log on"),
    REMOTE("remote");

    private final String label;

    Target(String label) {
      this.label = label;
    }

    @Override
    public String toString() {
      return label;
    }
  }

  /** Nanoseconds of the server's process for a transaction; negative if they are not known. */
  public double serverNanos() {
    return CpuFigures.nanosPerTransaction(cpu.server(), perSecond);
  }

  /** Nanoseconds of the server's thread that decides; negative if they are not known. */
  public double oracleNanos() {
    return CpuFigures.nanosPerTransaction(cpu.oracle(), perSecond);
  }

  /** Nanoseconds of this process for a transaction. */
  public double clientNanos() {
    return CpuFigures.nanosPerTransaction(cpu.client(), perSecond);
  }

  /** The latency of the whole of what was repeated. */
  public Percentiles latency() {
    return transactions ? transaction : begin;
  }

  /**
   * The log during a run.
   *
   * @param entries appended
   * @param bytesPerEntry mean size
   * @param transactionsPerEntry decided transactions of a batch
   * @param appendMillisMean mean time from append to acknowledgement
   */
  public record LogFigures(
      long entries, double bytesPerEntry, double transactionsPerEntry, double appendMillisMean) {}
}
