package io.retso.cluster.monitoring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.TransactionHandle;
import io.retso.hbase.Transaction;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real Prometheus scrapes a real oracle, region server and application: each question of the
 * dashboard has an answer, and alarms ring when something is wrong.
 */
@Timeout(300)
class MonitoringTest {
  private static final Path DEPLOY = Path.of("..", "..", "deploy");
  private static final Pattern METRIC =
      Pattern.compile("\\b(?:retso|jvm|process)_\\w+|\\bup(?=\\{)");

  /** Seen together these take more than all the memory that marks may have: 16 MiB. */
  private static final int ROWS = 9_000;

  @TempDir static Path directory;

  private static MonitoredCluster cluster;
  private static Prometheus prometheus;

  @BeforeAll
  static void start() throws Exception {
    Prometheus.assumeInstalled();
    cluster = new MonitoredCluster(directory);
    prometheus = cluster.prometheus();
  }

  @AfterAll
  static void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
  }

  /** What a panel asks, as Grafana asks it of a page of an hour, by panel. */
  private static Map<String, String> questions() throws Exception {
    Map<String, String> questions = new LinkedHashMap<>();
    JsonNode page =
        new ObjectMapper().readTree(DEPLOY.resolve("grafana").resolve("retso.json").toFile());
    for (JsonNode panel : page.get("panels")) {
      for (JsonNode target : panel.path("targets")) {
        questions.put(
            panel.get("title").asText() + ", " + target.get("refId").asText(),
            target.get("expr").asText().replace("$__rate_interval", "1m"));
      }
    }
    for (JsonNode annotation : page.at("/annotations/list")) {
      // Take-overs: there is none, and the question must be one.
      prometheus.series(annotation.get("expr").asText());
    }
    return questions;
  }

  @Test
  void everyPanelHasAnAnswer() throws Exception {
    Map<String, String> open = questions();
    assertTrue(open.size() > 75, open::toString);
    prometheus.until(
        () -> "no number from " + open,
        () -> {
          cluster.work();
          for (Map.Entry<String, String> question : List.copyOf(open.entrySet())) {
            if (prometheus.hasNumber(question.getValue())) {
              open.remove(question.getKey());
            }
          }
          return open.isEmpty();
        });
  }

  @Test
  void everyMetricOfTheAlarmsHasASeries() throws Exception {
    Set<String> open =
        Files.readString(DEPLOY.resolve("alerts.yml"))
            .lines()
            .filter(line -> line.strip().startsWith("expr:"))
            .flatMap(line -> METRIC.matcher(line).results().map(MatchResult::group))
            .collect(Collectors.toCollection(TreeSet::new));
    assertTrue(open.size() > 20, open::toString);
    prometheus.until(
        () -> "no series of " + open,
        () -> {
          for (String metric : List.copyOf(open)) {
            if (prometheus.hasNumber(metric)) {
              open.remove(metric);
            }
          }
          return open.isEmpty();
        });
  }

  private static void assertSilent(String... alarms) throws Exception {
    for (String alarm : alarms) {
      assertFalse(prometheus.rings(alarm), alarm);
    }
  }

  private static void awaitRinging(String... alarms) throws Exception {
    for (String alarm : alarms) {
      prometheus.until(() -> alarm + " does not ring", () -> prometheus.rings(alarm));
    }
  }

  private static void awaitSilence(String alarm) throws Exception {
    prometheus.until(() -> alarm + " goes on ringing", () -> !prometheus.rings(alarm));
  }

  @Test
  void commitsThatAreNotCleanedUpRing() throws Exception {
    assertSilent("RetsoUncleanedNearLimit", "RetsoCommitsRefused");
    try (OracleClient client = cluster.oracleClient()) {
      List<TransactionHandle> committed = new ArrayList<>();
      OracleException refused =
          assertThrows(
              OracleException.class,
              () -> {
                while (committed.size() < 2 * MonitoredCluster.UNCLEANED_MAX) {
                  TransactionHandle begun = client.begin();
                  committed.add(begun);
                  client.commit(begun, committed.size());
                }
              });
      assertEquals(OracleException.Category.OVERLOADED, refused.category());
      awaitRinging("RetsoUncleanedNearLimit", "RetsoCommitsRefused");
      committed.forEach(client::cleanedUp);
    }
    awaitSilence("RetsoUncleanedNearLimit");
  }

  @Test
  void figuresOfRegionsGoOnWhenAllOpenAnew() throws Exception {
    double before = adopted();
    cluster.reopen();
    prometheus.until(
        () -> "no outcome is adopted beside " + before,
        () -> {
          cluster.work();
          return adopted() > before;
        });
  }

  /** Outcomes that regions have adopted, as their page says, as soon as it has the figure. */
  private static double adopted() throws Exception {
    String figure = "retso_region_adopted";
    prometheus.until(() -> "no " + figure, () -> prometheus.hasNumber(figure));
    return prometheus.series(figure).get(0).get("value").get(1).asDouble();
  }

  @Test
  void marksThatFillTheirMemoryRing() throws Exception {
    assertSilent("RetsoMarksMemoryFull");
    try (Transaction huge = cluster.written(ROWS)) {
      awaitRinging("RetsoMarksMemoryFull");
      cluster.flush();
      awaitSilence("RetsoMarksMemoryFull");
      huge.rollback();
    }
  }

  @Test
  void anOracleThatIsKilledRings() throws Exception {
    assertSilent("RetsoNobodyServes", "RetsoDown", "RetsoClientLeaderless");
    cluster.killOracle();
    try {
      awaitRinging("RetsoNobodyServes", "RetsoDown", "RetsoClientLeaderless");
    } finally {
      cluster.restartOracle();
    }
    awaitSilence("RetsoNobodyServes");
    cluster.work();
  }
}
