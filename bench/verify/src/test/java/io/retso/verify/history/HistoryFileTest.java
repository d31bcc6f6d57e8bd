package io.retso.verify.history;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.verify.history.Transaction.Outcome;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryFileTest {
  private static final long SEED = Long.getLong("retso.verify.seed", 20_140_501);

  @TempDir Path directory;

  private final ByteArrayOutputStream file = new ByteArrayOutputStream();
  private final AtomicLong clock = new AtomicLong(1_000);

  private HistoryRecorder recorder() {
    return new HistoryRecorder(file, clock::getAndIncrement);
  }

  private String text() {
    return file.toString(StandardCharsets.UTF_8);
  }

  private static HistoryReader.Result read(String text) throws IOException {
    return HistoryReader.read(new StringReader(text));
  }

  private static void assertRefused(String reason, String text) {
    HistoryFormatException e =
        assertThrows(HistoryFormatException.class, () -> read(text + "\n"), text);
    assertTrue(e.getMessage().contains(reason), e.getMessage());
  }

  @Test
  void theFileIsWhatElleReads() throws IOException {
    try (HistoryRecorder recorder = recorder()) {
      recorder.invoke(0, List.of(Step.append(1, 5), Step.read(2)));
      recorder.invoke(1, List.of(Step.read(1)));
      recorder.ok(0, List.of(Step.append(1, 5), Step.read(2, 7, -8)), new TimestampPair(16, 32));
      recorder.ok(1, List.of(Step.read(1, NONE)), TimestampPair.NONE);
      recorder.invoke(0, List.of(Step.append(1, 6), Step.read(2)));
      recorder.fail(0, TimestampPair.started(48), "conflict \"row\"\n\u00e9\\");
      recorder.invoke(0, List.of(Step.append(1, 9)));
      recorder.info(0, TimestampPair.NONE, "time-out");
    }
    assertEquals(
        """
        {:index 0, :time 1, :type :invoke, :process 0, :f :txn, :value [[:append 1 5] [:r 2 nil]]}
        {:index 1, :time 2, :type :invoke, :process 1, :f :txn, :value [[:r 1 nil]]}
        {:index 2, :time 3, :type :ok, :process 0, :f :txn, :value [[:append 1 5] [:r 2 [7 -8]]], :start-ts 16, :commit-ts 32}
        {:index 3, :time 4, :type :ok, :process 1, :f :txn, :value [[:r 1 []]]}
        {:index 4, :time 5, :type :invoke, :process 0, :f :txn, :value [[:append 1 6] [:r 2 nil]]}
        {:index 5, :time 6, :type :fail, :process 0, :f :txn, :value [[:append 1 6] [:r 2 nil]], :start-ts 48, :error "conflict \\"row\\"\\n\\u00e9\\\\"}
        {:index 6, :time 7, :type :invoke, :process 0, :f :txn, :value [[:append 1 9]]}
        {:index 7, :time 8, :type :info, :process 0, :f :txn, :value [[:append 1 9]], :error "time-out"}
        """,
        text());
    History history = read(text()).history();
    assertEquals(4, history.transactions().size());
    Transaction first = history.transaction(0);
    assertEquals(List.of(Step.append(1, 5), Step.read(2, 7, -8)), first.steps());
    assertEquals(new TimestampPair(16, 32), first.timestamps());
    assertEquals(2, first.completed());
    assertEquals(Outcome.ABORTED, history.transaction(2).outcome());
    assertEquals("conflict \"row\"\n\u00e9\\", history.transaction(2).error());
    assertEquals(Outcome.UNKNOWN, history.transaction(3).outcome());
    assertEquals(Transaction.NEVER, history.transaction(3).completed());
    assertEquals(3, history.writerOf(1, 9));
    assertEquals(History.NOBODY, history.writerOf(2, 9));
  }

  @Test
  void whatWasPromisedIsSaidAtTheBeginning() throws IOException {
    try (HistoryRecorder recorder = recorder()) {
      recorder.invoke(0, Isolation.RECENT, List.of(Step.read(2)));
      recorder.ok(0, List.of(Step.read(2, 7)), TimestampPair.NONE);
      recorder.invoke(0, Isolation.SERIALIZABLE, List.of(Step.read(2))); // and is killed
    }
    assertTrue(text().contains(":value [[:r 2 nil]], :isolation :serializable-recent}"), text());
    History history = read(text()).history();
    assertEquals(Isolation.RECENT, history.transaction(0).isolation());
    assertEquals(Isolation.SERIALIZABLE, history.transaction(1).isolation());
    assertRefused(
        "expected the :isolation, such as :snapshot or :serializable, but it is :chaos",
        text().replace(":serializable-recent", ":chaos"));
  }

  private static final long[] NONE = {};

  /** Records a random history of one thread and returns it. */
  private List<Transaction> record(Random random, int transactions) throws IOException {
    List<Transaction> expected = new ArrayList<>();
    try (HistoryRecorder recorder = recorder()) {
      for (int i = 0; i < transactions; i++) {
        List<Step> done = new ArrayList<>();
        List<Step> planned = new ArrayList<>();
        for (int s = random.nextInt(4); s >= 0; s--) {
          long key = random.nextLong();
          boolean isRead = random.nextBoolean();
          Step append = Step.append(key, random.nextLong());
          planned.add(isRead ? Step.read(key) : append);
          done.add(isRead ? Step.read(key, random.longs(random.nextInt(5)).toArray()) : append);
        }
        TimestampPair timestamps = new TimestampPair(random.nextInt(9) - 1, random.nextInt(9) - 1);
        Isolation isolation = Isolation.values()[random.nextInt(Isolation.values().length)];
        recorder.invoke(7, isolation, planned);
        recorder.ok(7, done, timestamps);
        expected.add(
            new Transaction(
                i, 7, 2 * i, 2 * i + 1, Outcome.COMMITTED, isolation, done, timestamps, null));
      }
    }
    return expected;
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    List<Transaction> expected = record(new Random(SEED), 2_000);
    assertEquals(expected, read(text()).history().transactions(), () -> "seed " + SEED);
  }

  @Test
  void aFileThatIsCutAnywhereIsAPrefix() throws IOException {
    List<Transaction> expected = record(new Random(SEED), 5);
    String text = text();
    for (int length = text.indexOf('\n'); length < text.length(); length++) {
      HistoryReader.Result cut = read(text.substring(0, length));
      long whole = text.substring(0, length).lines().count();
      boolean isWhole = text.charAt(length) == '\n' || text.charAt(length - 1) == '\n';
      assertEquals(isWhole ? 0 : whole, cut.cutAtLine());
      long events = isWhole ? whole : whole - 1;
      List<Transaction> found = cut.history().transactions();
      assertEquals((events + 1) / 2, found.size());
      assertEquals(expected.subList(0, (int) events / 2), found.subList(0, (int) events / 2));
      if (events % 2 == 1) {
        assertEquals(Outcome.UNKNOWN, found.get(found.size() - 1).outcome());
      }
    }
  }

  @Test
  void manyThreadsRecord() throws Exception {
    int threads = 8;
    int each = 500;
    Path path = directory.resolve("history.edn");
    try (HistoryRecorder recorder = HistoryRecorder.create(path)) {
      List<Thread> running = new ArrayList<>();
      for (int process = 0; process < threads; process++) {
        long own = process;
        Thread thread =
            new Thread(
                () -> {
                  for (int i = 0; i < each; i++) {
                    List<Step> steps = List.of(Step.append(own, i));
                    recorder.invoke(own, steps);
                    recorder.ok(own, steps, TimestampPair.NONE);
                  }
                });
        thread.start();
        running.add(thread);
      }
      for (Thread thread : running) {
        thread.join();
      }
    }
    History history = HistoryReader.read(path).history();
    assertEquals(threads * each, history.transactions().size());
    assertTrue(history.transactions().stream().allMatch(t -> t.outcome() == Outcome.COMMITTED));
  }

  @Test
  void theRecorderKeepsLittleAndFlushesOnDemand() {
    HistoryRecorder recorder = recorder();
    recorder.invoke(0, List.of(Step.append(1, 1)));
    assertEquals("", text());
    recorder.flush();
    assertTrue(text().endsWith("}\n"), text());
    for (int i = 2; i < 10_000; i++) {
      recorder.info(0, TimestampPair.NONE, null);
      recorder.invoke(0, List.of(Step.append(1, i)));
    }
    assertTrue(text().endsWith("}\n"), "whole lines");
    assertTrue(text().length() > 1_000_000, "written as it comes");
  }

  @Test
  void theRecorderRefusesMisuse() {
    HistoryRecorder recorder = recorder();
    List<Step> steps = List.of(Step.read(1));
    assertThrows(IllegalStateException.class, () -> recorder.fail(0, TimestampPair.NONE, "early"));
    recorder.invoke(0, steps);
    assertThrows(IllegalStateException.class, () -> recorder.invoke(0, steps));
    assertThrows(IllegalArgumentException.class, () -> recorder.ok(0, steps, TimestampPair.NONE));
  }

  @Test
  void aFullDiskIsToldAndStays() throws IOException {
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("No space left on device");
          }
        };
    HistoryRecorder recorder = new HistoryRecorder(full, clock::get);
    recorder.invoke(0, List.of(Step.read(1)));
    UncheckedIOException e = assertThrows(UncheckedIOException.class, recorder::flush);
    assertTrue(e.getMessage().contains("No space left on device): make room"), e.getMessage());
    assertThrows(UncheckedIOException.class, recorder::flush);
  }

  /** As Jepsen and elle-cli write it: other keys, other order, no commas, nemesis, no index. */
  @Test
  void historiesOfOthersAreRead() throws IOException {
    History history =
        read("""
        ; a comment
        {:type :info, :f :kill, :process :nemesis, :time 12, :value {"n1" #{:db :os}}}
        {:type :invoke :f :txn :value [[:append 255 8] [:r 253 nil]] :process 0 :time 3291485317}

        {:value [[:append 255 8], [:r 253 nil]] :process 0 :type :ok :error [:none "}" #inst "2020"] :debug {:a [1 2.5 nil true]}}
        """)
            .history();
    assertEquals(1, history.transactions().size());
    assertEquals(
        List.of(Step.append(255, 8), Step.read(253, NONE)), history.transaction(0).steps());
  }

  private static final String INVOKE = "{:type :invoke, :process 0, :value [[:append 1 5]]}\n";
  private static final String OK = "{:type :ok, :process 0, :value [[:append 1 5]]}\n";

  @Test
  void malformedFilesAreRefused() {
    assertRefused("there is no operation in it", "");
    assertRefused("line 1: column 1: expected an operation map, '{', on a line of its own", "[]");
    assertRefused("line 2: column 8: expected the :type, one of", INVOKE + "{:type \"ok\"}");
    assertRefused(
        "expected the :type, one of :invoke, :ok, :fail, :info, but it is :good", "{:type :good}");
    assertRefused(":process is missing", "{:type :ok, :value []}");
    assertRefused(":value is missing", "{:type :ok, :process 1}");
    assertRefused(":type is missing", "{:value [], :process 1}");
    assertRefused("expected the :process, an integer", "{:process \"a\"}");
    assertRefused("expected :append or :r, but it is :w", "{:value [[:w 1 2]]}");
    assertRefused("the value to append, an integer, but there is ':x", "{:value [[:append 1 :x]]}");
    assertRefused("expected ']', but there is '3", "{:value [[:append 1 2 3]]}");
    assertRefused("an integer in 64 bits", "{:time 99999999999999999999}");
    assertRefused("the :index, an integer of at least 0, but it is -1", "{:index -1}");
    assertRefused("expected one operation on this line", INVOKE.strip() + OK);
    assertRefused("a keyword such as :type", "{3 4}");
  }

  @Test
  void whatIsNotAHistoryIsRefused() {
    assertRefused("line 1: process 0 completes a transaction that it never invoked", OK);
    assertRefused("line 2: process 0 invokes a transaction, but its last one", INVOKE + INVOKE);
    assertRefused("line 3: value 5 is appended to key 1 a second time", INVOKE + OK + INVOKE);
    assertRefused(
        "line 2: process 0 completes other steps than it invoked at index 0",
        INVOKE + "{:type :ok, :process 0, :value [[:append 1 6]]}");
    assertRefused(
        "line 2: index 3 does not follow index 3",
        "{:type :invoke, :process 0, :value [], :index 3}\n"
            + "{:type :ok, :process 0, :value [], :index 3}");
    assertRefused("line 1: column 8: expected the :type", "{:type ]}\n" + INVOKE);
    assertRefused("the line ends", "{:type :ok\n" + INVOKE);
  }
}
