package io.retso.bench.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.bench.hbase.TablesFigures.Run;
import io.retso.report.Percentiles;
import io.retso.report.Plot;
import io.retso.report.ReportJson;
import io.retso.report.Result;
import io.retso.report.Verdict;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TablesComparisonsTest {
  @TempDir Path directory;

  private final List<Run> runs = new ArrayList<>();

  private void run(String contest, String variant, double... millisOfRounds) {
    run(contest, 1, variant, new TablesFigures.Cpu(10, 10, 10, 0.05), millisOfRounds);
  }

  private void run(
      String contest, int load, String variant, TablesFigures.Cpu cpu, double... millisOfRounds) {
    for (int round = 0; round < millisOfRounds.length; round++) {
      double millis = millisOfRounds[round];
      Percentiles latency = new Percentiles(1, 2 * millis, millis, millis, millis, millis, millis);
      runs.add(new Run(contest, load, variant, round, 1000 / millis, 0, latency, cpu));
    }
  }

  private Result result(
      List<TablesFigures.Requests> requests, List<TablesFigures.Written> written) {
    Result.Builder result = Result.begin("hbase", "1", List.of(), Map.of());
    TablesResult.describe(
        result,
        new TablesFigures(runs, List.of(), requests, written),
        TablesSettings.standard(true, 100, 1, directory));
    return result.end();
  }

  private Verdict only() {
    List<Verdict> found = TablesComparisons.of(runs, List.of(), List.of(), List.of());
    assertEquals(1, found.size(), found::toString);
    return found.get(0);
  }

  @Test
  void aRatioIsTakenWithinARoundAgainstTheBetterPlainClient() {
    String contest = Contest.gets(10);
    run(contest, Contest.PLAIN, 2, 2, 2);
    run(contest, Contest.PLAIN_ASYNC, 1, 10, 1); // the machine was busy in the second round
    run(contest, Contest.TRANSACTIONS, 1.2, 12, 1.1);
    Verdict found = only();
    assertEquals(1.2, found.value(), 1e-9);
    assertTrue(found.met());
    assertTrue(found.made().contains(Contest.PLAIN_ASYNC), found::toString);
  }

  @Test
  void aWriteIsComparedWithPlainPutsAndTheOracleTogether() {
    String contest = Contest.puts(4);
    run(contest, Contest.PLAIN, 1);
    run(contest, Contest.ORACLE, 0.5);
    run(contest, Contest.TRANSACTIONS, 3);
    Verdict found = only();
    assertEquals(2.0, found.value(), 1e-9);
    assertFalse(found.met());
  }

  @Test
  void workIsComparedRoundByRoundForEachSizeOfBatches() {
    List<TablesFigures.Work> works = new ArrayList<>();
    for (int batch : List.of(10, 100)) {
      double more = batch / 10.0;
      works.add(new TablesFigures.Work(batch, Contest.PLAIN, 0, 10, 20));
      works.add(new TablesFigures.Work(batch, Contest.TRANSACTIONS, 0, 10, 26 * more));
      works.add(new TablesFigures.Work(batch, Contest.PLAIN, 1, 10, 30));
      works.add(new TablesFigures.Work(batch, Contest.TRANSACTIONS, 1, 10, 42 * more));
    }
    List<Verdict> found = TablesComparisons.of(runs, works, List.of(), List.of());
    assertEquals(2, found.size());
    assertEquals(1.35, found.get(0).value(), 1e-9);
    assertTrue(found.get(0).met());
    assertEquals(13.5, found.get(1).value(), 1e-9);
    assertTrue(found.get(1).what().contains("100 puts"), found.get(1)::what);
  }

  @Test
  void theProcessorTimeOfAllProcessesIsComparedBesideTheThroughput() {
    String contest = Contest.changes(1);
    run(contest, 8, Contest.PLAIN, new TablesFigures.Cpu(100, 200, 0, 0.05), 1, 1, 1);
    run(contest, 8, Contest.TRANSACTIONS, new TablesFigures.Cpu(200, 250, 150, 0.05), 3, 3, 3);
    List<Verdict> found = TablesComparisons.of(runs, List.of(), List.of(), List.of());
    assertEquals(2, found.size(), found::toString);
    assertEquals(1.0 / 3, found.get(0).value(), 1e-9);
    assertEquals(2.0, found.get(1).value(), 1e-9);
    assertEquals("missed", found.get(1).verdict());
  }

  private static TablesFigures.Cpu cpu(double client, double server, double oracle) {
    return new TablesFigures.Cpu(client, server, oracle, 0.05);
  }

  @Test
  void theProcessorTimeOfTheFasterPlainClientAndOfTheOracleAloneLimitsTheThroughput() {
    String contest = Contest.puts(10);
    run(contest, 8, Contest.PLAIN, cpu(500, 500, 0), 2, 2, 2);
    // Neither HBase's work nor that of compilers is the oracle's: 125, 250 and 900 us a round are.
    for (double micros : new double[] {125, 250, 900}) {
      run(contest, 8, Contest.PLAIN_ASYNC, cpu(100, 200, 0), 1);
      run(contest, 8, Contest.TRANSACTIONS, cpu(400, 400, 200), 2);
      TablesFigures.Cpu alone = new TablesFigures.Cpu(micros / 2, 5000, micros / 2, 0.24);
      run(contest, 8, Contest.ORACLE, alone, 0.1);
    }
    Verdict found = only();
    assertEquals(0.5, found.value(), 1e-9);
    assertEquals(0.95 * 300 / (0.95 * 300 + 0.76 * 250), found.limit(), 1e-9);
    assertEquals("missed", found.verdict());
    assertFalse(found.outOfReach(), "0.6 is both target and limit");
    assertEquals(
        "by plain, async; processor time allows 0.60 (plain 285 us, oracle alone 190)",
        found.made());
  }

  @Test
  void aTargetThatProcessorTimeDoesNotAllowIsShownWithItsLimit() throws Exception {
    String contest = Contest.puts(100); // the target is 0.8
    run(contest, 8, Contest.PLAIN, cpu(100, 200, 0), 1);
    run(contest, 8, Contest.TRANSACTIONS, cpu(400, 400, 200), 2);
    run(contest, 8, Contest.ORACLE, cpu(100, 0, 100), 0.1);
    run(contest, 32, Contest.PLAIN, cpu(100, 200, 0), 1);
    run(contest, 32, Contest.TRANSACTIONS, cpu(400, 400, 200), 2);
    run(contest, 32, Contest.ORACLE, cpu(25, 0, 25), 0.1);
    List<Verdict> found = TablesComparisons.of(runs, List.of(), List.of(), List.of());
    assertTrue(found.get(0).outOfReach() && !found.get(1).outOfReach(), found::toString);
    Result result = result(List.of(), List.of());
    List<String> lines = result.text().lines().filter(line -> line.contains("/ plain")).toList();
    assertTrue(lines.get(0).contains("missed, limit 0.60  by plain;"), lines.get(0));
    assertTrue(lines.get(1).matches(".* missed +by plain; .* allows 0.86 .*"), lines.get(1));
    Path json = directory.resolve("hbase.json");
    ReportJson.write(result, json);
    assertEquals(found, Result.read(json).verdicts());
  }

  @Test
  void whatHasNoTargetOfWritesHasNoLimit() {
    String contest = Contest.gets(1);
    run(contest, 8, Contest.PLAIN, cpu(100, 200, 0), 1);
    run(contest, 8, Contest.TRANSACTIONS, cpu(100, 200, 0), 1);
    assertNull(only().limit());
    assertEquals("by plain", only().made());
  }

  @Test
  void theOracleAloneIsMeasuredWhereItIsComparedAndNowhereElse() {
    List<Contest> all =
        Contest.all(
            () -> {
              throw new AssertionError("nothing runs");
            });
    all.forEach(
        contest ->
            contest
                .variants()
                .keySet()
                .forEach(variant -> run(contest.name(), contest.load(), variant, cpu(1, 1, 1), 1)));
    List<Verdict> found = TablesComparisons.of(runs, List.of(), List.of(), List.of());
    long limited = found.stream().filter(one -> one.limit() != null).count();
    long latencies = found.stream().filter(one -> one.what().contains("+ oracle")).count();
    assertEquals(
        limited + latencies,
        all.stream().filter(one -> one.variants().containsKey(Contest.ORACLE)).count());
    for (Verdict one : found) {
      boolean writes =
          one.what().contains("plain, throughput") && !one.what().matches(".*\\bgets?\\b.*");
      assertEquals(writes, one.limit() != null, one::toString);
    }
  }

  @Test
  void youngProcessesAreNotJudged() {
    String contest = Contest.puts(100);
    run(contest, 32, Contest.PLAIN, new TablesFigures.Cpu(1, 1, 1, 0.12), 1, 1, 1);
    run(contest, 32, Contest.TRANSACTIONS, new TablesFigures.Cpu(1, 1, 1, 0.3), 3, 3, 3);
    // HBase's compilers have nothing to do meanwhile, which must not hide what they do otherwise.
    run(contest, 32, Contest.ORACLE, new TablesFigures.Cpu(1, 1, 1, 0), 1, 1, 1);
    assertEquals("not judged", only().verdict());
    assertTrue(only().doubt().contains("30.00%"), only()::doubt);
  }

  @Test
  void whatIsWrittenIsComparedKindByKind() {
    String puts = Contest.puts(10);
    List<TablesFigures.Written> written =
        List.of(
            new TablesFigures.Written(puts, Contest.PLAIN, 1600, 10),
            new TablesFigures.Written(puts, Contest.TRANSACTIONS, 2240, 11));
    List<Verdict> found = TablesComparisons.of(runs, List.of(), List.of(), written);
    assertEquals(2, found.size(), found::toString);
    assertEquals(1.4, found.get(0).value(), 1e-9);
    assertTrue(found.get(0).met());
    assertEquals(1.1, found.get(1).value(), 1e-9);
    assertFalse(found.get(1).met());
  }

  @Test
  void theReportShowsEverythingAndTheFigureThePapersTransactions() {
    run(Contest.PAPER, Contest.PLAIN_ASYNC, 1);
    run(Contest.PAPER, Contest.TRANSACTIONS, 2);
    Result result =
        result(
            List.of(new TablesFigures.Requests("10 gets", 1, 2, 0)),
            List.of(new TablesFigures.Written("10 puts", Contest.PLAIN, 1600, 10)));
    String text = result.text();
    assertTrue(
        text.contains(Contest.PAPER) && text.contains("10 gets") && text.contains("1600"), text);
    assertEquals(
        List.of("plain puts", "transactions"),
        result.plots().get(0).panels().get(0).series().stream().map(Plot.Series::name).toList());
  }
}
