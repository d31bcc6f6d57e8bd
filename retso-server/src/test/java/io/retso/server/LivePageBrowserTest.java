package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.retso.Await;
import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.server.config.Settings;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The page for people as a browser shows it: what {@code /status} says, whatever happens. */
@Timeout(240)
class LivePageBrowserTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** All figures of the page, by their places in what is told: how they are shown, and as what. */
  private static final String SHOWN =
      "JSON.stringify(Object.fromEntries([...document.querySelectorAll('[data-figure]')]"
          + ".map(cell => [cell.dataset.figure, [cell.dataset.as ?? '', cell.textContent]])))";

  /** These change by themselves between two questions. */
  private static final String MOVING = ".*(perSecond|Millis|uptime|heap|Outstanding).*";

  private static final String STATE = "document.getElementById('state').textContent";

  @TempDir private Path directory;
  private Chromium browser;

  @BeforeEach
  void start() throws Exception {
    Chromium.assumeInstalled();
    browser = Chromium.start(directory.resolve("chromium"));
  }

  @AfterEach
  void stop() {
    if (browser != null) {
      browser.close();
    }
  }

  private static String page(RetsoServer server) {
    return "http://127.0.0.1:" + server.httpPort() + "/";
  }

  private static JsonNode status(RetsoServer server) throws Exception {
    return JSON.readTree(TestServers.get(server.httpPort(), "/status").body());
  }

  private void await(String expression, String part) throws Exception {
    try {
      Await.aMinute(part, () -> browser.value(expression).contains(part));
    } catch (TimeoutException e) {
      assertEquals(part, browser.value(expression));
    }
  }

  /** What it shows, and what it should by the server's own words; of all that stands still. */
  private record Figures(Map<String, String> shown, Map<String, String> said) {}

  private Figures figures(RetsoServer server) throws Exception {
    JsonNode status = status(server);
    Figures figures = new Figures(new TreeMap<>(), new TreeMap<>());
    for (Map.Entry<String, JsonNode> figure : JSON.readTree(browser.value(SHOWN)).properties()) {
      String place = figure.getKey();
      if (!place.matches(MOVING)) {
        JsonNode value = status.at(place.replace("status.", "/").replace('.', '/'));
        boolean isCount = figure.getValue().get(0).asText().equals("count");
        figures.shown.put(place, figure.getValue().get(1).asText());
        figures.said.put(
            place, isCount ? String.format(Locale.ROOT, "%,d", value.asLong()) : value.asText());
      }
    }
    return figures;
  }

  private void assertShows(RetsoServer server) throws Exception {
    try {
      Await.aMinute(
          "the page of " + page(server),
          () -> {
            Figures figures = figures(server);
            return figures.said.size() > 20 && figures.said.equals(figures.shown);
          });
    } catch (TimeoutException e) {
      Figures figures = figures(server);
      assertEquals(figures.said, figures.shown);
      throw e;
    }
  }

  /** Of two transactions that write one row the second is refused. */
  private static void commitAndConflict(OracleClient client, long row) {
    TransactionHandle first = client.begin();
    TransactionHandle second = client.begin();
    assertTrue(client.commit(first, row).isCommitted());
    assertFalse(client.commit(second, row).isCommitted());
    client.cleanedUp(first);
  }

  @Test
  void itShowsWhatStatusSaysOverATakeOver() throws Exception {
    try (EmbeddedBookKeeper cluster =
            EmbeddedBookKeeper.start(directory.resolve("bookies"), 3, false);
        RetsoServer first = RetsoServer.start(TestServers.member(cluster.zookeeper()).build());
        RetsoServer second = RetsoServer.start(TestServers.member(cluster.zookeeper()).build());
        OracleClient client =
            OracleClient.builder()
                .address("127.0.0.1:" + first.port())
                .address("127.0.0.1:" + second.port())
                .requestTimeout(Duration.ofSeconds(60))
                .build()) {
      assertTrue(first.leads());
      for (int i = 0; i < 100; i++) {
        commitAndConflict(client, 7);
      }
      browser.open(page(first));
      assertShows(first);
      assertEquals("100", figures(first).shown.get("status.transactions.abortsConflict"));
      await(STATE, "serving; this server leads");
      String hot = TestServers.get(first.httpPort(), "/hot").body();
      String id = JSON.readTree(hot).get("hot").fieldNames().next();
      await("document.querySelector('#hot tbody').innerText", id + "\t");
      String link = "document.querySelector('#state a').href";

      browser.open(page(second));
      await(STATE, status(first).get("address").asText() + " leads");
      assertEquals(page(first), browser.value(link));
      assertShows(second);
      String other = "document.querySelector('#members a').href";
      assertEquals(page(first), browser.value(other));

      first.kill();
      commitAndConflict(client, 1);
      await(STATE, "serving; this server leads");
      String leads = status(second).get("address").asText() + " leads now, in epoch ";
      await("document.getElementById('news').textContent", leads + second.epoch());
      await("document.querySelector('#leaders tbody tr').innerText", "" + second.epoch());
      assertShows(second);
      assertEquals(List.of(), browser.complaints());
    }
  }

  @Test
  void itSaysThatItHasNoConnectionAndGoesOnOnceThereIsOne() throws Exception {
    int port;
    try (RetsoServer server = TestServers.inMemory()) {
      port = server.httpPort();
      browser.open(page(server));
      await(STATE, "serving; this server leads");
      assertShows(server);
    }
    await(STATE, "no connection since ");
    assertEquals("stale", browser.value("document.body.className"));
    try (RetsoServer again =
            RetsoServer.start(
                TestServers.small()
                    .set(Settings.LOG, "memory")
                    .set(Settings.HTTP_PORT, port)
                    .build());
        OracleClient client = OracleClient.builder().address("127.0.0.1:" + again.port()).build()) {
      commitAndConflict(client, 1);
      await(STATE, "serving; this server leads");
      assertShows(again);
      assertEquals("", browser.value("document.body.className"));
      assertEquals("1", figures(again).shown.get("status.transactions.abortsConflict"));
    }
    assertEquals(List.of(), browser.complaints());
  }

  /** Nothing is wider than the window, and the charts are drawn, in both schemes. */
  @Test
  void itFitsAPhoneAndIsDarkOrLight() throws Exception {
    try (RetsoServer server = TestServers.inMemory()) {
      browser.width(360);
      browser.scheme("dark");
      browser.open(page(server));
      await(STATE, "serving");
      String back = "getComputedStyle(document.body).backgroundColor";
      assertEquals("rgb(18, 24, 31)", browser.value(back));
      assertEquals("2", browser.value("document.querySelectorAll('.uplot canvas').length"));
      assertEquals("360", browser.value("document.documentElement.scrollWidth"));
      browser.scheme("light");
      await(back, "rgb(255, 255, 255)");
      assertEquals("2", browser.value("document.querySelectorAll('.uplot canvas').length"));
      assertEquals(List.of(), browser.complaints());
    }
  }
}
