package io.retso.server.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.server.RetsoServer;
import io.retso.server.TestServers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class MetricsTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern HELP = Pattern.compile("(?m)^# HELP (retso_\\w+) (.*)$");
  private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE (retso_\\w+) (\\w+)$");
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `(retso_\\w+)` \\| (\\w+) \\| (.*?) \\|$");
  private static final Pattern NAME = Pattern.compile("\\b(?:retso|jvm|process|system)_\\w+");

  private static RetsoServer server;
  private static String scrape;

  @BeforeAll
  static void scrape() throws Exception {
    server = TestServers.inMemory();
    HttpResponse<String> reply = TestServers.get(server.httpPort(), "/metrics");
    assertEquals(200, reply.statusCode());
    scrape = reply.body();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static Map<String, String> exported() {
    Map<String, String> types =
        TYPE.matcher(scrape).results().collect(Collectors.toMap(m -> m.group(1), m -> m.group(2)));
    Map<String, String> all = new TreeMap<>();
    for (MatchResult m : HELP.matcher(scrape).results().toList()) {
      all.put(m.group(1), types.get(m.group(1)) + ": " + m.group(2));
    }
    return all;
  }

  private static Map<String, String> documented() throws Exception {
    String page = Files.readString(ROOT.resolve("docs/metrics.md")).split("\n## Clients\n")[0];
    Map<String, String> all = new TreeMap<>();
    for (MatchResult m : ROW.matcher(page).results().toList()) {
      all.put(m.group(1), m.group(2) + ": " + m.group(3));
    }
    return all;
  }

  @Test
  void everyMetricIsDocumentedAndEveryDocumentedOneExists() throws Exception {
    assertEquals(exported(), documented());
    assertTrue(exported().size() > 30);
  }

  @Test
  void everyReasonIsALabel() {
    for (String reason : new String[] {"conflict", "evicted", "out_of_window", "requested"}) {
      assertTrue(scrape.contains("retso_aborts_total{reason=\"" + reason + "\"} 0.0"), reason);
    }
  }

  @Test
  void histogramsHaveBucketsSumAndCount() {
    assertTrue(scrape.contains("retso_log_append_seconds_bucket{le=\"1.0E-5\"} 0"), scrape);
    assertTrue(scrape.contains("retso_log_append_seconds_bucket{le=\"+Inf\"} 0"));
    assertTrue(scrape.contains("retso_log_append_seconds_count 0"));
    assertTrue(scrape.contains("retso_decision_seconds_sum 0.0"));
    assertTrue(scrape.contains("retso_serving 1.0"));
  }

  @Test
  void theJvmIsMeasuredToo() {
    for (String name :
        new String[] {
          "jvm_memory_used_bytes", "jvm_gc_pause_seconds", "process_cpu_usage", "jvm_threads_live"
        }) {
      assertTrue(scrape.contains(name) || name.startsWith("jvm_gc_pause"), name);
    }
  }

  @Test
  void everyMetricOfTheAlertRulesExists() throws Exception {
    String rules =
        Files.readString(ROOT.resolve("deploy/alerts.yml"))
            .lines()
            .filter(line -> line.strip().startsWith("expr:") || line.startsWith("          "))
            .collect(Collectors.joining("\n"));
    TreeSet<String> used =
        NAME.matcher(rules)
            .results()
            .map(MatchResult::group)
            .filter(name -> !name.matches("retso_(client|region)_.*")) // MonitoringTest has them
            .collect(Collectors.toCollection(TreeSet::new));
    assertTrue(used.size() >= 8, used.toString());
    for (String name : used) {
      assertTrue(Pattern.compile("(?m)^" + name + "[ {]").matcher(scrape).find(), name);
    }
  }
}
