package io.retso.bench.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads the metrics that a server offers to Prometheus. */
public final class ServerMetrics {
  private static final Pattern BOUND = Pattern.compile("[{,]le=\"([^\"]*)\"");
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

  /**
   * The samples of a server on this machine by name, those with labels summed up; empty if it does
   * not tell. Buckets of histograms have their bound behind the name: {@code NAME_bucket/BOUND}.
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
  public static Map<String, Double> parse(String text) {
    Map<String, Double> samples = new HashMap<>();
    for (String line : text.split("\n")) {
      int space = line.lastIndexOf(' ');
      if (line.startsWith("#") || space < 0) {
        continue;
      }
      int brace = line.indexOf('{');
      String name = line.substring(0, brace < 0 ? line.indexOf(' ') : brace);
      Matcher bound = BOUND.matcher(line);
      if (name.endsWith("_bucket") && bound.find()) {
        name += "/" + bound.group(1);
      }
      try {
        samples.merge(name, Double.parseDouble(line.substring(space + 1)), Double::sum);
      } catch (NumberFormatException e) {
        continue; // not a sample
      }
    }
    return samples;
  }
}
