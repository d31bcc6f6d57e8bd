package io.retso.log;

/**
 * When the steps of a take-over were done, by the clock of {@link LedgerLog.Threads}.
 *
 * @param enteredNanos the epoch had begun in the catalog
 * @param endedNanos the leader before need not be let go on any longer
 * @param fencedNanos all that others may have written was fenced or closed: from then on no append
 *     of theirs succeeds
 * @param readNanos the replay had been shown everything
 */
public record TakeOverTimes(long enteredNanos, long endedNanos, long fencedNanos, long readNanos) {}
