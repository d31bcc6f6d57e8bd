package io.retso.hbase;

import io.retso.hbase.cleanup.Cleaner;
import io.retso.hbase.write.WriteLimits;

/** What a transaction manager was built with; checked by its builder. Immutable. */
record ManagerSettings(
    WriteLimits writeLimits,
    RetryPolicy retryPolicy,
    Cleaner.Options cleanup,
    long orphanDelayMillis,
    long sweepIntervalMillis,
    long closeTimeoutMillis) {}
