package io.retso.workload.history;

import java.util.List;

/**
 * What was recorded.
 *
 * @param ended transactions in the order in which their ends were learned
 * @param unrecorded further ones that were committed
 */
public record History(List<Recorded> ended, long unrecorded) {}
