package io.retso.client;

import java.time.Duration;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * How long the oracle's server took for the steps of a commit, by its own clock. Commits that
 * travel together are decided together, and have these in common. None is negative.
 *
 * @param decided from the arrival of the request to the decision, in which it may wait for others
 * @param logged from there until the decision was durable
 * @param answered from there until the reply left
 * @since 0.1
 */
@InterfaceAudience.Public
public record CommitSteps(Duration decided, Duration logged, Duration answered) {}
