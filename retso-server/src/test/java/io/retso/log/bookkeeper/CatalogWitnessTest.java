package io.retso.log.bookkeeper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.log.LogException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CatalogWitnessTest {
  @TempDir Path directory;
  private Path file;
  private CatalogWitness witness;

  @BeforeEach
  void remember() {
    file = directory.resolve("catalog");
    witness = new CatalogWitness(file);
    witness.remember("log-a", 7);
  }

  @Test
  void anOlderCatalogAndThatOfAnotherLogAreRefused() throws LogException {
    witness.check("log-a", 7);
    witness.check("log-a", 8);
    assertEquals(
        LogException.Reason.LOST,
        assertThrows(LogException.class, () -> witness.check("log-a", 6)).reason());
    assertEquals(
        LogException.Reason.LOST,
        assertThrows(LogException.class, () -> witness.check("log-b", 9)).reason());
  }

  /** It is the second of two guards: damage to it alone is no reason not to start. */
  @ParameterizedTest
  @ValueSource(
      strings = {"", "log-a", "log-a x\n", "log-a 99999999999999\n", "log-a 7", "\u00ff\n"})
  void aDamagedFileCountsForNothing(String text) throws IOException, LogException {
    Files.writeString(file, text, StandardCharsets.ISO_8859_1);
    witness.check("log-b", 1);
  }
}
