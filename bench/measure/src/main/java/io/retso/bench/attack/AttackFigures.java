package io.retso.bench.attack;

import io.retso.report.CpuFigures;
import io.retso.report.Percentiles;
import io.retso.report.RunFigures.Target;

/**
 * A good client beside an attack.
 *
 * @param target what was attacked
 * @param attack what was done to it
 * @param good latencies of the good client's transactions, from the instants at which they were
 *     due, milliseconds
 * @param goodBegins those of its begins
 * @param control those of the same client's begins at a server that is not attacked; null if there
 *     is none
 * @param notCommitted its transactions that did not commit, of 1
 * @param longAborted transactions of its that were open all the time and were aborted, of 1;
 *     negative if there were none
 * @param answeredPerSecond requests of the attack that were answered while this was measured
 * @param answered those since the attack began
 * @param refused requests and connections of the attack that were refused since it began
 * @param turnCpuMillis a bound of the processor time of the longest turn of the server's thread;
 *     negative if not known
 * @param appendMillis a bound of the longest append to the log; negative if there was none
 * @param cpu processor time
 */
public record AttackFigures(
    Target target,
    String attack,
    Percentiles good,
    Percentiles goodBegins,
    Percentiles control,
    double notCommitted,
    double longAborted,
    double answeredPerSecond,
    long answered,
    long refused,
    double turnCpuMillis,
    double appendMillis,
    CpuFigures cpu) {}
