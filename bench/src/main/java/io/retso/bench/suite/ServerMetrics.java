package io.retso.bench.suite;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Reads the metrics that a server offers to Prometheus. */
public final class ServerMetrics {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

  /**
   * The samples of a server on this machine by name, those with labels summed up; empty if it does
   * not tell.
   */
  public Map<String, Double> read(int httpPort) throws InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + httpPort + "/metrics"))
            .timeout(TIMEOUT)
            .build();
    try {
      return parse(http.send(request, HttpResponse.BodyHandlers.ofString()).body());
    } catch (IOException e) {
      return Map.of();
    }
  }

  /** Parses Prometheus's text format: {@code name{labels} value}. */
  static Map<String, Double> parse(String text) {
    Map<String, Double> samples = new HashMap<>();
    for (String line : text.split("\n")) {
      int space = line.lastIndexOf(' ');
      if (line.startsWith("#") || space < 0) {
        continue;
      }
      int brace = line.indexOf('{');
      String name = line.substring(0, brace < 0 ? line.indexOf(' ') : brace);
      try {
        samples.merge(name, Double.parseDouble(line.substring(space + 1)), Double::sum);
      } catch (NumberFormatException e) {
        continue; // not a sample
      }
    }
    return samples;
  }
}
