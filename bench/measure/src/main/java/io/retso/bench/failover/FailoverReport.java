package io.retso.bench.failover;

import io.retso.chaos.clients.Clients;
import io.retso.chaos.run.Trial;
import io.retso.report.Verdict;
import java.util.List;
import java.util.Map;

/**
 * What was measured.
 *
 * @param version of the build
 * @param startedAt when it began
 * @param flags as given
 * @param machine what it ran on
 * @param nodes what the cluster consists of
 * @param clients of the load
 * @param connections of all of them to the leader
 * @param asked transactions a second that were to be begun
 * @param served commits a second before the first trial
 * @param idleShare of all processors meanwhile, 0 to 1
 * @param mostServed the most commits a second while the clients warmed up at the full rate: what
 *     this machine can serve, if that is less than was asked for
 * @param uncleaned commits that were not cleaned up
 * @param trials faults
 * @param refused faults that could not be made, or after which it did not recover
 * @param idle begins after an idle time
 * @param idleMillis that time
 * @param comparisons with targets
 */
public record FailoverReport(
    String version,
    String startedAt,
    List<String> flags,
    Map<String, Object> machine,
    String nodes,
    int clients,
    int connections,
    double asked,
    double served,
    double idleShare,
    double mostServed,
    long uncleaned,
    List<Trial> trials,
    List<String> refused,
    List<Clients.Idle> idle,
    long idleMillis,
    List<Verdict> comparisons) {}
