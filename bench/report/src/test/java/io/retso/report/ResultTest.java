package io.retso.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.report.Plot.Axis;
import io.retso.report.Plot.Kind;
import io.retso.report.Plot.Series;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultTest {
  @TempDir Path directory;

  /** What one measurement of this test gave. */
  record Figures(double perSecond, double refusedShare) {}

  static Result.Builder result() throws Exception {
    Rounds<String, Figures> rounds = new Rounds<>();
    StringWriter said = new StringWriter();
    rounds.take(
        List.of(List.of("snapshot", "serializable")),
        -1,
        3,
        new ProgressLine(new PrintWriter(said), true),
        (of, round) ->
            new Figures((of.equals("snapshot") ? 2000 : 1900) * Math.pow(2, round), 0.01));
    assertTrue(said.toString().contains("serializable, round 3 of 3"), said.toString());
    assertTrue(said.toString().contains(" left)"), said.toString());
    Mean ratio = rounds.ratio("serializable", "snapshot", Figures::perSecond);
    return Result.begin("sample", "0.1.0 (commit abc)", List.of("bench", "sample"), Map.of())
        .table(
            Table.of("rates", rounds.cases())
                .words("level", of -> of)
                .column(Unit.RATE, "per s", of -> rounds.mean(of, Figures::perSecond))
                .column(Unit.SHARE, "refused", of -> rounds.mean(of, Figures::refusedShare))
                .column(Unit.COUNT, "nothing", of -> null)
                .end())
        .verdicts(List.of(Verdict.ofRatio("serializable / snapshot", ratio, true, 0.9, "3 rounds")))
        .plot(
            Plot.of("sample", "Rates", "of a test", Axis.of("level", rounds.cases()))
                .panel(
                    Kind.BARS,
                    Axis.linear("per second"),
                    List.of(
                        Series.ofMeans(
                            "rate",
                            "",
                            rounds.cases(),
                            of -> rounds.mean(of, Figures::perSecond)))))
        .note("per s: committed")
        .runs(rounds.runs());
  }

  @Test
  void textHasTablesNotesAndVerdicts() throws Exception {
    String text = result().end().text().replaceAll(" +", " ");
    assertTrue(text.contains("serializable 4,433 +- "), text);
    assertTrue(text.contains(" 1.00% -"), text);
    assertTrue(text.contains(" per s: committed\n"), text);
    assertTrue(text.contains("serializable / snapshot 0.95 >= 0.9 met 3 rounds"), text);
  }

  /** A round twice as fast as the one before it changes no ratio. */
  @Test
  void ratiosAreThoseOfTheSameRound() throws Exception {
    Verdict verdict = result().end().verdicts().get(0);
    assertEquals(0.95, verdict.value(), 1e-9);
    assertEquals(0, verdict.measured().error(), 1e-9);
    assertTrue(verdict.met());
  }

  @Test
  void jsonIsReadAsWhatWasWritten() throws Exception {
    Result result = result().end();
    StringWriter said = new StringWriter();
    Publication.publish(result, new PrintWriter(said), directory);
    Result read = Result.read(directory.resolve("sample.json"));
    assertEquals(result.text(), read.text());
    assertEquals(result.plots(), read.plots());
    assertEquals(Drawing.of(result.plots().get(0)), Drawing.of(read.plots().get(0)));
    assertEquals(6, read.runs().size());
    assertEquals(
        Files.readString(directory.resolve("sample.svg")), Drawing.of(result.plots().get(0)));
    assertTrue(said.toString().contains("sample.svg"), said.toString());
  }

  @Test
  void aWrongRunFailsAfterAllIsWritten() throws Exception {
    Result wrong = result().failures(List.of("the sum is 7")).end();
    StringWriter said = new StringWriter();
    assertThrows(
        BenchException.class, () -> Publication.publish(wrong, new PrintWriter(said), directory));
    assertTrue(said.toString().contains("WRONG: the sum is 7"), said.toString());
    assertTrue(Files.exists(directory.resolve("sample.json")));
  }

  @Test
  void moreCellsThanColumnsAreRefused() {
    Table table = Table.of("narrow", Table.words("one"));
    assertThrows(IllegalArgumentException.class, () -> table.row("a", "b"));
  }

  @Test
  void timesAreForPeople() {
    assertEquals("45 s", ProgressLine.time(45_200_000_000L));
    assertEquals("12 min", ProgressLine.time(12 * 60_000_000_000L));
    assertEquals("1 h 5 min", ProgressLine.time(65 * 60_000_000_000L));
    assertEquals("  (30 s left)", ProgressLine.left(1, 4, 10_000_000_000L));
    assertEquals("", ProgressLine.left(0, 4, 1));
    assertFalse(ProgressLine.left(3, 4, 1).isEmpty());
  }
}
