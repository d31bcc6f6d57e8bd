package io.retso.bench.hbase;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.bench.hbase.TablesReport.Run;
import io.retso.bench.report.Comparison;
import io.retso.bench.report.Percentiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TablesComparisonsTest {
  private final List<Run> runs = new ArrayList<>();

  private void run(String contest, String variant, double... millisOfRounds) {
    for (int round = 0; round < millisOfRounds.length; round++) {
      double millis = millisOfRounds[round];
      Percentiles latency = new Percentiles(1, 2 * millis, millis, millis, millis, millis, millis);
      runs.add(new Run(contest, 1, variant, round, 1000 / millis, 0, latency, 10, 10));
    }
  }

  private Comparison only() {
    List<Comparison> found = TablesComparisons.of(runs, List.of(), List.of());
    assertEquals(1, found.size(), found::toString);
    return found.get(0);
  }

  @Test
  void aRatioIsTakenWithinARoundAgainstTheBetterPlainClient() {
    String contest = Contest.gets(10);
    run(contest, Contest.PLAIN, 2, 2, 2);
    run(contest, Contest.PLAIN_ASYNC, 1, 10, 1); // the machine was busy in the second round
    run(contest, Contest.TRANSACTIONS, 1.2, 12, 1.1);
    Comparison found = only();
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
    Comparison found = only();
    assertEquals(2.0, found.value(), 1e-9);
    assertFalse(found.met());
  }

  @Test
  void workIsComparedRoundByRoundForEachSizeOfBatches() {
    List<TablesReport.Work> works = new ArrayList<>();
    for (int batch : List.of(10, 100)) {
      double more = batch / 10.0;
      works.add(new TablesReport.Work(batch, Contest.PLAIN, 0, 10, 20));
      works.add(new TablesReport.Work(batch, Contest.TRANSACTIONS, 0, 10, 40 * more));
      works.add(new TablesReport.Work(batch, Contest.PLAIN, 1, 10, 30));
      works.add(new TablesReport.Work(batch, Contest.TRANSACTIONS, 1, 10, 63 * more));
    }
    List<Comparison> found = TablesComparisons.of(runs, works, List.of());
    assertEquals(2, found.size());
    assertEquals(2.1, found.get(0).value(), 1e-9);
    assertTrue(found.get(0).met());
    assertEquals(21, found.get(1).value(), 1e-9);
    assertTrue(found.get(1).what().contains("100 puts"), found.get(1)::what);
  }

  @Test
  void theReportShowsEverythingAndTheFigureThePapersTransactions() {
    run(Contest.PAPER, Contest.PLAIN_ASYNC, 1);
    run(Contest.PAPER, Contest.TRANSACTIONS, 2);
    TablesReport report =
        new TablesReport(
            "1",
            "now",
            List.of(),
            Map.of("cores", 2),
            TablesSettings.standard(true, 1000, 1, java.nio.file.Path.of(".")).facts(),
            runs,
            List.of(),
            List.of(new TablesReport.Requests("10 gets", 1, 2, 0)),
            List.of());
    String text = TablesText.of(report);
    assertTrue(text.contains(Contest.PAPER) && text.contains("10 gets"), text);
    String figure = TablesText.figure(report);
    assertTrue(figure.startsWith("<svg") && figure.contains("plain puts"), figure);
    assertFalse(figure.contains("the paper, 2011"), figure);
  }
}
