package io.retso.bench.experiments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.retso.cluster.InProcessServer;
import io.retso.report.Publication;
import io.retso.report.Result;
import io.retso.workload.rubis.Scale;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole benchmarks of TPC-B and RUBiS in short, on an oracle in this process. */
@Timeout(120)
class LevelsBenchTest {
  @TempDir Path directory;

  private final StringWriter out = new StringWriter();

  private List<String> order(Result result) {
    List<String> order = new ArrayList<>();
    for (JsonNode run : result.runs()) {
      order.add(run.at("/of/value").asText() + " " + run.at("/of/level").asText());
    }
    return order;
  }

  @Test
  void levelsOfRubisTakeTurnsAndNothingIsWrong() throws Exception {
    try (InProcessServer server = Plans.server()) {
      RubisBench.Settings settings =
          new RubisBench.Settings(Plans.onOracle(server, directory), new Scale(20, 10, 20, 3, 3));
      Result result = new RubisBench(settings, new PrintWriter(out), false).run("1", List.of());
      assertEquals(List.of(), result.failures());
      assertEquals(
          List.of("0 SNAPSHOT", "0 SERIALIZABLE", "0 SERIALIZABLE", "0 SNAPSHOT"), order(result));
      assertEquals(2, result.tables().get(0).rows().size());
      assertEquals(1, result.verdicts().size());
      assertEquals(0.97, result.verdicts().get(0).target());
      Publication.publish(result, new PrintWriter(out), directory);
      assertTrue(
          out.toString().contains("the oracle alone, SERIALIZABLE / SNAPSHOT"), out::toString);
      // A start of 20 seconds, and runs with two seconds for each check.
      assertEquals(20 + 4 * 2.2 + 2 * 2.5, settings.length().toMillis() / 1e3, 0.01);
    }
  }

  @Test
  void scalesOfTpcbTakeTurnsAndNothingIsWrong() throws Exception {
    try (InProcessServer server = Plans.server()) {
      TpcbBench.Settings settings =
          new TpcbBench.Settings(Plans.onOracle(server, directory), List.of(1, 3), 20);
      Result result = new TpcbBench(settings, new PrintWriter(out), false).run("1", List.of());
      assertEquals(List.of(), result.failures());
      assertEquals(
          List.of(
              "1 SNAPSHOT",
              "1 SERIALIZABLE",
              "3 SNAPSHOT",
              "3 SERIALIZABLE",
              "1 SERIALIZABLE",
              "1 SNAPSHOT",
              "3 SERIALIZABLE",
              "3 SNAPSHOT"),
          order(result));
      assertEquals(4, result.tables().get(0).rows().size());
      assertEquals(2, result.verdicts().size());
      Publication.publish(result, new PrintWriter(out), directory);
      assertTrue(out.toString().contains("scale 3, SERIALIZABLE / SNAPSHOT"), out::toString);
    }
  }
}
