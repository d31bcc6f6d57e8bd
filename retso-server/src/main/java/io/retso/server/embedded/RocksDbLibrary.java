package io.retso.server.embedded;

import io.retso.server.config.Obstacle;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.rocksdb.NativeLibraryLoader;

/** The part of RocksDB that is no Java, on which bookies keep their index. Stateless. */
final class RocksDbLibrary {
  private static final String TEMPORARY = System.getProperty("java.io.tmpdir");

  private RocksDbLibrary() {}

  /**
   * RocksDB unpacks its library, 15 MB, into the temporary directory, and deletes it when the JVM
   * ends: each process that was killed left one there. Once loaded the file is not needed; loading
   * again does nothing.
   *
   * @throws IOException if the machine does not let it; the message says what to change
   */
  static void load() throws IOException {
    Path place;
    try {
      place = Files.createTempDirectory("retso");
    } catch (IOException e) {
      throw new IOException(
          "the temporary directory "
              + TEMPORARY
              + " cannot be used: "
              + ErrorText.of(e)
              + "; choose another one: RETSO_OPTS=-Djava.io.tmpdir=DIR",
          e);
    }
    try {
      NativeLibraryLoader.getInstance().loadLibrary(place.toString());
    } catch (IOException | RuntimeException | LinkageError e) {
      throw new IOException(
          "the library of RocksDB cannot be loaded from "
              + TEMPORARY
              + ": "
              + ErrorText.of(e)
              + "; "
              + remedy(e),
          e);
    } finally {
      delete(place);
    }
  }

  private static String remedy(Throwable failure) {
    boolean mayNotRun =
        failure instanceof LinkageError
            && ErrorText.of(failure).matches("(?s).*(failed to map|not permitted|denied).*");
    if (mayNotRun) {
      return "nothing may be run from there (the mount option noexec?): choose another temporary"
          + " directory: RETSO_OPTS=-Djava.io.tmpdir=DIR";
    }
    return Obstacle.remedy(
        failure,
        "it needs Linux with glibc on x86-64; elsewhere keep the log on a BookKeeper cluster"
            + " (the setting zookeeper)");
  }

  private static void delete(Path place) {
    try (Stream<Path> files = Files.list(place)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(place);
    } catch (IOException e) {
      return; // where a file in use cannot be deleted
    }
  }
}
