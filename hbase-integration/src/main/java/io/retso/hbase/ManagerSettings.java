package io.retso.hbase;

import java.util.Set;

/** What a transaction manager was built with; checked by its builder. Immutable. */
record ManagerSettings(
    Set<String> oracleAddresses,
    WriteLimits writeLimits,
    RetryPolicy retryPolicy,
    Cleaner.Options cleanup,
    long orphanDelayMillis,
    long sweepIntervalMillis,
    long closeTimeoutMillis) {}
