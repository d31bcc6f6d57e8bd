package io.retso.server;

import io.retso.text.Addresses;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
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

  private static final int TIMEOUT_MILLIS = 5_000;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--http",
      paramLabel = "HOST:PORT",
      defaultValue = STANDARD,
      description = "The server's http.host and http.port. Default: ${DEFAULT-VALUE}")
  private String http;

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
    try {
      return dialogue.run().number();
    } catch (MalformedURLException e) {
      return failed(ExitCode.USAGE, "--http " + http + ": " + ErrorText.of(e));
    } catch (IOException e) {
      return failed(
          ExitCode.UNREACHABLE,
          "no server answers at http://"
              + http
              + " ("
              + ErrorText.of(e)
              + "): start one with retso server, or name its http.host and http.port with --http");
    }
  }

  /** What answers is something else. */
  ExitCode isAnother() {
    failed(ExitCode.UNREACHABLE, http + " answers, but is not the HTTP address of a ReTSO server");
    return ExitCode.UNREACHABLE;
  }

  /** Asks for a page, or for an action. */
  Answer send(String method, String path, String accept) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) new URL("http://" + http + path).openConnection();
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
