package io.retso.cluster.monitoring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Prometheus, as a process on a free port that ends with this one. For one thread. */
final class Prometheus implements AutoCloseable {
  /** Something that becomes true. */
  interface Condition {
    boolean holds() throws Exception;
  }

  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final long POLL_MILLIS = 100;

  /** Runs a program, and ends it with the standard input. */
  private static final String TETHER = "\"$@\" & trap 'kill $!; wait' EXIT; read -r end";

  private static final Pattern LISTENS =
      Pattern.compile("msg=\"Listening on\" address=127\\.0\\.0\\.1:(\\d+)");

  private final HttpClient http = HttpClient.newHttpClient();
  private final ObjectMapper json = new ObjectMapper();
  private final Process process;
  private final Path output;
  private int port;

  private Prometheus(Process process, Path output) {
    this.process = process;
    this.output = output;
  }

  /** Skips the test where there is none. */
  static void assumeInstalled() {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(Pattern.quote(File.pathSeparator)))
            .anyMatch(place -> Files.isExecutable(Path.of(place, "prometheus"))),
        "Prometheus is not installed (Debian: apt-get install prometheus): no panel is asked");
  }

  /** Starts one with the file {@code prometheus.yml} of a directory, in which it keeps its data. */
  static Prometheus start(Path directory) throws Exception {
    Path output = directory.resolve("prometheus.txt");
    Process process =
        new ProcessBuilder(
                "sh",
                "-c",
                TETHER,
                "sh",
                "prometheus",
                "--config.file=" + directory.resolve("prometheus.yml"),
                "--storage.tsdb.path=" + directory.resolve("series"),
                "--web.listen-address=127.0.0.1:0",
                "--web.enable-lifecycle")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    Prometheus prometheus = new Prometheus(process, output);
    try {
      prometheus.until(() -> "Prometheus does not listen", prometheus::listens);
      prometheus.until(() -> "Prometheus is not ready", prometheus::isReady);
      return prometheus;
    } catch (Throwable e) {
      prometheus.close();
      throw e;
    }
  }

  private boolean listens() throws IOException {
    Matcher line = LISTENS.matcher(Files.readString(output));
    if (line.find()) {
      port = Integer.parseInt(line.group(1));
    }
    return port > 0;
  }

  private boolean isReady() throws IOException, InterruptedException {
    return http.send(request("/-/ready").build(), BodyHandlers.discarding()).statusCode() == 200;
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).timeout(PATIENCE);
  }

  /** Waits until something becomes true. */
  void until(Supplier<String> what, Condition condition) throws Exception {
    long start = System.nanoTime();
    while (!condition.holds()) {
      assertFalse(process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS), this::said);
      assertTrue(System.nanoTime() - start < PATIENCE.toNanos(), () -> what.get() + "\n" + said());
    }
  }

  /** Its last lines, and how it finds what it scrapes, for messages. */
  private String said() {
    try {
      List<String> lines = new ArrayList<>(Files.readAllLines(output));
      lines = lines.subList(Math.max(0, lines.size() - 5), lines.size());
      if (port > 0) {
        HttpRequest request = request("/api/v1/targets?state=active").build();
        String targets = http.send(request, BodyHandlers.ofString()).body();
        for (JsonNode target : json.readTree(targets).at("/data/activeTargets")) {
          lines.add(
              target.get("scrapeUrl").asText()
                  + " in "
                  + target.get("lastScrapeDuration").asText()
                  + " s: "
                  + target.get("health").asText()
                  + " "
                  + target.get("lastError").asText());
        }
      }
      return String.join("\n", lines);
    } catch (IOException e) {
      return e.toString();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return e.toString();
    }
  }

  /** Reads its configuration again, which has changed. */
  void reload() throws IOException, InterruptedException {
    HttpRequest request = request("/-/reload").POST(BodyPublishers.noBody()).build();
    HttpResponse<String> reply = http.send(request, BodyHandlers.ofString());
    assertEquals(200, reply.statusCode(), reply::body);
  }

  /** The series that an expression has now. */
  JsonNode series(String expression) throws IOException, InterruptedException {
    String form = "query=" + URLEncoder.encode(expression, StandardCharsets.UTF_8);
    HttpRequest request =
        request("/api/v1/query")
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(BodyPublishers.ofString(form))
            .build();
    HttpResponse<String> reply = http.send(request, BodyHandlers.ofString());
    assertEquals(200, reply.statusCode(), () -> expression + ": " + reply.body());
    return json.readTree(reply.body()).at("/data/result");
  }

  /** Whether one of the series of an expression is a number. */
  boolean hasNumber(String expression) throws IOException, InterruptedException {
    for (JsonNode one : series(expression)) {
      if (one.get("value").get(1).asText().matches("-?[\\d.]+(e[+-]?\\d+)?")) {
        return true;
      }
    }
    return false;
  }

  /** Whether an alarm rings. */
  boolean rings(String alarm) throws IOException, InterruptedException {
    return !series("ALERTS{alertstate=\"firing\", alertname=\"" + alarm + "\"}").isEmpty();
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      process.onExit().get(20, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
