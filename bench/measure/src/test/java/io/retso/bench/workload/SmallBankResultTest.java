package io.retso.bench.workload;

import static io.retso.workload.smallbank.Strategy.SERIALIZABLE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.bench.stores.StoreKind;
import io.retso.bench.stores.Work;
import io.retso.bench.workload.SmallBankRun.Case;
import io.retso.bench.workload.SmallBankRun.Subject;
import io.retso.report.Drawing;
import io.retso.report.Mean;
import io.retso.report.Plot;
import io.retso.report.ReportJson;
import io.retso.report.Result;
import io.retso.report.Rounds;
import io.retso.report.Verdict;
import io.retso.workload.Isolation;
import io.retso.workload.Reason;
import io.retso.workload.history.SerialCheck;
import io.retso.workload.smallbank.Strategy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SmallBankResultTest {
  private static final Case FEW = new Case(StoreKind.ORACLE, 10, 60);
  private static final Case MANY = new Case(StoreKind.ORACLE, 1000, 20);

  @TempDir Path directory;

  static SmallBankRun run(Case of, Strategy strategy, int clients, int round, double perSecond) {
    boolean anomaly = strategy == Strategy.SI && of == FEW;
    return new SmallBankRun(
        of,
        strategy,
        clients,
        round,
        perSecond,
        2,
        new Work(100, 10, 50),
        0.01,
        Map.of("Bal", 500L, "WC", 200L),
        Map.of("Bal", Map.of(), "WC", Map.of(Reason.CONFLICT, 8L, Reason.PIVOT, 2L)),
        7,
        new SerialCheck.Verdict(1000, 0, anomaly ? 3 : 0, 9, 0, 2, anomaly ? "Bal -rw-> WC" : ""),
        "");
  }

  private static Result result() {
    List<SmallBankRun> runs = new ArrayList<>();
    for (Case of : List.of(MANY, FEW)) {
      for (int clients : new int[] {1, 20, 30}) {
        for (int round = 0; round < 2; round++) {
          for (Strategy strategy : Strategy.values()) {
            runs.add(run(of, strategy, clients, round, 1000 + 100 * round + strategy.ordinal()));
          }
        }
      }
    }
    Result.Builder result = Result.begin("smallbank", "1", "now", List.of("bench"), Map.of());
    SmallBankResult.describe(result, runs);
    return result.end();
  }

  @Test
  void everyStrategyIsAtEveryLevel() {
    String text = result().text();
    assertTrue(text.contains("the oracle alone, hot spot of 10, 60 % Bal"), text);
    for (Strategy strategy : Strategy.values()) {
      assertTrue(text.contains(strategy.label()), strategy.label());
    }
    assertTrue(text.contains("refused at 20"), text);
    assertTrue(text.contains("4.00%"), text); // 8 of 200 in each round
    assertTrue(text.contains("an anomaly under SI: Bal -rw-> WC"), text);
  }

  @Test
  void ratiosAreTakenWithinRounds() {
    List<SmallBankRun> runs =
        List.of(
            run(MANY, Strategy.SI, 1, 0, 1000),
            run(MANY, Strategy.SERIALIZABLE, 1, 0, 900),
            run(MANY, Strategy.SI, 1, 1, 100),
            run(MANY, Strategy.SERIALIZABLE, 1, 1, 110));
    Mean ratio =
        SmallBankRun.rounds(MANY, runs)
            .ratio(
                new Subject(1, Strategy.SERIALIZABLE),
                new Subject(1, Strategy.SI),
                SmallBankRun::perSecond);
    assertEquals(1.0, ratio.value(), 1e-9);
    assertEquals(12.71 * 0.1, ratio.error(), 1e-9);
    assertTrue(ratio.doubt(0.95).contains("+- 1.27"), ratio.doubt(0.95));
    assertEquals("", ratio.doubt(2.5)); // it is certainly below
  }

  @Test
  void needlessRefusalsAreComparedOnTheOracleAlone() {
    List<Verdict> all = SmallBankVerdicts.of(List.of(run(FEW, SERIALIZABLE, 20, 0, 1000)));
    assertEquals(1, all.size());
    assertEquals(100 * 2 / 700.0, all.get(0).value(), 1e-9);
    assertFalse(all.get(0).met());
    assertEquals("not judged", all.get(0).verdict(), "2 of 700 are few");
    assertEquals("", Mean.doubt(2, 70_000, 0.001));
    assertEquals("", Mean.doubt(200, 70_000, 0.001));
  }

  @Test
  void throughputIsComparedOnHBase() {
    List<SmallBankRun> runs = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      for (Strategy strategy : Strategy.values()) {
        double rate =
            switch (strategy) {
              case SI -> 1000;
              case PROMOTE_WT_UPD -> 999;
              case SERIALIZABLE -> 960;
              default -> 900;
            };
        runs.add(run(new Case(StoreKind.HBASE, 1000, 20), strategy, 20, round, rate));
      }
    }
    List<Verdict> all = SmallBankVerdicts.of(runs);
    assertEquals(0.96, all.get(0).value(), 1e-9);
    assertEquals(1, all.get(1).value(), 1e-9); // as much processor time
    assertEquals(960.0 / 900, all.get(2).value(), 1e-9);
    assertTrue(all.stream().allMatch(row -> row.verdict().equals("met")), all.toString());
    List<SmallBankRun> once = runs.subList(0, Strategy.values().length);
    assertEquals("not judged", SmallBankVerdicts.of(once).get(0).verdict());
  }

  /** Rates of a round; SI has 1,000, and all but two of the paper's strategies are far below. */
  private static List<SmallBankRun> judged(
      int round, double serializable, double wt, double wtLocked) {
    List<SmallBankRun> runs = new ArrayList<>();
    for (Strategy strategy : Strategy.values()) {
      double rate =
          switch (strategy) {
            case SI -> 1000;
            case PROMOTE_WT_UPD -> wt;
            case PROMOTE_WT_SFU -> wtLocked;
            case SERIALIZABLE -> serializable;
            default -> 800;
          };
      runs.add(run(new Case(StoreKind.HBASE, 1000, 20), strategy, 20, round, rate));
    }
    return runs;
  }

  private static Set<Strategy> unclear(List<SmallBankRun> runs) {
    return SmallBankVerdicts.unclear(SmallBankRun.rounds(runs.get(0).of(), runs), 20);
  }

  @Test
  void roundsGoOnForWhatIsNotClear() {
    List<SmallBankRun> runs = new ArrayList<>();
    for (int round = 0; round < 5; round++) {
      runs.addAll(judged(round, 985 + round, 980, 1020));
      assertTrue(unclear(runs).contains(Strategy.SI), "too few");
    }
    runs.addAll(judged(5, 970, 980, 1020));
    assertEquals(Set.of(Strategy.PROMOTE_WT_UPD, SERIALIZABLE), unclear(runs));
    for (int round = 6; round < 9; round++) {
      runs.addAll(judged(round, 990, 980, 1020));
    }
    assertEquals(Set.of(), unclear(runs), "one of ten is outside");
    Verdict second = SmallBankVerdicts.of(runs).get(2);
    assertEquals("met", second.verdict());
    assertTrue(second.what().contains("PromoteWT-upd"), second.what());
  }

  /** Two that are clearly faster decide, whatever others are. */
  @Test
  void whatIsMissedIsNotMeasuredAgain() {
    List<SmallBankRun> runs = new ArrayList<>();
    for (int round = 0; round < 6; round++) {
      runs.addAll(judged(round, 780 + 8 * round, 980, 1020));
    }
    assertEquals(Set.of(), unclear(runs));
    assertEquals("missed", SmallBankVerdicts.of(runs).get(2).verdict());
  }

  @Test
  void picturesAreThoseOfThePaper() {
    List<String> files = result().plots().stream().map(Plot::file).toList();
    assertEquals(7, files.size(), files.toString());
    assertTrue(files.contains("smallbank-oracle-figure7-60"), files.toString());
  }

  /** Two reports of the same are one with twice the rounds. */
  @Test
  void reportsArePublishedBetweenTheMarksOfAPage() throws Exception {
    Path page = directory.resolve("page.md");
    Files.writeString(
        page, "before\n<!-- begin smallbank -->\nold\n<!-- end smallbank -->\nafter\n");
    List<Path> from = List.of(directory.resolve("one"), directory.resolve("two"));
    for (Path each : from) {
      Files.createDirectories(each);
      ReportJson.write(result(), each.resolve("smallbank.json"));
      Files.writeString(each.resolve("other.json"), "{}"); // the page has no marks of it
    }
    List<Path> written = SerializablePage.publish(from, page);
    String text = Files.readString(page);
    assertTrue(text.startsWith("before\n<!-- begin smallbank -->\n"), text);
    assertTrue(text.endsWith("<!-- end smallbank -->\nafter\n"), text);
    assertFalse(text.contains("old"), text);
    assertTrue(text.contains("### the oracle alone, hot spot of 10, 60 % Bal"), text);
    assertTrue(text.contains("| 20 | MaterializeWT | 1,052 +- "), text);
    assertTrue(text.contains("| 12 |"), text); // anomalies of four rounds, three each
    assertTrue(text.contains("(page/smallbank-oracle-figure7-60.svg)"), text);
    assertTrue(written.stream().allMatch(Files::exists));
    assertEquals(7 + 1, written.size());
    SerializablePage.publish(from, page);
    assertEquals(text, Files.readString(page));
  }

  @Test
  void aPageWithoutMarksIsRefused() throws Exception {
    Path page = Files.writeString(directory.resolve("page.md"), "nothing\n");
    ReportJson.write(result(), directory.resolve("smallbank.json"));
    IOException refused =
        assertThrows(IOException.class, () -> SerializablePage.publish(List.of(directory), page));
    assertTrue(refused.getMessage().contains("begin smallbank"), refused.getMessage());
  }

  @Test
  void sibenchComparesTheLevels() {
    Rounds<SibenchRun.Subject, SibenchRun> runs = new Rounds<>();
    for (Isolation isolation : List.of(Isolation.SNAPSHOT, Isolation.SERIALIZABLE)) {
      double rate = isolation == Isolation.SNAPSHOT ? 1000 : 980;
      SibenchRun.Subject of = new SibenchRun.Subject(StoreKind.HBASE, 10, isolation);
      runs.add(of, 0, new SibenchRun(of, 0, rate, 1, new Work(1, 2, 3), 0));
    }
    Result.Builder builder = Result.begin("sibench", "1", "now", List.of(), Map.of());
    SibenchResult.describe(builder, runs);
    Result result = builder.end();
    assertEquals(0.98, result.verdicts().get(0).value(), 1e-9);
    assertTrue(result.text().contains("ReTSO on HBase"));
    assertTrue(Drawing.of(result.plots().get(0)).contains(">10<"));
  }

  @Test
  void whatEachStorePromises() {
    assertTrue(StoreKind.HBASE.isSerializable(Strategy.PROMOTE_WT_SFU));
    assertFalse(StoreKind.POSTGRESQL.isSerializable(Strategy.PROMOTE_WT_SFU));
    assertTrue(StoreKind.POSTGRESQL.isSerializable(Strategy.PROMOTE_WT_UPD));
    assertFalse(StoreKind.HBASE.isSerializable(Strategy.SI));
    assertFalse(StoreKind.PLAIN.keepsUpdates(Strategy.SI));
    assertFalse(StoreKind.POSTGRESQL.has(Strategy.VALIDATE_WT));
  }
}
