package io.retso.bench.load;

import io.retso.protocol.Handshake;
import java.time.Duration;

/**
 * One run of load.
 *
 * @param mode {@code ORACLE} for the real thing, {@code ECHO} for the same frames answered at once
 * @param work what is repeated
 * @param clients connections
 * @param outstanding transactions under way per connection; with a rate, at most so many
 * @param rows rows of the table
 * @param seed of the rows
 * @param cleanup whether commits are reported as cleaned up; without, the server's table of
 *     uncleaned commits fills up
 * @param ratePerSecond work begun per second whatever the server does (an open loop), or 0 to begin
 *     when something completes (a closed loop)
 * @param warmUp time before the measurement
 * @param measured time of the measurement
 */
public record LoadPlan(
    Handshake.Mode mode,
    Work work,
    int clients,
    int outstanding,
    long rows,
    long seed,
    boolean cleanup,
    double ratePerSecond,
    Duration warmUp,
    Duration measured) {

  /** Transactions outstanding on one connection, at most. */
  public static final int OUTSTANDING_MAX = 1 << 20;

  /** Connections, at most. */
  public static final int CLIENTS_MAX = 4096;

  /** What is repeated. */
  public enum Work {
    /** Begin, then commit 0 to 20 rows. */
    TRANSACTIONS,
    /** Only start timestamps. */
    BEGINS,
    /** Begin, then commit one row written and nine read, under snapshot isolation. */
    READS,
    /** Like READS, but serializable: the reads are certified. */
    CERTIFIED_READS;

    /** What transactions do: serializable ones read nine rows and write one, others 0 to 20. */
    public static Work of(boolean serializable) {
      return serializable ? CERTIFIED_READS : TRANSACTIONS;
    }

    /** Whether its commits name what was read. */
    boolean namesReads() {
      return this == READS || this == CERTIFIED_READS;
    }
  }

  /** Rows that a commit writes which names what was read. */
  static final int WRITES_BESIDE_READS = 1;

  /** Rows that it names as read. */
  static final int READS_NAMED = 9;

  /** Ids of a commit that names what was read. */
  public static final int IDS_OF_READS = WRITES_BESIDE_READS + READS_NAMED;

  /** Checks the sizes. */
  public LoadPlan {
    if (clients < 1 || clients > CLIENTS_MAX) {
      throw new IllegalArgumentException(clients + " clients are not within 1 and " + CLIENTS_MAX);
    }
    if (outstanding < 1 || outstanding > OUTSTANDING_MAX) {
      throw new IllegalArgumentException(
          outstanding + " outstanding transactions are not within 1 and " + OUTSTANDING_MAX);
    }
  }

  boolean isOpenLoop() {
    return ratePerSecond > 0;
  }
}
