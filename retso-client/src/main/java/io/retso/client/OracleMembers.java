package io.retso.client;

import java.time.Duration;
import java.util.List;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * What a client knows at one moment of the servers that share its oracle's log.
 *
 * @param leader address of the server that requests go to, {@code host:port}; empty without a
 *     leader
 * @param epoch that of this leader, or of the last one; each leader has a higher one than those
 *     before it. 0 before the first
 * @param leaderChanges how often another leader than before was followed
 * @param withoutLeader how long in all there was no leader, or it was silent for half a second,
 *     since the client's first request
 * @param addresses where it looks for members, {@code host:port}
 * @param connected how many of the addresses it is connected to
 */
@InterfaceAudience.Public
public record OracleMembers(
    String leader,
    long epoch,
    long leaderChanges,
    Duration withoutLeader,
    List<String> addresses,
    int connected) {}
