package io.retso.cluster;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A PostgreSQL of one's own, if one is installed: a new database in a directory that is given, on
 * the loopback interface, with a password that no other has. It ends when this object is closed,
 * and when this process ends, in whatever way.
 *
 * <p>Thread-safe.
 */
public final class LocalPostgres implements AutoCloseable {
  /** Debian and its like keep the programs of each version here, out of the PATH. */
  private static final Path VERSIONS = Path.of("/usr/lib/postgresql");

  /** What is to be done where {@link #programs} finds nothing. */
  public static final String NOT_INSTALLED =
      "no PostgreSQL is installed (initdb and postgres, in the PATH or in "
          + VERSIONS
          + "/*/bin): install it";

  private final ChildProcess process;
  private final String url;

  private LocalPostgres(ChildProcess process, String url) {
    this.process = process;
    this.url = url;
  }

  /** The directory of the programs initdb and postgres; empty if they are not installed. */
  public static Optional<Path> programs() {
    List<Path> places = new ArrayList<>();
    String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
    Arrays.stream(path.split(File.pathSeparator))
        .filter(place -> !place.isEmpty())
        .map(Path::of)
        .forEach(places::add);
    if (Files.isDirectory(VERSIONS)) {
      try (Stream<Path> versions = Files.list(VERSIONS)) {
        versions
            .sorted(Comparator.comparingInt(LocalPostgres::number).reversed())
            .map(version -> version.resolve("bin"))
            .forEach(places::add);
      } catch (IOException e) {
        return Optional.empty(); // nothing that could be run
      }
    }
    return places.stream()
        .filter(
            place ->
                Files.isExecutable(place.resolve("initdb"))
                    && Files.isExecutable(place.resolve("postgres")))
        .findFirst();
  }

  private static int number(Path version) {
    String name = version.getFileName().toString();
    return name.matches("\\d{1,4}") ? Integer.parseInt(name) : 0;
  }

  /**
   * Makes a database and starts a server for it: some three seconds.
   *
   * @param directory for its data and output; to be deleted by the caller. Users who are not this
   *     one must be able to enter its parents if this one is root, which PostgreSQL refuses
   * @throws ClusterException if there is none, or it does not start; says why
   */
  public static LocalPostgres in(Path directory) throws IOException, InterruptedException {
    Path programs = programs().orElseThrow(() -> new ClusterException(NOT_INSTALLED, null));
    Path ready = directory.resolve("ready");
    ChildProcess process =
        ChildProcess.start(
            "PostgreSQL",
            directory.resolve("output.txt"),
            ready,
            List.of("-Xmx64m"),
            PostgresNode.class.getName(),
            List.of(programs.toString(), directory.toAbsolutePath().toString(), ready.toString()));
    try {
      return new LocalPostgres(process, Files.readString(process.awaitReady()));
    } catch (IOException | InterruptedException | RuntimeException e) {
      process.close();
      throw e;
    }
  }

  /** JDBC's URL, with user and password. */
  public String url() {
    return url;
  }

  /** The process above the server's. */
  public ChildProcess process() {
    return process;
  }

  @Override
  public void close() {
    process.close();
  }
}
