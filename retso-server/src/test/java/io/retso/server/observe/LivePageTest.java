package io.retso.server.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.retso.server.RetsoServer;
import io.retso.server.TestServers;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The page for people, as it is served; {@link HttpEventsTest} has the bounds of its events. */
@Timeout(120)
class LivePageTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private RetsoServer server;

  @BeforeEach
  void start() throws Exception {
    server = TestServers.inMemory();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private HttpResponse<String> get(String path) throws Exception {
    return TestServers.get(server.httpPort(), path);
  }

  private static List<String> all(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(LivePageTest::last).toList();
  }

  private static String last(MatchResult found) {
    return found.group(found.groupCount());
  }

  private JsonNode event() throws Exception {
    URI live = URI.create("http://127.0.0.1:" + server.httpPort() + "/live");
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(live.toURL().openStream(), StandardCharsets.UTF_8))) {
      String line = lines.readLine();
      assertTrue(line.startsWith("data: {"), line);
      assertEquals("", lines.readLine());
      return JSON.readTree(line.substring("data: ".length()));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/, text/html",
    "/?from=a, text/html",
    "/page.css, text/css",
    "/page.js, text/javascript",
    "/uplot.css, text/css",
    "/uplot.js, text/javascript"
  })
  void itsFilesAreServedFromHere(String path, String type) throws Exception {
    HttpResponse<String> reply = get(path);
    assertEquals(200, reply.statusCode());
    var headers = reply.headers();
    assertEquals(type + "; charset=utf-8", headers.firstValue("Content-Type").orElseThrow());
    assertEquals("nosniff", headers.firstValue("X-Content-Type-Options").orElseThrow());
    String policy = headers.firstValue("Content-Security-Policy").orElseThrow();
    assertTrue(policy.startsWith("default-src 'none'; script-src 'self';"), policy);
    assertFalse(policy.contains("unsafe"), policy);
    assertEquals(405, TestServers.send(server.httpPort(), path, "POST", "*/*").statusCode());
    HttpResponse<String> head = TestServers.send(server.httpPort(), path, "HEAD", "*/*");
    assertEquals("", head.body());
    assertEquals(headers.firstValue("Content-Length"), head.headers().firstValue("Content-Length"));
  }

  @Test
  void thePageTakesNothingFromElsewhereAndHasNoScriptInIt() throws Exception {
    String page = get("/").body();
    List<String> links = all("(?:href|src)=\"([^\"]*)\"", page);
    assertTrue(links.size() >= 4, links::toString);
    for (String link : links) {
      assertEquals(200, get("/" + link).statusCode(), link);
    }
    assertFalse(page.matches("(?s).*(<script>|<style|\\sstyle=|\\son\\w+=|//).*"), page);
    String script = get("/page.js").body();
    assertFalse(script.matches("(?s).*(innerHTML|outerHTML|insertAdjacent|eval\\(|https?:/).*"));
  }

  /** A figure whose name changed would be a dash for ever. */
  @Test
  void eachFigureOfThePageIsTold() throws Exception {
    String page = get("/").body();
    TreeSet<String> figures = new TreeSet<>(all("data-(?:figure|fill|of)=\"([^\"]*)\"", page));
    assertTrue(figures.size() > 40, figures::toString);
    JsonNode event = event();
    figures.removeIf(figure -> event.at("/" + figure.replace('.', '/')).isValueNode());
    assertEquals(List.of(), List.copyOf(figures));
    for (Figure figure : Figure.values()) {
      if (figure.reason != null) {
        String words = figure.reason.name().replace("_", "");
        assertTrue(
            all("transactions\\.aborts(\\w+)", page).stream()
                .anyMatch(shown -> shown.equalsIgnoreCase(words)),
            words);
      }
    }
  }

  @Test
  void anEventSaysWhatStatusAndHotSay() throws Exception {
    JsonNode event = event();
    JsonNode status = JSON.readTree(get("/status").body());
    assertEquals(JSON.readTree(get("/hot").body()).get("hot"), event.get("hot"));
    TreeSet<String> names = new TreeSet<>();
    status.fieldNames().forEachRemaining(names::add);
    TreeSet<String> told = new TreeSet<>();
    event.get("status").fieldNames().forEachRemaining(told::add);
    assertEquals(names, told);
    for (String same : List.of("transactions", "address", "oracle", "members", "start")) {
      assertEquals(status.get(same), event.get("status").get(same));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "text/event-stream, 200",
    "*/*, 200",
    "'text/html, text/*;q=0.5', 200",
    "application/json, 406"
  })
  void eventsAreForThoseThatAcceptThem(String accept, int status) throws Exception {
    assertEquals(status, TestServers.send(server.httpPort(), "/live", "HEAD", accept).statusCode());
  }

  @Test
  void aServerThatStartsHasThePageAndNoEvents() throws Exception {
    try (Observation observation = new Observation(new Health());
        HttpEndpoint starting =
            HttpEndpoint.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                observation.pages(),
                observation.actions(),
                TestAccess.open(false))) {
      assertEquals(200, TestServers.get(starting.port(), "/").statusCode());
      HttpResponse<String> events = TestServers.get(starting.port(), "/live");
      assertEquals(503, events.statusCode());
      assertTrue(events.body().contains("the log is being recovered"), events.body());
    }
  }
}
