package io.retso.hbase;

import java.time.Duration;
import java.time.Instant;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A snapshot that the oracle holds now, whichever process has taken it: {@link
 * TransactionManager#holds}. Immutable.
 *
 * @param name of the snapshot, for people
 * @param token by which it is read
 * @param ttl for how long it lasts if it is not renewed
 * @param since when it was taken, by the clock of the server that led then
 * @param left how long it will last if it is not renewed
 * @since 0.1
 */
@InterfaceAudience.Public
public record Hold(String name, SnapshotToken token, Duration ttl, Instant since, Duration left) {}
