package io.retso.bench.hbase;

import io.retso.cluster.ForcedLogs;
import io.retso.hbase.options.Isolation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * What to measure of transactional tables.
 *
 * @param rows of each table
 * @param valueBytes of each row
 * @param clientReads whether clients decide what a snapshot sees, instead of region servers
 * @param isolation of all transactions
 * @param forcedLogs whose logs are forced to disk
 * @param names measurements whose names contain a match are done, others left out
 * @param warmPass load of every kind before the first measurement: one pass
 * @param compilersMax passes begin for so long at most, if the JVMs' compilers do not come to rest
 * @param warmUp before each measurement
 * @param measured time of each measurement
 * @param rounds in which the compared ones take turns
 * @param workRows rows that are written at most to measure the work of the region server
 * @param seed of rows and values
 * @param directory for results and the cluster's data
 */
public record TablesSettings(
    int rows,
    int valueBytes,
    boolean clientReads,
    Isolation isolation,
    ForcedLogs forcedLogs,
    Pattern names,
    Duration warmPass,
    Duration compilersMax,
    Duration warmUp,
    Duration measured,
    int rounds,
    int workRows,
    long seed,
    Path directory) {
  /** What {@code --rows} may be. */
  public static final int ROWS_MAX = 10_000_000;

  /** The usual run, minutes; or a quick one, with less to rely on. */
  public static TablesSettings standard(boolean quick, int rows, long seed, Path directory) {
    return new TablesSettings(
        rows,
        100,
        false,
        Isolation.SNAPSHOT,
        ForcedLogs.ORACLE,
        Pattern.compile(""),
        Duration.ofSeconds(quick ? 15 : 30),
        Duration.ofSeconds(quick ? 35 : 180),
        Duration.ofMillis(quick ? 100 : 300),
        Duration.ofMillis(quick ? 300 : 1000),
        quick ? 3 : 5,
        quick ? 10_000 : 50_000,
        seed,
        directory);
  }

  /** These settings with others of those that are named here. */
  public TablesSettings with(
      Pattern otherNames,
      Duration eachMeasured,
      int otherRounds,
      boolean readsByClients,
      Isolation level,
      ForcedLogs forced) {
    return new TablesSettings(
        rows,
        valueBytes,
        readsByClients,
        level,
        forced,
        otherNames,
        warmPass,
        compilersMax,
        warmUp,
        eachMeasured,
        otherRounds,
        workRows,
        seed,
        directory);
  }

  /** What a report says of them. */
  Map<String, Object> facts() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("rows", rows);
    facts.put("valueBytes", valueBytes);
    facts.put("reads", clientReads ? "client" : "server");
    facts.put("isolation", isolation.toString());
    facts.put("forcedLogs", forcedLogs.toString());
    facts.put("names", names.pattern());
    facts.put("warmUpSeconds", warmUp.toNanos() / 1e9);
    facts.put("measuredSeconds", measured.toNanos() / 1e9);
    facts.put("rounds", rounds);
    facts.put("workRows", workRows);
    facts.put("seed", seed);
    return facts;
  }
}
