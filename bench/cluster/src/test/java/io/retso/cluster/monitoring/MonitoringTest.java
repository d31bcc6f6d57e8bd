package io.retso.cluster.monitoring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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

  /** In some processes HBase 2.6.4 never lists the figures of a coprocessor; why is not known. */
  private static void assumeRegionsAreListed() throws Exception {
    assumeTrue(cluster.listsRegions(), "HBase does not list the coprocessor's figures this time");
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
    open.values().removeIf(question -> question.contains("retso_region_"));
    assertTrue(open.size() > 60, open::toString);
    answers(open);
  }

  @Test
  void everyPanelOfRegionsHasAnAnswer() throws Exception {
    assumeRegionsAreListed();
    Map<String, String> open = questions();
    open.values().removeIf(question -> !question.contains("retso_region_"));
    assertTrue(open.size() > 15, open::toString);
    answers(open);
  }

  private static void answers(Map<String, String> open) throws Exception {
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
            .filter(name -> !name.startsWith("retso_region_")) // panels show these, too
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
  void marksThatFillTheirMemoryRing() throws Exception {
    assumeRegionsAreListed();
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
