package io.retso.cluster;

import io.retso.text.ErrorText;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes a database of PostgreSQL and runs its server, as another user if this one is root. It ends
 * with its standard input, and so does the server.
 */
public final class PostgresNode {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final long STOP_SECONDS_MAX = 10;
  private static final String ROOT = "root";
  private static final String USER = "retso";

  /** In the place of root; comes with PostgreSQL's packages. */
  private static final String OTHER = "postgres";

  /**
   * What is not left as it comes: the sockets' directory may be another user's, there may be many
   * clients, and a checkpoint would hit what is measured at that moment. A commit is on the disk
   * when it is answered, as it comes (fsync, synchronous_commit).
   */
  private static final List<String> SETTINGS =
      List.of(
          "listen_addresses=127.0.0.1",
          "unix_socket_directories=",
          "max_connections=1010",
          "shared_buffers=512MB",
          "max_wal_size=4GB",
          "checkpoint_timeout=30min");

  private final Path programs;
  private final Path directory;

  /** Before every command; empty if this user may run it. */
  private final List<String> asOther = new ArrayList<>();

  private PostgresNode(Path programs, Path directory) {
    this.programs = programs;
    this.directory = directory;
  }

  /** Directories of the programs and for the data, and the file that gets the URL. */
  public static void main(String[] arguments) throws Exception {
    try {
      new PostgresNode(Path.of(arguments[0]), Path.of(arguments[1])).run(Path.of(arguments[2]));
      System.exit(0);
    } catch (IOException | RuntimeException e) {
      System.out.println(ErrorText.of(e)); // the parent shows the last lines
      System.exit(1);
    }
  }

  private void run(Path ready) throws IOException, InterruptedException {
    byte[] random = new byte[16];
    new SecureRandom().nextBytes(random);
    String password = HexFormat.of().formatHex(random);
    Path data = directory.resolve("data");
    makeDatabase(data, password);
    int port = freePort();
    List<String> command = new ArrayList<>(asOther);
    command.addAll(List.of(program("postgres"), "-D", data.toString(), "-p", "" + port));
    SETTINGS.forEach(setting -> command.addAll(List.of("-c", setting)));
    Process server = start(command);
    try {
      awaitReady(server, data);
      Path hidden = privateFile(directory.resolve("ready.part"));
      Files.writeString(
          hidden,
          String.format(
              Locale.ROOT,
              "jdbc:postgresql://127.0.0.1:%d/postgres?user=%s&password=%s",
              port,
              USER,
              password));
      Files.move(hidden, ready, StandardCopyOption.ATOMIC_MOVE);
      awaitEnd();
    } finally {
      server.destroy(); // it waits for its clients, which have ended
      if (!server.waitFor(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        server.destroyForcibly().waitFor();
      }
    }
  }

  private void makeDatabase(Path data, String password) throws IOException, InterruptedException {
    Path file = privateFile(directory.resolve("password"));
    Files.writeString(file, password);
    Files.createDirectory(data);
    if (System.getProperty("user.name").equals(ROOT)) {
      UserPrincipal other = other();
      Files.setOwner(file, other);
      Files.setOwner(data, other);
      asOther.addAll(List.of("setpriv", "--reuid=" + OTHER, "--regid=" + OTHER, "--clear-groups"));
    }
    List<String> command = new ArrayList<>(asOther);
    command.addAll(List.of(program("initdb"), "-D", data.toString(), "--no-sync", "-E", "UTF8"));
    command.addAll(List.of("--no-locale", "-U", USER, "-A", "scram-sha-256", "--pwfile=" + file));
    int exit = start(command).waitFor();
    Files.delete(file);
    if (exit != 0) {
      throw new IOException(
          "initdb ended with "
              + exit
              + (asOther.isEmpty()
                  ? ""
                  : "; it needs a directory that others than root may enter"));
    }
  }

  private String program(String name) {
    return programs.resolve(name).toString();
  }

  private static UserPrincipal other() throws IOException {
    try {
      return Path.of("/")
          .getFileSystem()
          .getUserPrincipalLookupService()
          .lookupPrincipalByName(OTHER);
    } catch (UserPrincipalNotFoundException e) {
      throw new IOException(
          "PostgreSQL does not run as root, and there is no user " + OTHER + ": run as another");
    }
  }

  private static Path privateFile(Path file) throws IOException {
    return Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
  }

  /** PostgreSQL cannot choose one. Another process may take it first: then the server says so. */
  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private Process start(List<String> command) throws IOException {
    return new ProcessBuilder(command)
        .directory(Path.of("/").toFile()) // one that every user may enter
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** The last line of its file says whether clients may come. */
  private static void awaitReady(Process server, Path data) throws IOException {
    Path state = data.resolve("postmaster.pid");
    while (!Files.exists(state) || !Files.readString(state).stripTrailing().endsWith("ready")) {
      if (!server.isAlive()) {
        throw new IOException("postgres ended with " + server.exitValue());
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  private static void awaitEnd() throws IOException {
    while (System.in.read() >= 0) {
      // The parent never writes; what counts is the end.
    }
  }
}
