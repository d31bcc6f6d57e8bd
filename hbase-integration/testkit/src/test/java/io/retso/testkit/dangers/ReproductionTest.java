package io.retso.testkit.dangers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.advise.Advise;
import io.retso.advise.input.ProgramsFile;
import io.retso.advise.model.Danger;
import io.retso.advise.reproduce.Reproduction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

  private static Danger danger(String file) throws IOException {
    return Advise.of(ProgramsFile.read(FILES.resolve(file))).verdict().dangers().get(0);
  }

  /** {@code -Dretso.docs.write=true} writes them anew; formatters may break lines elsewhere. */
  @ParameterizedTest
  @CsvSource({
    "smallbank.yaml, SmallBankDangerTest",
    "doctors.yaml, DoctorsDangerTest",
    "batches.yaml, BatchesDangerTest"
  })
  void theTestsAreWhatIsMadeOfTheFiles(String file, String name) throws IOException {
    String made = Reproduction.of(danger(file), "io.retso.testkit.dangers", name).text();
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
  void namesThatAreNoneAreRefused() throws IOException {
    Danger danger = danger("doctors.yaml");
    assertThrows(IllegalArgumentException.class, () -> Reproduction.of(danger, "", "2nd"));
    assertThrows(IllegalArgumentException.class, () -> Reproduction.of(danger, "a..b", "C"));
  }
}
