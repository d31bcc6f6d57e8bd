package io.retso.server.observe;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.Await;
import io.retso.server.Chromium;
import io.retso.server.observe.HttpEndpoint.Page;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a server says of itself and others, the page shows it as text. */
@Timeout(120)
class HostileTextTest {
  private static final String TEXT = "<img src=x onerror=document.title='ill'>\u2028</script>\"'";

  @TempDir private Path directory;

  private static String event() {
    Map<String, Object> member = new LinkedHashMap<>();
    member.put("http", "javascript:document.title='ill'");
    member.put("leads", true);
    Map<String, Object> status = new LinkedHashMap<>();
    for (String name : List.of("status", "reason", "address", "oracle", "role", "security")) {
      status.put(name, TEXT);
    }
    status.put("leader", TEXT + 1);
    status.put("memberList", Map.of(TEXT + 1, member));
    status.put("lastLeaders", Map.of("1", Map.of("leader", TEXT + 1, "seen", TEXT)));
    status.put("perSecond", Map.of("begins", TEXT));
    status.put("decisionMillis", Map.of());
    status.put("logAppendMillis", Map.of());
    Map<String, Object> hot = Map.of(TEXT, Map.of("refusals", 1, "surplus", 0, "commit", TEXT));
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("status", status);
    all.put("hot", hot);
    return "data: " + Json.line(all) + "\n";
  }

  @Test
  void staysText() throws Exception {
    Chromium.assumeInstalled();
    Map<String, Page> pages = new HashMap<>();
    LivePage.files().forEach((path, file) -> pages.put(path, (accept, caller) -> file));
    String event = event();
    pages.put("/live", (accept, caller) -> LivePage.events(accept, event));
    try (HttpEndpoint endpoint =
            HttpEndpoint.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                pages,
                Map.of(),
                TestAccess.open(false));
        Chromium browser = Chromium.start(directory.resolve("chromium"))) {
      browser.open("http://127.0.0.1:" + endpoint.port() + "/");
      String text = "document.body.textContent.split('onerror').length - 1";
      Await.aMinute("all of it", () -> Integer.parseInt(browser.value(text)) >= 8);
      assertEquals("0", browser.value("document.querySelectorAll('main img, header img').length"));
      assertEquals("0", browser.value("document.querySelectorAll('main a, header a').length"));
      assertEquals("2", browser.value("document.scripts.length"));
      assertEquals("ReTSO oracle", browser.value("document.title"));
    }
  }
}
