package io.retso.bench.suite;

import io.retso.bench.load.LoadPlan;
import io.retso.bench.server.ServersPlan;
import java.time.Duration;
import java.util.List;

/**
 * What to measure.
 *
 * @param servers which servers to start
 * @param clients the steps of the scalability runs
 * @param outstanding transactions under way per client in those
 * @param work what transactions do, but for those that are compared for their isolation
 * @param tableRows rows of the table that transactions write
 * @param seed of the rows
 * @param cleanup whether commits are reported as cleaned up
 * @param ratePerSecond for an open loop instead of all other runs, or 0
 * @param warmServer load before the first run of each server
 * @param compilersMax how long that load goes on at most until the JVM's compilers have done
 * @param warmUp load before each measurement
 * @param measured time of each measurement
 * @param rounds repetitions of the runs that are compared with each other
 */
public record SuiteSettings(
    ServersPlan servers,
    List<Integer> clients,
    int outstanding,
    LoadPlan.Work work,
    long tableRows,
    long seed,
    boolean cleanup,
    double ratePerSecond,
    Duration warmServer,
    Duration compilersMax,
    Duration warmUp,
    Duration measured,
    int rounds) {}
