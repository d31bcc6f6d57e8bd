package io.retso.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.Yaml;

/** Panels of the dashboard say what they show, and show what the pages explain. */
class DashboardTest {
  private static final Path FILE = Path.of("grafana", "retso.json");
  private static final Path PROVISIONING = Path.of("grafana", "provisioning");
  private static final Pattern METRIC = Pattern.compile("\\bretso_\\w+");

  /** What Prometheus makes of a histogram, or of a timer. */
  private static final String PARTS = "_(bucket|sum|count|max)$";

  private static List<JsonNode> panels() throws IOException {
    List<JsonNode> panels = new ArrayList<>();
    new ObjectMapper().readTree(FILE.toFile()).get("panels").forEach(panels::add);
    assertTrue(panels.size() > 50, "only " + panels.size());
    return panels;
  }

  private static List<JsonNode> graphs() throws IOException {
    return panels().stream().filter(panel -> !panel.get("type").asText().equals("row")).toList();
  }

  @Test
  void eachPanelSaysWhatItShows() throws IOException {
    Set<String> titles = new HashSet<>();
    for (JsonNode panel : graphs()) {
      String title = panel.get("title").asText();
      assertTrue(titles.add(title), title + " twice");
      assertTrue(panel.get("description").asText().endsWith("."), title);
      assertFalse(panel.at("/fieldConfig/defaults/unit").asText().isEmpty(), title);
      assertTrue(panel.get("targets").size() > 0, title);
      for (JsonNode target : panel.get("targets")) {
        assertFalse(target.get("expr").asText().isEmpty(), title);
      }
    }
  }

  @Test
  void panelsDoNotOverlap() throws IOException {
    Set<Integer> ids = new HashSet<>();
    Set<List<Integer>> taken = new HashSet<>();
    for (JsonNode panel : panels()) {
      assertTrue(ids.add(panel.get("id").asInt()), panel::toString);
      JsonNode place = panel.get("gridPos");
      int right = place.get("x").asInt() + place.get("w").asInt();
      assertTrue(right <= 24, panel::toString);
      for (int x = place.get("x").asInt(); x < right; x++) {
        for (int y = 0; y < place.get("h").asInt(); y++) {
          assertTrue(taken.add(List.of(x, place.get("y").asInt() + y)), panel::toString);
        }
      }
    }
  }

  @Test
  void pagesExplainAllThatIsShownAndAsked() throws IOException {
    Set<String> explained = explained();
    List<String> unknown = new ArrayList<>();
    String all = Files.readString(FILE) + Files.readString(Path.of("alerts.yml"));
    Set<String> used =
        METRIC
            .matcher(all)
            .results()
            .map(MatchResult::group)
            .collect(Collectors.toCollection(TreeSet::new));
    assertTrue(used.size() > 60, used::toString);
    for (String name : used) {
      if (!explained.contains(name) && !explained.contains(name.replaceAll(PARTS, ""))) {
        unknown.add(name);
      }
    }
    assertEquals(List.of(), unknown);
  }

  /**
   * Names in the tables of the pages; figures of regions as the scrape configuration makes them.
   */
  private static Set<String> explained() throws IOException {
    Set<String> names =
        Pattern.compile("(?m)^\\| `(retso_\\w+)` \\|")
            .matcher(Files.readString(Path.of("..", "docs", "metrics.md")))
            .results()
            .map(row -> row.group(1))
            .collect(Collectors.toCollection(TreeSet::new));
    String regions = Files.readString(Path.of("..", "docs", "operating-hbase.md"));
    int begin = regions.indexOf("\n## Metrics of region servers\n");
    String section = regions.substring(begin, regions.indexOf("\n## ", begin + 1));
    Pattern.compile("(?m)^\\| (`.*?`) \\|")
        .matcher(section)
        .results()
        .flatMap(row -> Stream.of(row.group(1).replace("`", "").split(", ")))
        .map(DashboardTest::ofRegions)
        .forEach(names::add);
    return names;
  }

  private static String ofRegions(String figure) {
    return "retso_region_" + figure.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }

  private static Map<?, ?> yaml(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return new Yaml().load(in);
    }
  }

  @Test
  void grafanaFindsItWhereItIsInstalled() throws IOException {
    Map<?, ?> found = yaml(PROVISIONING.resolve(Path.of("dashboards", "retso.yml")));
    Map<?, ?> provider = (Map<?, ?>) ((List<?>) found.get("providers")).get(0);
    assertEquals("/opt/retso/grafana", ((Map<?, ?>) provider.get("options")).get("path"));
    Map<?, ?> sources = yaml(PROVISIONING.resolve(Path.of("datasources", "retso.yml")));
    Map<?, ?> source = (Map<?, ?>) ((List<?>) sources.get("datasources")).get(0);
    assertEquals("prometheus", source.get("type"));
    Set<String> intervals =
        Pattern.compile("scrape_interval: (\\w+)")
            .matcher(Files.readString(Path.of("prometheus.yml")))
            .results()
            .map(interval -> interval.group(1))
            .collect(Collectors.toSet());
    assertEquals(Set.of("5s", "15s"), intervals);
    assertEquals("15s", ((Map<?, ?>) source.get("jsonData")).get("timeInterval"), "the longest");
    String tarball = Files.readString(Path.of("src", "assembly", "tarball.xml"));
    assertTrue(tarball.contains("<directory>grafana</directory>"), tarball);
  }
}
