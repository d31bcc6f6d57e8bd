package io.retso.sandbox;

import io.retso.hbase.ManagerBuilder;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;

/**
 * What a sandbox leaves in its directory for applications: a {@code hbase-site.xml} by which they
 * find HBase and the oracle, and the arguments with which {@code java} runs one file. The next
 * sandbox on the directory goes by the same {@code hbase-site.xml}, since the tables know their
 * oracle by its port.
 */
final class SandboxFiles {
  private final Path directory;
  private final Path site;

  /**
   * @param directory of the data
   */
  SandboxFiles(Path directory) {
    this.directory = directory;
    site = directory.resolve("conf").resolve("hbase-site.xml");
  }

  Path directory() {
    return directory;
  }

  Path site() {
    return site;
  }

  /** For {@code java @FILE}: the class path of this process, behind the addresses. */
  Path arguments() {
    return directory.resolve("java.args");
  }

  /**
   * Makes the directory, and marks it as that of a sandbox.
   *
   * @throws IOException if that cannot be, or there is something in it that no sandbox has left
   */
  void open() throws IOException {
    Files.createDirectories(directory);
    if (!Files.exists(site.getParent())) {
      try (Stream<Path> files = Files.list(directory)) {
        if (files.findAny().isPresent()) {
          throw new FileSystemException(
              directory.toString(),
              null,
              "not empty, and not of a sandbox: name another directory");
        }
      }
      Files.createDirectories(site.getParent());
    }
  }

  /** Where ZooKeeper listened when the sandbox ran last; empty if it never did. */
  OptionalInt zooKeeperPort() throws IOException {
    return port(HConstants.ZOOKEEPER_CLIENT_PORT);
  }

  /** Where the oracle listened when the sandbox ran last; empty if it never did. */
  OptionalInt oraclePort() throws IOException {
    return port(ManagerBuilder.ORACLE_KEY);
  }

  private OptionalInt port(String key) throws IOException {
    if (!Files.exists(site)) {
      return OptionalInt.empty();
    }
    Configuration written = new Configuration(false);
    written.addResource(site.toUri().toURL());
    String address = written.get(key, "");
    try {
      return OptionalInt.of(Integer.parseInt(address.substring(address.lastIndexOf(':') + 1)));
    } catch (NumberFormatException e) {
      throw new FileSystemException(
          site.toString(), null, key + " has no port: name another directory");
    }
  }

  /** Writes both, before there is a table that knows the oracle's port. */
  void write(Configuration client) throws IOException {
    Configuration addresses = new Configuration(false);
    for (String key :
        new String[] {
          HConstants.ZOOKEEPER_QUORUM, HConstants.ZOOKEEPER_CLIENT_PORT, ManagerBuilder.ORACLE_KEY
        }) {
      addresses.set(key, client.get(key));
    }
    try (OutputStream out = Files.newOutputStream(site)) {
      addresses.writeXml(out);
    }
    String classPath =
        site.getParent().toAbsolutePath()
            + File.pathSeparator
            + System.getProperty("java.class.path");
    Files.write(
        arguments(),
        List.of(
            "-cp",
            quoted(classPath),
            // The libraries and ReTSO log only what is amiss.
            "-Dretso.log=WARN",
            // HBase complains with a stack trace if it cannot look into this package.
            "--add-opens=java.base/java.nio=ALL-UNNAMED",
            "-Dio.netty.tryReflectionSetAccessible=true"));
  }

  /** As a file of arguments has what may contain blanks. */
  private static String quoted(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
