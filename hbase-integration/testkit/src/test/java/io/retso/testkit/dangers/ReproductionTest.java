package io.retso.testkit.dangers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.advise.Advise;
import io.retso.advise.input.ProgramsFile;
import io.retso.advise.model.Danger;
import io.retso.advise.model.Program;
import io.retso.advise.model.Programs;
import io.retso.advise.model.Programs.Conflicts;
import io.retso.advise.reproduce.Reproduction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The tests beside this one are what is made of the files of the guide, and they run with the
 * others: what the search finds does happen.
 */
class ReproductionTest {
  private static final Path FILES = Path.of("../../docs/advise");
  private static final Path TESTS = Path.of("src/test/java/io/retso/testkit/dangers");

  /** One column is locked, and write skew is in two others. */
  private static Programs cells() {
    Program one = Program.named("One", "k").lock("t", "k", "a").read("t", "k", "b");
    Program other = Program.named("Other", "k").lock("t", "k", "d").read("t", "k", "c");
    return Programs.of(
        List.of(one.write("t", "k", "c"), other.write("t", "k", "b")), Conflicts.CELL, Map.of());
  }

  /** The first danger of some programs. */
  private static Reproduction reproduction(Programs programs, String packageName, String name) {
    Danger danger = Advise.of(programs).verdict().dangers().get(0);
    return Reproduction.of(danger, programs, packageName, name);
  }

  /** {@code -Dretso.docs.write=true} writes them anew; formatters may break lines elsewhere. */
  @ParameterizedTest
  @CsvSource({
    "smallbank.yaml, SmallBankDangerTest",
    "doctors.yaml, DoctorsDangerTest",
    "batches.yaml, BatchesDangerTest",
    ", CellsDangerTest"
  })
  void theTestsAreWhatIsMadeOfTheFiles(String file, String name) throws IOException {
    Programs programs = file == null ? cells() : ProgramsFile.read(FILES.resolve(file));
    String made = reproduction(programs, "io.retso.testkit.dangers", name).text();
    Path test = TESTS.resolve(name + ".java");
    if (Boolean.getBoolean("retso.docs.write")) {
      Files.writeString(test, made);
    }
    assertEquals(words(made), words(Files.readString(test)));
  }

  private static String words(String source) {
    return source.replaceAll("\\s+", "");
  }

  @Test
  void namesThatAreNoneAreRefused() {
    assertThrows(IllegalArgumentException.class, () -> reproduction(cells(), "", "2nd"));
    assertThrows(IllegalArgumentException.class, () -> reproduction(cells(), "a..b", "C"));
  }
}
