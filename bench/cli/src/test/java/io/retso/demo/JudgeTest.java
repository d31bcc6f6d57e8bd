package io.retso.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.workload.Reason;
import io.retso.workload.RefusedException;
import io.retso.workload.UnknownOutcomeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JudgeTest {
  @TempDir Path directory;

  private TellerReport report(String... lines) throws IOException {
    Path file = Files.write(directory.resolve("teller.txt"), List.of(lines));
    TellerReport report = new TellerReport();
    report.follow(file);
    report.read();
    return report;
  }

  @Test
  void whatMayBeInTheJournalMayAlsoBeMissing() throws IOException {
    TellerReport report =
        report(
            "begun a",
            "done a 10",
            "begun b",
            "conflict b x",
            "begun c",
            "failed c x y",
            "begun d",
            "unknown d x",
            "begun e");
    assertEquals(List.of(), Judge.wrongs(report, Set.of("a")));
    assertEquals(List.of(), Judge.wrongs(report, Set.of("a", "d", "e")));
    assertEquals(1, report.withoutAnswer());
    assertEquals(1, report.unknown());
    assertEquals(Set.of("c"), report.failed());
    assertEquals("unknown d x", report.lastFailure());
  }

  @Test
  void anAcknowledgedTransferThatIsMissingIsWrong() throws IOException {
    assertEquals(
        List.of("1 acknowledged transfers are not in the journal: a"),
        Judge.wrongs(report("begun a", "done a 10"), Set.of()));
  }

  @Test
  void aTransferThatNobodyMadeIsWrong() throws IOException {
    assertEquals(
        List.of("1 transfers that were never made: b"),
        Judge.wrongs(report("begun a"), Set.of("b")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"conflict", "failed"})
  void aTransferThatWasNotToBeCommittedIsWrongInTheJournal(String word) throws IOException {
    List<String> wrongs = Judge.wrongs(report("begun a", word + " a because"), Set.of("a"));
    assertEquals(1, wrongs.size(), wrongs::toString);
  }

  @Test
  void aTransferThatBrokeIsWrong() throws IOException {
    assertEquals(
        List.of("1 transfers ended in what no correct program sees; the last one: broken a x"),
        Judge.wrongs(report("begun a", "broken a x", "begun b", "failed b y"), Set.of()));
  }

  @Test
  void tellersTellWhatIsPromised() {
    IOException cause = new IOException("gone");
    assertEquals("conflict", Teller.wordFor(new RefusedException(Reason.CONFLICT, null)));
    assertEquals("conflict", Teller.wordFor(new RefusedException(Reason.PIVOT, null)));
    assertEquals("failed", Teller.wordFor(new RefusedException(Reason.TOO_OLD, null)));
    assertEquals("unknown", Teller.wordFor(new UnknownOutcomeException(cause)));
    assertEquals("failed", Teller.wordFor(cause));
    assertEquals("broken", Teller.wordFor(new IllegalStateException("x")));
  }
}
