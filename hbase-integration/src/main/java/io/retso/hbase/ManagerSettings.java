package io.retso.hbase;

import java.util.Set;
import java.util.function.LongPredicate;

/** What a transaction manager was built with; checked by its builder. Immutable. */
record ManagerSettings(
    Set<String> oracleAddresses,
    WriteLimits writeLimits,
    RetryPolicy retryPolicy,
    long cleanupRowsMax,
    long cleanupDelayMillis,
    long cleanupTimeoutMillis,
    LongPredicate cleanupAlive,
    long orphanDelayMillis,
    long sweepIntervalMillis,
    long closeTimeoutMillis) {}
