package io.retso.workload.history;

import java.util.List;

/**
 * What was recorded.
 *
 * @param ended transactions in the order in which their ends were noticed: of two that were not
 *     concurrent the earlier one is first
 * @param unrecorded further ones that were committed
 */
public record History(List<Recorded> ended, long unrecorded) {}
