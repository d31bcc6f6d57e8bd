package io.retso.hbase;

import io.retso.hbase.metrics.Counters;

/**
 * What a transaction manager did since it was built, and what it has to do; read without a lock, so
 * the numbers may be some operations apart. Immutable.
 *
 * @param begun transactions begun, read-only ones included
 * @param currentReads reads of read-only transactions at an older timestamp, at which all was still
 *     current, so that the oracle was not asked
 * @param changedSnapshots such reads that were repeated at the timestamp, as their rows had changed
 * @param committed transactions committed, those that wrote nothing included
 * @param conflicts aborted by a conflict
 * @param tooOld aborted for their age
 * @param rolledBack rolled back by the application, by {@code close} or after a failure
 * @param unknown commits without an answer
 * @param retries transactions that {@code run} ran again
 * @param writeBatches batches of writes, one per table
 * @param statusQueries writers that the oracle was asked about
 * @param rowsReadAgain rows that client reads fetched more than once
 * @param cleanedUp transactions cleaned up and reported to the oracle
 * @param rowsCleaned rows of them
 * @param cleanupsFailed transactions whose cleanup is left to readers and sweeps
 * @param orphansCleaned rows of other clients' transactions cleaned up behind reads
 * @param orphansDropped rows that were not, since there were too many
 * @param sweeps sweeps completed
 * @param sweepsFailed sweeps that could not be completed
 * @param cleanupRows rows that wait for cleanup now
 */
public record ManagerMetrics(
    long begun,
    long currentReads,
    long changedSnapshots,
    long committed,
    long conflicts,
    long tooOld,
    long rolledBack,
    long unknown,
    long retries,
    long writeBatches,
    long statusQueries,
    long rowsReadAgain,
    long cleanedUp,
    long rowsCleaned,
    long cleanupsFailed,
    long orphansCleaned,
    long orphansDropped,
    long sweeps,
    long sweepsFailed,
    long cleanupRows) {
  static ManagerMetrics of(Counters c, long cleanupRows) {
    return new ManagerMetrics(
        c.begun.sum(),
        c.currentReads.sum(),
        c.changedSnapshots.sum(),
        c.committed.sum(),
        c.conflicts.sum(),
        c.tooOld.sum(),
        c.rolledBack.sum(),
        c.unknown.sum(),
        c.retries.sum(),
        c.writeBatches.sum(),
        c.statusQueries.sum(),
        c.rowsReadAgain.sum(),
        c.cleanedUp.sum(),
        c.rowsCleaned.sum(),
        c.cleanupsFailed.sum(),
        c.orphansCleaned.sum(),
        c.orphansDropped.sum(),
        c.sweeps.sum(),
        c.sweepsFailed.sum(),
        cleanupRows);
  }
}
