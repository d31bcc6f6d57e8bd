package io.retso.bench.bounds;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.ServerMetrics;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;

/** What region servers on this machine tell of the coprocessor, by their web interface. */
final class RegionServers {
  private static final Pattern FIGURE = Pattern.compile("\"markBytes\" ?: ?(\\d+)");
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final Connection connection;
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

  RegionServers(Connection connection) {
    this.connection = connection;
  }

  /** Of all of them, some seconds old. */
  double markBytes() throws IOException, InterruptedException {
    double bytes = Double.NaN;
    try (Admin admin = connection.getAdmin()) {
      for (ServerMetrics server : admin.getClusterMetrics().getLiveServerMetrics().values()) {
        URI jmx = URI.create("http://127.0.0.1:" + server.getInfoServerPort() + "/jmx");
        HttpRequest request = HttpRequest.newBuilder(jmx).timeout(TIMEOUT).build();
        String told = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        Matcher figure = FIGURE.matcher(told);
        while (figure.find()) {
          bytes = (Double.isNaN(bytes) ? 0 : bytes) + Double.parseDouble(figure.group(1));
        }
      }
    }
    return bytes;
  }
}
