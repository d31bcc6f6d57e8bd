package io.retso.hbase.transaction;

import io.retso.hbase.RetryPolicy;
import io.retso.hbase.cleanup.Cleaner;
import io.retso.hbase.options.Isolation;
import io.retso.hbase.write.WriteLimits;
import java.nio.file.Path;
import java.time.Duration;

/**
 * What a transaction manager was built with; checked by its builder. Immutable.
 *
 * @param recording the file of a recording; null for none
 * @param slow how long a transaction takes that is logged; null to log none
 */
public record ManagerSettings(
    String clientName,
    WriteLimits writeLimits,
    RetryPolicy retryPolicy,
    Isolation isolation,
    Cleaner.Options cleanup,
    long orphanDelayMillis,
    long sweepIntervalMillis,
    long closeTimeoutMillis,
    Path recording,
    Duration slow) {}
