package io.retso.hbase.trace;

import java.util.OptionalLong;

/**
 * What a transaction met that was refused, for an event. Immutable.
 *
 * @param use what the transaction had to do with it
 * @param row its key, or that of the first row of a range
 * @param stopRow the key of the last row; null if it is no range
 * @param column {@code family:qualifier}; null if it is no column
 * @param commitTimestamp of the newest commit that changed it, if that is known
 */
public record ConflictPlace(
    String table,
    String use,
    String row,
    String stopRow,
    String column,
    OptionalLong commitTimestamp) {}
