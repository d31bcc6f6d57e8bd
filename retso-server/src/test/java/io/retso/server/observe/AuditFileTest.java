package io.retso.server.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.retso.Await;
import io.retso.security.Audit.Event;
import io.retso.security.Audit.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class AuditFileTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path directory;
  private final AtomicLong now = new AtomicLong(1_000);

  private Path file() {
    return directory.resolve("audit.json");
  }

  private static List<JsonNode> lines(Path file) throws IOException {
    List<JsonNode> lines = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      lines.add(JSON.readTree(line));
    }
    return lines;
  }

  @Test
  void aLineForEachEventWhateverItsTextIs() throws Exception {
    String hostile = "a\"b\\c\n\r{\u001b[31m\u202e\u2028\u0000}";
    try (AuditFile audit = AuditFile.open(file(), now::get)) {
      audit.record(
          Event.of(Kind.REFUSED)
              .with("client", hostile)
              .with("text", "x".repeat(10_000))
              .with("requests", 3)
              .with("absent", null)
              .with("empty", ""));
      audit.record(Event.of(Kind.SWEPT));
    }
    List<JsonNode> lines = lines(file());
    assertEquals(2, lines.size());
    JsonNode first = lines.get(0);
    assertEquals("1970-01-01T00:00:01Z", first.get("time").asText());
    assertEquals("refused", first.get("event").asText());
    assertEquals(
        "a\"b\\c\\u000a\\u000d{\\u001b[31m\\u202e\\u2028\\u0000}", first.get("client").asText());
    assertEquals(512, first.get("text").asText().length());
    assertEquals(3, first.get("requests").asInt());
    assertFalse(first.has("absent") || first.has("empty"));
    assertEquals("swept", lines.get(1).get("event").asText());
    assertEquals("rw-------", mode(file()));
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  /** Each source and kind by itself; what is left out is counted on the next line. */
  @Test
  void floodsAreCounted() throws Exception {
    try (AuditFile audit = AuditFile.open(file(), now::get)) {
      for (int i = 0; i < 1_000; i++) {
        audit.record(Event.of(Kind.REFUSED).with("address", "10.0.0.1"));
      }
      audit.record(Event.of(Kind.DENIED).with("address", "10.0.0.1"));
      audit.record(Event.of(Kind.REFUSED).with("principal", "p").with("address", "10.0.0.1"));
      now.addAndGet(1_000);
      audit.record(Event.of(Kind.REFUSED).with("address", "10.0.0.1"));
    }
    List<JsonNode> lines = lines(file());
    assertEquals(AuditFile.PER_SECOND + 3, lines.size());
    assertEquals(990, lines.get(lines.size() - 1).get("more").asInt());
    assertEquals(1, lines.stream().filter(line -> line.has("more")).count());
  }

  /** Sources that are told apart are bounded: one that comes from everywhere takes no memory. */
  @Test
  void sourcesAreForgotten() throws Exception {
    try (AuditFile audit = AuditFile.open(file(), now::get)) {
      for (int i = 0; i < 20 * AuditFile.SOURCES_MAX; i++) {
        audit.record(Event.of(Kind.REFUSED).with("address", i));
      }
      assertTrue(audit.sources() <= AuditFile.SOURCES_MAX);
    }
  }

  @Test
  void filesAreNumberedAndTheOldestGoes() throws Exception {
    try (AuditFile audit = AuditFile.open(file(), 300, now::get)) {
      for (int i = 0; i < 100; i++) {
        now.addAndGet(1_000);
        audit.record(Event.of(Kind.ACTED).with("number", i).with("text", "x".repeat(100)));
      }
    }
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> all = files.sorted().toList();
      assertEquals(AuditFile.FILES_MAX, all.size(), all::toString);
      int last = -1;
      for (int i = AuditFile.FILES_MAX - 1; i >= 0; i--) {
        Path each = i == 0 ? file() : directory.resolve("audit.json." + i);
        assertEquals("rw-------", mode(each));
        assertTrue(Files.size(each) <= 300);
        for (JsonNode line : lines(each)) {
          assertTrue(last < 0 || line.get("number").asInt() == last + 1, "none is lost");
          last = line.get("number").asInt();
        }
      }
      assertEquals(99, last);
    }
  }

  @Test
  void itGoesOnWithTheFileThatIsThere() throws Exception {
    for (int i = 0; i < 2; i++) {
      try (AuditFile audit = AuditFile.open(file(), now::get)) {
        audit.record(Event.of(Kind.STARTED));
      }
      assertEquals("rw-------", mode(file()));
      Files.setPosixFilePermissions(file(), PosixFilePermissions.fromString("rw-r--r--"));
    }
    assertEquals(2, lines(file()).size());
  }

  /** What cannot be written is lost, and the next line that can be says how much. */
  @Test
  void lostEventsAreCounted() throws Exception {
    Path inner = Files.createDirectory(directory.resolve("inner"));
    try (AuditFile audit = AuditFile.open(inner.resolve("audit.json"), 50, now::get)) {
      audit.record(Event.of(Kind.STARTED));
      Await.until(() -> Files.size(inner.resolve("audit.json")) > 0);
      Files.delete(inner.resolve("audit.json"));
      Files.delete(inner); // the next line needs a new file
      audit.record(Event.of(Kind.ACTED));
      audit.record(Event.of(Kind.ACTED));
      Await.until(() -> audit.dropped() == 2);
      Files.createDirectory(inner);
      audit.record(Event.of(Kind.SWEPT));
    }
    List<JsonNode> lines = lines(inner.resolve("audit.json"));
    assertEquals(1, lines.size());
    assertEquals(2, lines.get(0).get("dropped").asInt());
  }
}
