package io.retso.bench.security;

import io.retso.bench.report.BenchException;
import io.retso.cluster.Directories;
import io.retso.server.commands.CommandLines;
import io.retso.server.commands.SecureCommand;
import io.retso.text.ErrorText;
import io.retso.tls.TlsContext;
import io.retso.tls.TlsException;
import io.retso.tls.TlsFiles;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What a server and its clients need to know each other, for one benchmark: the server takes TLS
 * and clear text side by side, so that both are measured at one process.
 */
final class SecuredFiles implements AutoCloseable {
  private final Path directory;

  private SecuredFiles(Path directory) {
    this.directory = directory;
  }

  static SecuredFiles make(Path parent) throws BenchException {
    try {
      SecuredFiles files = new SecuredFiles(Files.createTempDirectory(parent, "security-"));
      PrintWriter silent = new PrintWriter(Writer.nullWriter());
      int code =
          CommandLines.of(new SecureCommand())
              .setOut(silent)
              .execute(
                  "init",
                  files.made().toString(),
                  "--member=localhost,127.0.0.1",
                  "--path=" + files.member());
      if (code != 0) {
        throw new BenchException("no certificates could be made in " + files.directory);
      }
      Path access = files.member().resolve("access");
      String text = Files.readString(access).replace("required", "optional");
      Files.writeString(access, text + "may application operator\n");
      return files;
    } catch (IOException e) {
      throw new BenchException(
          "no certificates could be made in " + parent + ": " + ErrorText.of(e), e);
    }
  }

  private Path made() {
    return directory.resolve("made");
  }

  private Path member() {
    return made().resolve("member-localhost");
  }

  /** Flags of the server. */
  List<String> flags() {
    Path own = member();
    return List.of(
        "--access-file=" + own.resolve("access"),
        "--tls-certificate=" + own.resolve("tls.crt"),
        "--tls-key=" + own.resolve("tls.key"),
        "--tls-ca=" + own.resolve("ca.crt"),
        "--secret-file=" + own.resolve("secret"));
  }

  /** What clients begin TLS with, who show a certificate. */
  TlsContext client() throws BenchException {
    Path own = made().resolve("operator");
    try {
      return TlsContext.ofClient(
          new TlsFiles(
              made().resolve("ca.crt"),
              Optional.of(new TlsFiles.Own(own.resolve("tls.crt"), own.resolve("tls.key")))));
    } catch (TlsException e) {
      throw new BenchException(ErrorText.of(e), e);
    }
  }

  @Override
  public void close() {
    try {
      Directories.delete(directory);
    } catch (IOException e) {
      System.err.println(
          "retso bench: " + directory + " cannot be deleted: " + ErrorText.of(e) + "; delete it");
    }
  }
}
