package io.retso.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code retso status}: shows what a running server is doing. */
@Command(
    name = "status",
    description = {
      "Shows health, rates, latencies, aborts, memory and log of a running server.",
      ""
    },
    usageHelpAutoWidth = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:The server serves.",
      "1:It answers, but does not serve; the first line says why.",
      "64:A flag is wrong.",
      "69:Nothing answers."
    },
    modelTransformer = UsualExitCodes.class)
public final class StatusCommand implements Callable<Integer> {
  private static final int TIMEOUT_MILLIS = 5_000;
  private static final int OK = 200;
  private static final int UNAVAILABLE = 503;

  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  @Option(
      names = "--http",
      paramLabel = "HOST:PORT",
      defaultValue = "127.0.0.1:7522",
      description = "The server's http.host and http.port. Default: ${DEFAULT-VALUE}")
  private String http;

  @Option(names = "--json", description = "Prints JSON, with more figures.")
  private boolean json;

  private record Answer(int status, String body) {}

  @Override
  public Integer call() {
    if (!http.matches("[^/\\s]+:\\d{1,5}")) {
      return failed(ExitCode.USAGE, "--http " + http + " is not HOST:PORT, such as 127.0.0.1:7522");
    }
    try {
      Answer health = get("/health");
      Answer status = get("/status");
      boolean known = status.status == OK || status.status == UNAVAILABLE;
      if (!known || health.status != OK && health.status != UNAVAILABLE) {
        return failed(
            ExitCode.UNREACHABLE, http + " answers, but is not the HTTP address of a ReTSO server");
      }
      PrintWriter out = spec.commandLine().getOut();
      out.print(status.body);
      out.flush();
      return (health.status == OK ? ExitCode.CLEAN : ExitCode.UNHEALTHY).number();
    } catch (MalformedURLException e) {
      return failed(ExitCode.USAGE, "--http " + http + ": " + e.getMessage());
    } catch (IOException e) {
      return failed(
          ExitCode.UNREACHABLE,
          "no server answers at http://"
              + http
              + " ("
              + e.getMessage()
              + "): start one with retso server, or name its http.host and http.port with --http");
    }
  }

  private Answer get(String path) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) new URL("http://" + http + path).openConnection();
    connection.setConnectTimeout(TIMEOUT_MILLIS);
    connection.setReadTimeout(TIMEOUT_MILLIS);
    connection.setRequestProperty("Accept", json ? "application/json" : "text/plain");
    int status = connection.getResponseCode();
    try (InputStream body =
        status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
      byte[] bytes = body == null ? new byte[0] : body.readAllBytes();
      return new Answer(status, new String(bytes, StandardCharsets.UTF_8));
    } finally {
      connection.disconnect();
    }
  }

  private int failed(ExitCode code, String message) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("retso status: " + message);
    err.flush();
    return code.number();
  }
}
