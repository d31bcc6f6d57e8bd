package io.retso.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Directories of data that a run made, and removes. Stateless. */
public final class Directories {
  private Directories() {}

  /**
   * Deletes a directory with all that is in it, if it is there.
   *
   * @throws IOException if something cannot be deleted; the rest may be gone
   */
  public static void delete(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /**
   * Deletes it if that is possible: what a late writer leaves there is small, and is in the way of
   * nothing.
   */
  public static void deleteIfPossible(Path directory) {
    try {
      delete(directory);
    } catch (IOException e) {
      return; // the rest stays
    }
  }
}
