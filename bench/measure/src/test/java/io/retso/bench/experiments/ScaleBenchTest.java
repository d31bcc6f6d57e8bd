package io.retso.bench.experiments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.retso.bench.stores.StoreKind;
import io.retso.cluster.InProcessServer;
import io.retso.report.BenchException;
import io.retso.report.Publication;
import io.retso.report.Result;
import io.retso.report.Rounds;
import io.retso.report.Verdict;
import io.retso.workload.Isolation;
import io.retso.workload.Reason;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whole benchmarks in short, on an oracle in this process; stopped ones; and what is judged. */
@Timeout(120)
class ScaleBenchTest {
  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private InProcessServer server;

  @BeforeEach
  void start() throws Exception {
    server = Plans.server();
  }

  @AfterEach
  void stop() throws Exception {
    server.close();
  }

  private ExperimentPlan plan(int rounds) {
    ExperimentPlan two = Plans.onOracle(server, directory);
    return new ExperimentPlan(two.stores(), 6, two.warmUp(), two.measured(), rounds, two.seed());
  }

  private Result scale(ExperimentPlan plan) throws Exception {
    return new ScaleBench(
            new ScaleBench.Settings(plan, List.of(4, 40)), new PrintWriter(out), false)
        .run("1", List.of());
  }

  private static double rate(JsonNode run) {
    return run.at("/result/perSecond").asDouble();
  }

  @Test
  void scalesAndLevelsAreMeasuredAndNothingIsWrong() throws Exception {
    Result result = scale(plan(2));
    assertEquals(List.of(), result.failures());
    assertEquals(2 * 2 * 2, result.runs().size());
    result.runs().forEach(run -> assertTrue(rate(run) > 0));
    assertEquals(4, result.tables().get(0).rows().size());
    assertEquals(4, result.tables().get(1).rows().size());
    assertEquals(3, result.verdicts().size());
    Publication.publish(result, new PrintWriter(out), directory);
    assertTrue(out.toString().contains("the oracle alone, 40 customers beside 4, refused"));
    assertTrue(Files.readString(directory.resolve("smallbank-scale.svg")).contains("<svg"));
  }

  /** What was measured before it was killed is not measured again. */
  @Test
  void aRunThatWasStoppedGoesOn() throws Exception {
    Result before = scale(plan(2));
    Path file = directory.resolve("smallbank-scale.measured");
    List<String> lines = Files.readAllLines(file);
    assertEquals(1 + 8, lines.size());
    String half = lines.get(6).substring(0, 20);
    Files.writeString(file, String.join("\n", lines.subList(0, 6)) + "\n" + half);
    Result after = scale(plan(3).continued(true));
    assertEquals(3 * 4, after.runs().size());
    List<Double> measured = new ArrayList<>();
    before.runs().forEach(run -> measured.add(rate(run)));
    List<Double> all = new ArrayList<>();
    after.runs().forEach(run -> all.add(rate(run)));
    assertTrue(all.containsAll(measured.subList(0, 5)), all + " without all of " + measured);
    assertEquals(1 + 12, Files.readAllLines(file).size());
    assertEquals(List.of(), after.failures());
  }

  @Test
  void aRunThatWasWrongStaysWrong() throws Exception {
    scale(plan(1));
    Path file = directory.resolve("smallbank-scale.measured");
    String text = Files.readString(file);
    Files.writeString(file, text.replaceFirst("\"wrong\":\"\"", "\"wrong\":\"a cent is lost\""));
    List<String> failures = scale(plan(1).continued(true)).failures();
    assertEquals(1, failures.size());
    assertTrue(failures.get(0).endsWith(", round 1: a cent is lost"), failures.get(0));
  }

  @Test
  void aRunOfOtherSettingsDoesNotGoOn() throws Exception {
    scale(plan(1));
    BenchException refused =
        assertThrows(BenchException.class, () -> scale(plan(1).at(1000).continued(true)));
    assertTrue(
        refused.getMessage().contains("perSecond was 0.0 and is 1000.0"), refused.getMessage());
  }

  @Test
  void aLongRunIsAPointAfterTheOther() throws Exception {
    LongRunBench.Settings settings =
        new LongRunBench.Settings(plan(1).at(500).continued(true), 40, 12);
    Result result = new LongRunBench(settings, new PrintWriter(out), false).run("1", List.of());
    assertEquals(List.of(), result.failures());
    assertEquals(12, result.runs().get(0).at("/points").size());
    assertTrue(result.runs().get(0).at("/points/11/memory/client").asDouble() > 0);
    assertTrue(result.verdicts().get(0).doubt().contains("say little"));
    assertEquals(2, result.tables().get(0).rows().size());
    long size = Files.size(directory.resolve("smallbank-long.measured"));
    Result again = new LongRunBench(settings, new PrintWriter(out), false).run("1", List.of());
    assertEquals(result.runs(), again.runs());
    assertEquals(size, Files.size(directory.resolve("smallbank-long.measured")));
  }

  private static ProgramCounts counts(double perSecond, long refused) {
    return new ProgramCounts(
        perSecond, 1, 2, 1000, refused / 1e3, 0.05, Map.of("WC", Map.of(Reason.PIVOT, refused)));
  }

  @Test
  void refusalsAreToFallWithTheScale() {
    Rounds<LevelCase, ProgramCounts> rounds = new Rounds<>();
    LevelCase few = ScaleBench.of(StoreKind.HBASE, 10, Isolation.SERIALIZABLE);
    LevelCase many = ScaleBench.of(StoreKind.HBASE, 20, Isolation.SERIALIZABLE);
    for (int round = 0; round < 6; round++) {
      rounds.add(few, round, counts(90, 100));
      rounds.add(few.at(Isolation.SNAPSHOT), round, counts(100, 0));
      rounds.add(many, round, counts(100, 20));
      rounds.add(many.at(Isolation.SNAPSHOT), round, counts(100, 0));
    }
    List<Verdict> verdicts = ScaleBench.verdicts(rounds);
    assertEquals(3, verdicts.size());
    assertEquals(0.9, verdicts.get(0).value(), 1e-9);
    assertEquals(0.2, verdicts.get(2).value(), 1e-9);
    assertEquals("met", verdicts.get(2).verdict());
    String text = ScaleBench.refusals(rounds).toString();
    assertTrue(
        text.matches(
            "(?s).*p90 ms +rolled back +pivot\n"
                + ".*10 customers +SERIALIZABLE +2\\.00 +5\\.00% +10\\.00%.*"),
        text);
  }
}
