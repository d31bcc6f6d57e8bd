package io.retso.client;

import java.time.Duration;
import java.time.Instant;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A snapshot that the oracle holds: regions keep what it contains until it is released, or its time
 * is over.
 *
 * @param name 1 to 64 printable characters of ASCII without blanks; no two that are held have the
 *     same one
 * @param timestamp at which it is read; no two have the same one
 * @param ttl for how long it lasts if it is not renewed
 * @param since when it was taken, by the clock of the server that led then
 * @param left how long it will last if it is not renewed; all of {@code ttl} after a take-over of
 *     the oracle
 * @since 0.1
 */
@InterfaceAudience.Public
public record Hold(String name, long timestamp, Duration ttl, Instant since, Duration left) {}
