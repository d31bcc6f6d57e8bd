package io.retso.bench.failover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.retso.chaos.clients.Clients;
import io.retso.chaos.load.Load;
import io.retso.chaos.run.TakeOvers;
import io.retso.chaos.run.Trial;
import io.retso.cluster.nodes.Layout;
import io.retso.report.Drawing;
import io.retso.report.ReportJson;
import io.retso.report.Verdict;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailoverReportTest {
  @TempDir Path directory;

  private static List<Trial> trials(int count) {
    List<Trial> trials = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      TakeOvers takeOvers =
          new TakeOvers(30, 200 + i, 1, i == 7 ? 2 : 1, Map.of("entered", 10. + i));
      trials.add(
          new Trial(
              "kill-leader", "oracle-1", i, i + 1, 300 + i, 401 + i, 500, 600, 0, takeOvers, 0, 0));
    }
    return trials;
  }

  private static FailoverSettings settings(int oracles) {
    return new FailoverSettings(
        new Layout.Counts(3, 4, oracles),
        true,
        new Load.Plan(100, 1, 50_000),
        false,
        List.of("kill-leader"),
        100,
        0,
        3,
        60_000,
        0,
        0,
        1,
        Path.of("unused"));
  }

  private static List<Verdict> comparisons(int oracles, int count) {
    List<Clients.Idle> idle =
        List.of(
            new Clients.Idle(90_000, 100_000),
            new Clients.Idle(120_000, 100_000),
            new Clients.Idle(5_000_000, 100_000));
    return FailoverResult.comparisons(settings(oracles), trials(count), idle);
  }

  @Test
  void theWorstOfManyTrialsIsJudged() {
    List<Verdict> judged = comparisons(3, 100);
    assertEquals(3, judged.size());
    assertEquals(400, judged.get(0).value());
    assertEquals("met", judged.get(0).verdict());
    assertEquals(501, judged.get(1).value());
    assertEquals(1.2, judged.get(2).value(), 1e-9, "the median of begins after an idle time");
    assertEquals("missed", comparisons(3, 150).get(1).verdict());
    assertEquals("not judged", comparisons(3, 99).get(0).verdict());
    assertEquals("not judged", comparisons(1, 100).get(0).verdict(), "none takes over");
  }

  private static FailoverReport report() {
    return new FailoverReport(
        "0.1.0",
        "2026-01-01T00:00:00Z",
        List.of("bench", "failover"),
        Map.of("cpu", "a processor", "cores", 2),
        "3 oracles",
        100,
        100,
        50_000,
        49_000,
        0.25,
        51_000,
        0,
        trials(100),
        List.of(),
        List.of(),
        60_000,
        comparisons(3, 100));
  }

  @Test
  void thePageBeginsWithTheFirstFiguresAndKeepsOnlyTheLast() throws Exception {
    Path page = directory.resolve("page.md");
    Path results = Files.createDirectories(directory.resolve("results"));
    ReportJson.write(FailoverResult.of(report()), results.resolve(FailoverPage.REPORT));
    FailoverPage.publish(List.of(results), page);
    String first = Files.readString(page);
    assertTrue(first.contains("# When servers fail"), first);
    assertTrue(first.contains("| kill-leader | 49k (25 %) | 100 | 351 | 400 |"), first);
    assertTrue(first.contains("| 0 | 0 | 1 |"), "lost, wrong and needless: " + first);
    assertTrue(first.contains("| kill-leader | 400 | 501 | 30.0 | 300 | 1 | 0 |"), first);
    assertTrue(Files.exists(directory.resolve("page").resolve("failover-1.svg")));
    FailoverPage.publish(List.of(results), page);
    assertEquals(first, Files.readString(page));
    assertTrue(
        first.lines().noneMatch(line -> line.length() > 130 && !line.startsWith("|")), first);
  }

  /** Otherwise this would need a cluster. */
  @Test
  void whatWasMeasuredBeforeIsNotMeasuredAgain() throws Exception {
    FailoverReport before = report();
    FailoverBench bench =
        new FailoverBench(
            settings(3),
            new FailoverReport(
                before.version(),
                before.startedAt(),
                before.flags(),
                before.machine(),
                before.nodes(),
                before.clients(),
                before.connections(),
                before.asked(),
                before.served(),
                before.idleShare(),
                before.mostServed(),
                before.uncleaned(),
                before.trials(),
                List.of("pause-leader: not all clients were served again"),
                Collections.nCopies(3, new Clients.Idle(1, 1)),
                before.idleMillis(),
                before.comparisons()),
            List.of("bench", "failover", "--continue"),
            new PrintWriter(Writer.nullWriter()),
            report -> fail("nothing new"));
    FailoverReport report = bench.run();
    assertEquals(before.trials(), report.trials());
    assertEquals(before.startedAt(), report.startedAt());
    assertEquals(49_000, report.served());
    assertFalse(FailoverResult.isGood(report), "what was wrong stays wrong");
  }

  @Test
  void theTextSaysWhereTheTimeOfTakeOversWentAndWhatTheMachineCanServe() {
    String text = FailoverResult.of(report()).text();
    assertTrue(text.contains("at the full rate, is 51k;"), text);
    assertTrue(
        text.lines()
            .anyMatch(line -> line.matches(" *fault +trials +take-over begins +entered .*")),
        text);
    // 30 ms after the fault, and 10 + 51 after that
    assertTrue(
        text.lines().anyMatch(line -> line.matches(" *kill-leader +100 +30.0 +91.0 +351 +452")),
        text);
  }

  @Test
  void theFigureIsADrawingOfWhatWasTried() throws Exception {
    String figure = Drawing.of(FailoverResult.of(report()).plots().get(0));
    DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(figure.getBytes(StandardCharsets.UTF_8)));
    assertTrue(figure.contains("kill-l."), figure);
    assertFalse(figure.contains("hand-over"), figure);
  }
}
