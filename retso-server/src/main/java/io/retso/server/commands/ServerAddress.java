package io.retso.server.commands;

import io.retso.text.Addresses;
import io.retso.text.ErrorText;
import io.retso.tls.PrivateFile;
import io.retso.tls.TlsContext;
import io.retso.tls.TlsException;
import io.retso.tls.TlsFailure;
import io.retso.tls.TlsFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.HttpsURLConnection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Where a command asks a running server, and what it says if that fails. */
final class ServerAddress {
  static final int OK = 200;
  static final int FORBIDDEN = 403;
  static final int CONFLICT = 409;
  static final int UNAVAILABLE = 503;

  private static final String STANDARD = "127.0.0.1:7522";

  private static final int TOKEN_BYTES_MAX = 4096;

  private static final int TIMEOUT_MILLIS = 5_000;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--http",
      paramLabel = "HOST:PORT",
      defaultValue = STANDARD,
      description = "The server's http.host and http.port. Default: ${DEFAULT-VALUE}")
  private String http;

  @Option(
      names = "--tls-ca",
      paramLabel = "FILE",
      description =
          "Speaks TLS with a server whose certificate is signed by an authority of this file.")
  private Path authorities;

  @Option(
      names = "--certificate",
      paramLabel = "FILE",
      description = "Identifies you by this certificate; its key is --key.")
  private Path certificate;

  @Option(names = "--key", paramLabel = "FILE", description = "The key of --certificate.")
  private Path key;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "Identifies you by the token in this file.")
  private Path token;

  /** What a server answers. */
  record Answer(int status, String body) {}

  /** What is done with the server. */
  interface Dialogue {
    /** Returns what the process ends with. */
    ExitCode run() throws IOException;
  }

  /** Speaks with the server; returns what the process ends with. */
  int speak(Dialogue dialogue) {
    try {
      http = Addresses.text(Addresses.parse(http));
    } catch (IllegalArgumentException e) {
      return failed(
          ExitCode.USAGE, "--http: " + ErrorText.of(e) + "; write HOST:PORT, such as " + STANDARD);
    }
    if (authorities == null && (certificate != null || token != null)) {
      return failed(
          ExitCode.USAGE,
          "--certificate and --token-file are of use inside of TLS only: add --tls-ca");
    }
    try {
      return dialogue.run().number();
    } catch (TlsException e) {
      return failed(ExitCode.USAGE, ErrorText.of(e));
    } catch (SSLException e) {
      return failed(ExitCode.UNREACHABLE, "TLS with " + http + " failed: " + TlsFailure.text(e));
    } catch (MalformedURLException e) {
      return failed(ExitCode.USAGE, "--http " + http + ": " + ErrorText.of(e));
    } catch (IOException e) {
      return failed(
          ExitCode.UNREACHABLE,
          "no server answers at "
              + scheme()
              + http
              + " ("
              + ErrorText.of(e)
              + "): start one with retso server, or name its http.host and http.port with --http");
    }
  }

  private String scheme() {
    return authorities == null ? "http://" : "https://";
  }

  private SSLContext tls() throws IOException {
    Optional<TlsFiles.Own> own =
        certificate == null
            ? Optional.empty()
            : Optional.of(new TlsFiles.Own(certificate, key == null ? certificate : key));
    return TlsContext.forHttp(new TlsFiles(authorities, own));
  }

  /** What answers is something else. */
  ExitCode isAnother() {
    failed(ExitCode.UNREACHABLE, http + " answers, but is not the HTTP address of a ReTSO server");
    return ExitCode.UNREACHABLE;
  }

  /** Has an action done, and prints what the server says of it. */
  ExitCode act(String path) throws IOException {
    Answer answer = send("POST", path, "text/plain");
    switch (answer.status()) {
      case OK, CONFLICT, FORBIDDEN -> print(answer.body());
      default -> {
        return isAnother();
      }
    }
    return answer.status() == OK ? ExitCode.CLEAN : ExitCode.UNHEALTHY;
  }

  /** Asks for a page, or for an action. */
  Answer send(String method, String path, String accept) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) new URL(scheme() + http + path).openConnection();
    if (connection instanceof HttpsURLConnection https) {
      https.setSSLSocketFactory(tls().getSocketFactory());
    }
    if (token != null) {
      String text = new String(PrivateFile.read(token, TOKEN_BYTES_MAX), StandardCharsets.US_ASCII);
      connection.setRequestProperty("Authorization", "Bearer " + text.strip());
    }
    connection.setRequestProperty("X-Retso-Action", "1");
    connection.setRequestMethod(method);
    connection.setConnectTimeout(TIMEOUT_MILLIS);
    connection.setReadTimeout(TIMEOUT_MILLIS);
    connection.setRequestProperty("Accept", accept);
    int status = connection.getResponseCode();
    try (InputStream body =
        status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
      byte[] bytes = body == null ? new byte[0] : body.readAllBytes();
      return new Answer(status, new String(bytes, StandardCharsets.UTF_8));
    } finally {
      connection.disconnect();
    }
  }

  /** Prints what the server said. */
  void print(String text) {
    PrintWriter out = command.commandLine().getOut();
    out.print(text);
    out.flush();
  }

  private int failed(ExitCode code, String message) {
    PrintWriter err = command.commandLine().getErr();
    err.println("retso " + command.name() + ": " + message);
    err.flush();
    return code.number();
  }
}
