package io.retso.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.errors.RollbackOnlyException;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.errors.UnknownCommitException;
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
            "refused c x y",
            "begun d",
            "unknown d x",
            "begun e",
            "failed e x",
            "begun f");
    assertEquals(List.of(), Judge.wrongs(report, Set.of("a")));
    assertEquals(List.of(), Judge.wrongs(report, Set.of("a", "d", "e", "f")));
    assertEquals(1, report.withoutAnswer());
    assertEquals(1, report.unknown());
    assertEquals(1, report.failed());
    assertEquals("failed e x", report.lastFailure());
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
        List.of("1 transfers that nobody made: b"), Judge.wrongs(report("begun a"), Set.of("b")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"conflict", "refused"})
  void aRefusedTransferInTheJournalIsWrong(String word) throws IOException {
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
    assertEquals("conflict", Teller.wordFor(new ConflictException("x", null)));
    assertEquals("refused", Teller.wordFor(new SnapshotTooOldException("x", null)));
    assertEquals("refused", Teller.wordFor(new RollbackOnlyException(7, cause)));
    assertEquals("refused", Teller.wordFor(new OracleUnavailableException("x", cause)));
    assertEquals("unknown", Teller.wordFor(new UnknownCommitException(7, cause, null)));
    assertEquals("failed", Teller.wordFor(cause));
    assertEquals("broken", Teller.wordFor(new IllegalStateException("x")));
  }
}
