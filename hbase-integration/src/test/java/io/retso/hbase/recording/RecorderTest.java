package io.retso.hbase.recording;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.recording.TransactionRecord.Place;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The bounds of a recording, and that it never holds up or fails the application. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class RecorderTest {
  private static final Place PLACE = new Place("t", false);

  @TempDir Path directory;

  private static void record(Recorder recorder, String program, String row) {
    TransactionRecord record = recorder.begin(program, "SNAPSHOT", false);
    if (record != null) {
      record.reads("get", PLACE, List.of(new Get(Bytes.toBytes(row))));
      record.ended("COMMITTED");
    }
  }

  @Test
  void theFirstOfEachNameAndThenSomeAreRecorded() {
    try (Recorder recorder = Recorder.open(directory.resolve("r"))) {
      int taken = 0;
      for (int i = 0; i < Recorder.FIRST + 10 * Recorder.LATER_EACH; i++) {
        taken += recorder.begin("often", "SNAPSHOT", false) == null ? 0 : 1;
      }
      assertEquals(Recorder.FIRST + 10, taken);
      assertNotNull(recorder.begin("seldom", "SNAPSHOT", false));
      for (int i = 2; i < Recorder.NAMES_MAX; i++) {
        assertNotNull(recorder.begin("name " + i, "SNAPSHOT", false));
      }
      assertNull(recorder.begin("one more", "SNAPSHOT", false));
    }
  }

  @Test
  void whatIsCutIsSaid() throws Exception {
    Path file = directory.resolve("r");
    try (Recorder recorder = Recorder.open(file)) {
      TransactionRecord record = recorder.begin("long", "SNAPSHOT", false);
      for (int i = 0; i < TransactionRecord.OPERATIONS_MAX + 7; i++) {
        record.reads("get", PLACE, List.of(new Get(Bytes.toBytes("r" + i))));
      }
      record.ended("COMMITTED");
      TransactionRecord wide = recorder.begin("wide", "SNAPSHOT", false);
      wide.reads("get", PLACE, List.of(new Get(new byte[30_000])));
      wide.ended("COMMITTED");
    }
    List<String> lines = Files.readAllLines(file);
    assertTrue(lines.get(0).endsWith("],\"cut\":7}"), lines.get(0));
    assertTrue(lines.get(1).endsWith("\"operations\":[],\"cut\":1}"), lines.get(1));
  }

  @Test
  void theFileHasABoundThatCountsWhatWasThere() throws Exception {
    Path file = directory.resolve("r");
    Files.writeString(file, "x".repeat(900) + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    try (Recorder recorder = Recorder.open(file, 2000)) {
      assertEquals(
          PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(file));
      for (int i = 0; i < 200; i++) {
        record(recorder, "p", "row");
      }
    }
    assertTrue(
        Files.size(file) > 1500 && Files.size(file) <= 2000, () -> "" + file.toFile().length());
    assertTrue(Files.readString(file).endsWith("}\n"), "a whole line at the end");
  }

  @Test
  void aFullDiskEndsTheRecordingAlone() throws Exception {
    try (Recorder recorder = Recorder.open(Path.of("/dev/full"))) {
      record(recorder, "p", "row");
      while (recorder.begin("p", "SNAPSHOT", false) != null) {
        Thread.onSpinWait();
      }
      record(recorder, "p", "row");
    }
    assertNull(Recorder.open(directory), "a directory");
  }

  @Test
  void linesOfManyThreadsAreWholeAndLostOnesCounted() throws Exception {
    Path file = directory.resolve("r");
    List<Thread> threads = new ArrayList<>();
    long lost;
    try (Recorder recorder = Recorder.open(file)) {
      for (int t = 0; t < 4; t++) {
        String program = "p" + t;
        threads.add(
            new Thread(
                () -> {
                  for (int i = 0; i < Recorder.FIRST; i++) {
                    record(recorder, program, "r" + i);
                  }
                }));
      }
      threads.forEach(Thread::start);
      for (Thread thread : threads) {
        thread.join();
      }
      lost = recorder.dropped();
    }
    Set<String> numbers = new HashSet<>();
    List<String> lines = Files.readAllLines(file);
    for (String line : lines) {
      assertTrue(line.startsWith("{\"program\":\"p") && line.endsWith("}"), line);
      assertTrue(numbers.add(line.replaceAll(",\"isolation.*", "")), line);
    }
    assertEquals(4 * Recorder.FIRST, lines.size() + lost);
  }
}
