package io.retso.server.observe;

import io.retso.protocol.OracleIdentity;
import io.retso.server.config.MemoryPlan;
import java.util.function.Supplier;

/**
 * What is known when the server serves for the first time, and does not change.
 *
 * @param oracle which oracle it is
 * @param address where clients connect
 * @param logKind {@code bookkeeper} or {@code memory}
 * @param logPlace where the log is, for people
 * @param recoveredTransactions commits that were replayed until then
 * @param recoverySeconds how long that took, a take-over included
 * @param memory what the tables take
 * @param security what keeps strangers out, for people
 * @param startedNanos when it began to serve, by the server's clock
 */
public record ServerFacts(
    OracleIdentity oracle,
    String address,
    String logKind,
    String logPlace,
    long recoveredTransactions,
    double recoverySeconds,
    MemoryPlan memory,
    Supplier<String> security,
    long startedNanos) {}
