package io.retso.bench.suite;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What to measure.
 *
 * @param logOff whether to measure a server without a log
 * @param logOn whether to measure a durable server
 * @param clients the steps of the scalability runs
 * @param outstanding transactions under way per client in those
 * @param tableRows rows of the table that transactions write
 * @param mapRows rows that the servers remember
 * @param seed of the rows
 * @param cleanup whether commits are reported as cleaned up
 * @param ratePerSecond for an open loop instead of all other runs, or 0
 * @param remote a server that runs already, instead of children
 * @param warmServer load before the first run of each server
 * @param warmUp load before each measurement
 * @param measured time of each measurement
 * @param rounds repetitions of the runs that are compared with each other
 * @param directory for results and the servers' data
 * @param serverMain class that runs {@code retso} and ends with its standard input
 * @param serverOptions JVM options for the servers
 */
public record SuiteSettings(
    boolean logOff,
    boolean logOn,
    List<Integer> clients,
    int outstanding,
    long tableRows,
    long mapRows,
    long seed,
    boolean cleanup,
    double ratePerSecond,
    Optional<InetSocketAddress> remote,
    Duration warmServer,
    Duration warmUp,
    Duration measured,
    int rounds,
    Path directory,
    String serverMain,
    List<String> serverOptions) {}
