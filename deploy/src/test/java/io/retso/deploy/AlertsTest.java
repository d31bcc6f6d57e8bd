package io.retso.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each alarm fires when it should, alone, and not before; by Prometheus' own tests of rules. */
class AlertsTest {
  private static final Path RULES = Path.of("alerts.yml").toAbsolutePath();

  /** How often series have a value, and rules are looked at. */
  private static final int INTERVAL_SECONDS = 5;

  /** What is wrong begins here. */
  private static final int WRONG_AT_SECONDS = 1200;

  private static final int END_SECONDS = 2 * 3600;

  /**
   * A pair of servers in a good hour: a leads, b is ready. Values are a first one, and what is
   * added in each interval.
   */
  private static final Map<String, String> GOOD =
      series(
          "up{job='retso',instance='a'} 1+0",
          "up{job='retso',instance='b'} 1+0",
          "retso_leading{instance='a'} 1+0",
          "retso_leading{instance='b'} 0+0",
          "retso_serving{instance='a'} 1+0",
          "retso_serving{instance='b'} 1+0",
          "retso_members_ready{instance='a'} 2+0",
          "retso_epoch{instance='a'} 7+0",
          "retso_log_oldest_outstanding_seconds{instance='a'} 0+0",
          "retso_log_append_seconds_bucket{instance='a',le='0.01'} 0+1000",
          "retso_log_append_seconds_bucket{instance='a',le='0.25'} 0+1000",
          "retso_log_append_seconds_bucket{instance='a',le='+Inf'} 0+1000",
          "retso_log_stalls_total{instance='a'} 0+0",
          "retso_log_ledgers{instance='a'} 20+0",
          "retso_uncleaned_transactions{instance='a'} 700+0",
          "retso_uncleaned_transactions_limit{instance='a'} 1000+0",
          "retso_refused_commits_total{instance='a'} 0+0",
          "retso_aborts_total{instance='a',reason='evicted'} 0+5",
          "retso_commits_total{instance='a'} 0+5000",
          "retso_hold_age_seconds{instance='a'} 50000+5",
          "retso_out_of_window_transactions_total{instance='a'} 0+4",
          "retso_connections_stalled_total{instance='a'} 0+0",
          "retso_client_oracle_leaderless_seconds_total{instance='app'} 3+0",
          "retso_region_oracle_leaderless_millis{instance='rs'} 900+0",
          "retso_client_orphans_dropped_total{instance='app'} 7+0",
          "retso_region_orphans_dropped{instance='rs'} 7+0",
          "retso_region_mark_memory_percent{instance='rs'} 75+0",
          "retso_clock_lag_seconds{instance='a'} 1+0",
          "process_uptime_seconds{job='retso',instance='a'} 9000+5",
          "process_uptime_seconds{job='retso',instance='b'} 9000+5",
          "jvm_memory_used_bytes{job='retso',instance='a',area='heap'} 900+0",
          "jvm_memory_max_bytes{job='retso',instance='a',area='heap'} 1000+0",
          "jvm_memory_max_bytes{job='retso',instance='a',area='heap',id='eden'} -1+0");

  /**
   * An alarm, how many seconds something must be wrong before it may fire, by when it must (rates
   * and quantiles take a while to show it), and what is wrong.
   */
  enum Alarm {
    RetsoNobodyServes(
        15, 105, "retso_serving{instance='a'} 0+0", "retso_leading{instance='a'} 0+0"),
    RetsoDown(30, 90, "up{job='retso',instance='b'} 0+0"),
    RetsoNotServing(60, 120, "retso_serving{instance='b'} 0+0"),
    RetsoNoStandby(300, 360, "retso_members_ready{instance='a'} 1+0"),
    /** One in a minute. */
    RetsoTakeOvers(0, 360, "retso_epoch{instance='a'} 8+0.0834"),
    RetsoLogStuck(15, 75, "retso_log_oldest_outstanding_seconds{instance='a'} 2.1+0"),
    RetsoLogSlow(600, 1500, "retso_log_append_seconds_bucket{instance='a',le='0.01'} 0+0"),
    RetsoLogStalls(0, 300, "retso_log_stalls_total{instance='a'} 1+0.1"),
    RetsoLogGrows(3600, 3660, "retso_log_ledgers{instance='a'} 201+0"),
    RetsoUncleanedNearLimit(60, 120, "retso_uncleaned_transactions{instance='a'} 801+0"),
    RetsoCommitsRefused(0, 60, "retso_refused_commits_total{instance='a'} 1+1"),
    RetsoFalseAborts(600, 1500, "retso_aborts_total{instance='a',reason='evicted'} 1200+100"),
    RetsoHoldTooOld(300, 360, "retso_hold_age_seconds{instance='a'} 86401+60"),
    RetsoLongTransactions(600, 1200, "retso_out_of_window_transactions_total{instance='a'} 960+10"),
    RetsoStalledClients(0, 60, "retso_connections_stalled_total{instance='a'} 1+0"),
    /** Beyond half of a minute. */
    RetsoClientLeaderless(
        60, 105, "retso_client_oracle_leaderless_seconds_total{instance='app'} 3+5"),
    RetsoOrphansDropped(0, 60, "retso_client_orphans_dropped_total{instance='app'} 8+0"),
    RetsoMarksMemoryFull(60, 120, "retso_region_mark_memory_percent{instance='rs'} 91+0"),
    RetsoClockAhead(60, 120, "retso_clock_lag_seconds{instance='a'} 61+0"),
    RetsoRestarted(0, 60, "process_uptime_seconds{job='retso',instance='b'} 1+0"),
    RetsoHeapTight(900, 960, "jvm_memory_used_bytes{job='retso',instance='a',area='heap'} 951+0");

    private final int notBefore;
    private final int by;
    private final Map<String, String> wrong;

    Alarm(int notBefore, int by, String... wrong) {
      this.notBefore = notBefore;
      this.by = by;
      this.wrong = series(wrong);
    }

    /** Others that fire too, as one is no remedy for the other. */
    Set<String> with() {
      // What no longer serves says so itself, a minute later.
      return this == RetsoNobodyServes ? Set.of("RetsoNotServing") : Set.of();
    }
  }

  @TempDir Path directory;

  private static Map<String, String> series(String... lines) {
    return Arrays.stream(lines)
        .map(line -> line.replace('\'', '"'))
        .collect(
            Collectors.toMap(
                line -> line.substring(0, line.lastIndexOf(' ')),
                line -> line.substring(line.lastIndexOf(' ') + 1),
                (a, b) -> b,
                LinkedHashMap::new));
  }

  /** Values of a series in Prometheus' notation: so many times one is added to the first. */
  private static String values(String good, String wrong) {
    int before = WRONG_AT_SECONDS / INTERVAL_SECONDS - 1;
    int after = (END_SECONDS - WRONG_AT_SECONDS) / INTERVAL_SECONDS;
    return wrong == null
        ? good + "x" + (before + after)
        : good + "x" + before + " " + wrong + "x" + after;
  }

  /** What fires at a moment, by promtool, with something wrong from a moment on. */
  private void assertFiring(Map<String, String> wrong, Map<Integer, Set<String>> firing)
      throws Exception {
    StringBuilder test = new StringBuilder("rule_files: ['" + RULES + "']\n");
    test.append("evaluation_interval: 5s\ntests:\n- interval: 5s\n  input_series:\n");
    assertTrue(GOOD.keySet().containsAll(wrong.keySet()), wrong::toString);
    GOOD.forEach(
        (name, good) ->
            test.append("  - series: '" + name + "'\n    values: '")
                .append(values(good, wrong.get(name)))
                .append("'\n"));
    test.append("  promql_expr_test:\n");
    firing.forEach(
        (seconds, alarms) -> {
          test.append("  - expr: count by (alertname) (ALERTS{alertstate=\"firing\"})\n");
          test.append("    eval_time: ").append(seconds).append("s\n    exp_samples:");
          test.append(alarms.isEmpty() ? " []\n" : "\n");
          new TreeSet<>(alarms)
              .forEach(
                  alarm ->
                      test.append("    - {labels: '{alertname=\"" + alarm + "\"}', value: 1}\n"));
        });
    Path file = Files.writeString(directory.resolve("test.yml"), test);
    Process promtool =
        new ProcessBuilder("promtool", "test", "rules", file.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(promtool.getInputStream().readAllBytes());
    assertTrue(promtool.waitFor(1, TimeUnit.MINUTES), "it does not end");
    assertEquals(0, promtool.exitValue(), said);
  }

  private static void assumePromtool() {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(Pattern.quote(java.io.File.pathSeparator)))
            .anyMatch(place -> Files.isExecutable(Path.of(place, "promtool"))),
        "promtool is not installed (Debian: apt-get install prometheus): alarms are not tested");
  }

  @Test
  void nothingFiresInGoodHours() throws Exception {
    assumePromtool();
    assertFiring(Map.of(), Map.of(60, Set.of(), END_SECONDS, Set.of()));
  }

  @ParameterizedTest
  @EnumSource
  void firesInTimeAndAlone(Alarm alarm) throws Exception {
    assumePromtool();
    Map<Integer, Set<String>> firing = new LinkedHashMap<>();
    if (alarm.notBefore > 0) {
      firing.put(WRONG_AT_SECONDS + alarm.notBefore - INTERVAL_SECONDS, Set.of());
    }
    Set<String> all = new TreeSet<>(alarm.with());
    all.add(alarm.name());
    firing.put(WRONG_AT_SECONDS + alarm.by, all);
    assertFiring(alarm.wrong, firing);
  }

  /** Region servers are clients of the oracle, too, with figures of their own. */
  @Test
  void regionServersSetOffAlarmsOfClients() throws Exception {
    assumePromtool();
    assertFiring(
        series(
            "retso_region_oracle_leaderless_millis{instance='rs'} 900+5000",
            "retso_region_orphans_dropped{instance='rs'} 8+0"),
        Map.of(WRONG_AT_SECONDS + 105, Set.of("RetsoClientLeaderless", "RetsoOrphansDropped")));
  }

  @Test
  void allAlarmsAreTested() throws Exception {
    Set<String> alarms =
        Pattern.compile("(?m)^ +- alert: (\\w+)$")
            .matcher(Files.readString(RULES))
            .results()
            .map(found -> found.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(
        alarms,
        Arrays.stream(Alarm.values())
            .map(Alarm::name)
            .collect(Collectors.toCollection(TreeSet::new)));
  }
}
