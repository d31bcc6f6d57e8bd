package io.retso.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.report.Kept.Origin;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What was measured before a run was stopped, wherever that was. */
class KeptTest {
  private static final Map<String, Object> SETTINGS = Map.of("clients", 8, "stores", List.of("A"));
  private static final Map<String, Object> MACHINE = Map.of("cores", 2, "loadAverageBefore", 0.5);
  private static final Origin ORIGIN = Origin.of("1 (commit a)", SETTINGS, MACHINE);

  @TempDir Path directory;

  /** What a measurement of this test gave. */
  private record Figures(double perSecond, Map<String, Long> counts) {}

  private static Figures figures(int round) {
    return new Figures(round / 3.0, Map.of("pivot \"\n", 1L << 40));
  }

  private Path file() {
    return directory.resolve("a/sample.measured");
  }

  private void keep(int rounds) throws Exception {
    try (Kept kept = Kept.begin(file(), ORIGIN)) {
      for (int round = 0; round < rounds; round++) {
        kept.add("a case", round, round == 1 ? "wrong" : "", figures(round));
      }
    }
  }

  private static int count(Kept kept, int of) {
    int found = 0;
    while (found < of && kept.find("a case", found, Figures.class).isPresent()) {
      assertEquals(figures(found), kept.find("a case", found, Figures.class).get());
      assertEquals(found == 1 ? "wrong" : "", kept.wrong("a case", found));
      found++;
    }
    return found;
  }

  @Test
  void aRunGoesOnWithWhatIsThere() throws Exception {
    keep(3);
    try (Kept kept = Kept.goOn(file(), ORIGIN)) {
      assertEquals(3, count(kept, 5));
      assertEquals(Optional.empty(), kept.find("another case", 0, Figures.class));
      kept.add("a case", 3, "", figures(3));
    }
    try (Kept kept = Kept.goOn(file(), ORIGIN)) {
      assertEquals(4, count(kept, 5));
    }
    try (Kept kept = Kept.begin(file(), ORIGIN)) {
      assertEquals(0, count(kept, 5));
    }
    try (Kept kept = Kept.goOn(directory.resolve("none"), ORIGIN)) {
      assertEquals(0, count(kept, 5));
    }
  }

  static LongStream seeds() {
    return LongStream.rangeClosed(1, 20);
  }

  /** Killed while it wrote: all lines that are whole are there, and no others. */
  @ParameterizedTest
  @MethodSource("seeds")
  void aFileThatWasCutOffHasAllThatIsWhole(long seed) throws Exception {
    keep(4);
    String text = Files.readString(file());
    int end = new SplittableRandom(seed).nextInt(text.length() + 1);
    Files.writeString(file(), text.substring(0, end));
    int whole = (int) text.substring(0, end).chars().filter(c -> c == '\n').count();
    int before = Math.max(0, whole - 1);
    try (Kept kept = Kept.goOn(file(), ORIGIN)) {
      assertEquals(before, count(kept, 5));
      kept.add("a case", before, before == 1 ? "wrong" : "", figures(before));
    }
    try (Kept kept = Kept.goOn(file(), ORIGIN)) {
      assertEquals(before + 1, count(kept, 5));
    }
  }

  @Test
  void whatWasMeasuredInAnotherWayIsRefused() throws Exception {
    keep(1);
    assertRefused(
        Origin.of("1 (commit b)", SETTINGS, MACHINE),
        "version was 1 (commit a) and is 1 (commit b).");
    assertRefused(
        Origin.of("1 (commit a)", Map.of("clients", 9), MACHINE),
        "clients was 8 and is 9; stores was [A] and is not there.");
    assertRefused(
        Origin.of("1 (commit a)", SETTINGS, Map.of("cores", 4)), "machine: cores was 2 and is 4.");
    Kept.goOn(file(), Origin.of("1 (commit a)", SETTINGS, Map.of("cores", 2))).close();
  }

  private void assertRefused(Origin origin, String why) {
    BenchException refused =
        assertThrows(BenchException.class, () -> Kept.goOn(file(), origin).close());
    assertTrue(refused.getMessage().contains(why), refused.getMessage());
    assertTrue(refused.getMessage().contains("without --continue"), refused.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"no JSON\n", "{\"of\": 1\n", "[]\n"})
  void anotherFileIsRefused(String text) throws Exception {
    keep(1);
    Files.writeString(file(), text, StandardOpenOption.APPEND);
    BenchException refused =
        assertThrows(BenchException.class, () -> Kept.goOn(file(), ORIGIN).close());
    assertTrue(refused.getMessage().contains("run without --continue"), refused.getMessage());
  }
}
