package io.retso.verify.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.verify.check.Checker;
import io.retso.verify.check.Model;
import io.retso.verify.clients.FinalReads;
import io.retso.verify.clients.Work;
import io.retso.verify.history.History;
import io.retso.verify.history.HistoryReader;
import io.retso.verify.history.HistoryRecorder;
import io.retso.verify.history.Step;
import io.retso.verify.history.TimestampPair;
import io.retso.verify.history.Transaction.Outcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryMergeTest {
  @TempDir Path directory;

  private Path file(String name, String... lines) throws IOException {
    return Files.writeString(directory.resolve(name), String.join("\n", lines));
  }

  private static String line(int time, String rest) {
    return "{:index 7, :time " + time + ", " + rest + "}";
  }

  private List<String> merged(Path... files) throws IOException {
    Path merged = directory.resolve("merged.edn");
    HistoryMerge.merge(List.of(files), merged);
    return Files.readAllLines(merged);
  }

  @Test
  void linesAreInTheOrderOfTime() throws IOException {
    Path a = file("a", line(-5, ":type :invoke, x"), line(20, ":type :ok, x"), "");
    Path b = file("b", line(3, ":type :invoke, y"), line(30, ":type :ok, y"), "");
    assertEquals(
        List.of(
            "{:index 0, :time -5, :type :invoke, x}",
            "{:index 1, :time 3, :type :invoke, y}",
            "{:index 2, :time 20, :type :ok, x}",
            "{:index 3, :time 30, :type :ok, y}"),
        merged(a, b));
  }

  /** What happened at the same time is not claimed to have happened one after the other. */
  @Test
  void atOneTimeInvocationsComeFirst() throws IOException {
    Path a = file("a", line(5, ":type :ok, x"), "");
    Path b = file("b", line(5, ":type :invoke, y"), "");
    assertEquals(
        List.of("{:index 0, :time 5, :type :invoke, y}", "{:index 1, :time 5, :type :ok, x}"),
        merged(a, b));
  }

  @Test
  void whatIsCutIsLeftOut() throws IOException {
    String last = line(9, ":type :fail, :error \"}\"");
    for (int length = 0; length < last.length(); length++) {
      Path a = file("a", line(5, ":type :invoke, x"), last.substring(0, length));
      assertEquals(List.of("{:index 0, :time 5, :type :invoke, x}"), merged(a), "cut at " + length);
    }
    assertEquals(List.of(), merged(file("a", "")));
    assertEquals(List.of(), merged());
  }

  /**
   * Elle does not take a history in which the writer of a value that was read has no completion.
   */
  @Test
  void whatWasNotCompletedIsCompletedAtTheEnd() throws IOException {
    Path killed =
        file(
            "killed",
            line(1, ":type :invoke, :process 3, :f :txn, :value [[:append 5 1]]"),
            line(2, ":type :invoke, :process 4, :f :txn, :value [[:r 5 nil]]"),
            line(3, ":type :ok, :process 4, :f :txn, :value [[:r 5 []]]"),
            line(4, ":type :ok, :process 3, :f :txn, :val"));
    Path other = file("other", line(9, ":type :info, :process :nemesis, :f :kill"), "");
    List<String> merged = merged(killed, other);
    assertEquals(5, merged.size());
    assertEquals(
        "{:index 4, :time 9, :type :info, :process 3, :f :txn, :value [[:append 5 1]],"
            + " :error \"its client ended\"}",
        merged.get(4));
    History history = HistoryReader.read(directory.resolve("merged.edn")).history();
    assertEquals(
        List.of(Outcome.UNKNOWN, Outcome.COMMITTED),
        history.transactions().stream()
            .sorted(java.util.Comparator.comparing(tx -> tx.process()))
            .map(tx -> tx.outcome())
            .toList());
  }

  @Test
  void anotherFormatIsRefused() throws IOException {
    Path a = file("a", "{:type :invoke}", "");
    assertTrue(
        assertThrows(IOException.class, () -> merged(a)).getMessage().contains("{:type :invoke}"));
  }

  /** Two recorders, one of which is never closed: as if its process had been killed. */
  @Test
  void recordersAndCheckerAgree() throws IOException {
    Path a = directory.resolve("a");
    Path b = directory.resolve("b");
    long origin = System.nanoTime();
    HistoryRecorder killed = HistoryRecorder.create(b, origin);
    try (HistoryRecorder recorder = HistoryRecorder.create(a, origin)) {
      recorder.invoke(1, List.of(Step.append(4, 1)));
      recorder.ok(1, List.of(Step.append(4, 1)), TimestampPair.NONE);
      killed.invoke(2, List.of(Step.append(4, 2)));
      killed.flush();
      killed.ok(2, List.of(Step.append(4, 2)), TimestampPair.NONE);
      recorder.nemesis("kill", "client \"2\"");
      recorder.invoke(1, List.of(Step.read(4)));
      recorder.ok(1, List.of(Step.read(4, 1, 2)), TimestampPair.NONE);
    }
    List<String> lines = merged(a, b);
    assertEquals(7, lines.size());
    assertTrue(lines.get(6).contains(":type :info, :process 2, "), lines.get(6));
    History history = HistoryReader.read(directory.resolve("merged.edn")).history();
    assertEquals(3, history.transactions().size());
    assertEquals(Outcome.UNKNOWN, history.transaction(1).outcome());
    assertTrue(Checker.check(history, Model.STRONG_SNAPSHOT_ISOLATION).isConsistent());

    Tally tally = new Tally();
    tally.update(List.of(a, b));
    tally.update(List.of(a, b));
    assertEquals(2, tally.committed());
    assertEquals(0, tally.failed() + tally.unknown() + tally.skewed() + tally.refusedPairs());
    assertEquals(List.of(4L), List.copyOf(FinalReads.keys(List.of(a, b))));
  }

  /** The live count and that of the whole history are of the same pairs. */
  @Test
  void pairsThatOverlappedAreCounted() throws IOException {
    Path file = directory.resolve("a");
    long partner = 1_000_000_003;
    int value = 0;
    try (HistoryRecorder recorder = HistoryRecorder.create(file)) {
      for (long process : new long[] {3, partner, partner, partner, partner}) {
        List<Step> steps = List.of(Step.append(4, ++value));
        recorder.invoke(process, steps);
        recorder.ok(process, steps, TimestampPair.NONE);
      }
      for (long process : new long[] {3, partner, partner}) {
        recorder.invoke(process, List.of(Step.append(4, ++value)));
        recorder.fail(process, TimestampPair.NONE, "refused: it might not be serializable");
      }
      recorder.invoke(partner, List.of(Step.append(4, ++value)));
      recorder.fail(partner, TimestampPair.NONE, "conflict");
    }
    Tally tally = new Tally();
    tally.update(List.of(file));
    assertEquals(List.of(4L, 2L), List.of(tally.skewed(), tally.refusedPairs()));
    Work work = Work.of(HistoryReader.read(file).history());
    assertEquals(new Work(5, 0, 0, 4, 2), work);
    Path written = directory.resolve("work");
    work.write(written);
    assertEquals(work, Work.read(written));
  }
}
