package io.retso.server;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.retso.Await;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** One page in a headless Chromium, driven by its DevTools protocol. Of one thread. */
public final class Chromium implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long ANSWER_SECONDS_MAX = 60;

  private final Process process;
  private final Map<Integer, CompletableFuture<JsonNode>> asked = new ConcurrentHashMap<>();
  private final Queue<String> complaints = new ConcurrentLinkedQueue<>();
  private final HttpClient http = HttpClient.newHttpClient();
  private WebSocket socket;
  private int last;

  private Chromium(Process process) {
    this.process = process;
  }

  /** Skips a test where there is none. */
  public static void assumeInstalled() {
    assumeTrue(
        Stream.of(System.getenv("PATH").split(Pattern.quote(java.io.File.pathSeparator)))
            .anyMatch(place -> Files.isExecutable(Path.of(place, "chromium"))),
        "chromium is not installed (Debian: apt-get install chromium): no browser sees the page");
  }

  /**
   * Starts one with an empty page.
   *
   * @param directory of its own, for all that it writes
   */
  public static Chromium start(Path directory, String... flags) throws Exception {
    List<String> command =
        Stream.concat(
                Stream.of(
                    "chromium",
                    "--headless",
                    "--no-sandbox", // the user may be root
                    "--disable-gpu",
                    "--disable-dev-shm-usage",
                    "--disable-background-networking",
                    "--no-first-run",
                    "--remote-debugging-port=0",
                    "--user-data-dir=" + directory),
                Stream.concat(Stream.of(flags), Stream.of("about:blank")))
            .toList();
    Chromium chromium =
        new Chromium(
            new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start());
    try {
      chromium.connect(directory.resolve("DevToolsActivePort"));
      return chromium;
    } catch (Exception e) {
      chromium.close();
      throw e;
    }
  }

  private void connect(Path file) throws Exception {
    Await.aMinute(
        "Chromium's port",
        () -> Files.exists(file) && Files.readAllLines(file).size() == 2 && process.isAlive());
    URI list = URI.create("http://127.0.0.1:" + Files.readAllLines(file).get(0) + "/json/list");
    CompletableFuture<String> page = new CompletableFuture<>();
    Await.aMinute(
        "a page",
        () -> {
          HttpRequest request = HttpRequest.newBuilder(list).build();
          String pages = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
          for (JsonNode one : JSON.readTree(pages)) {
            if (one.get("type").asText().equals("page")) {
              page.complete(one.get("webSocketDebuggerUrl").asText());
            }
          }
          return page.isDone();
        });
    socket =
        http.newWebSocketBuilder()
            .buildAsync(URI.create(page.join()), new Answers())
            .get(ANSWER_SECONDS_MAX, TimeUnit.SECONDS);
    ask("Runtime.enable", Map.of());
    ask("Log.enable", Map.of());
  }

  /** What it answers, and what it complains of. */
  private final class Answers implements WebSocket.Listener {
    private final StringBuilder text = new StringBuilder();

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence part, boolean isLast) {
      text.append(part);
      if (isLast) {
        hear(text.toString());
        text.setLength(0);
      }
      from.request(1);
      return null;
    }
  }

  private void hear(String text) {
    try {
      JsonNode message = JSON.readTree(text);
      String entry = message.at("/params/entry/source").asText();
      if (message.has("id")) {
        asked.remove(message.get("id").asInt()).complete(message);
      } else if (message.get("method").asText().equals("Runtime.exceptionThrown")
          || entry.equals("security")
          || entry.equals("javascript")) {
        complaints.add(text);
      }
    } catch (IOException e) {
      complaints.add(e.toString());
    }
  }

  private JsonNode ask(String method, Map<String, ?> parameters) throws Exception {
    last++;
    ObjectNode command = JSON.createObjectNode().put("id", last).put("method", method);
    command.set("params", JSON.valueToTree(parameters));
    CompletableFuture<JsonNode> answer = new CompletableFuture<>();
    asked.put(last, answer);
    socket.sendText(command.toString(), true);
    JsonNode said = answer.get(ANSWER_SECONDS_MAX, TimeUnit.SECONDS);
    if (said.has("error") || said.at("/result/exceptionDetails").isObject()) {
      throw new IllegalStateException(said.toString());
    }
    return said.get("result");
  }

  /** Goes to a page, and waits until it is there. */
  public void open(String url) throws Exception {
    ask("Page.navigate", Map.of("url", url));
    Await.aMinute(
        url,
        () ->
            value("location.href").equals(url) && value("document.readyState").equals("complete"));
  }

  /** The width of the window from here on, in pixels of a page. */
  public void width(int pixels) throws Exception {
    ask(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", pixels, "height", 800, "deviceScaleFactor", 1, "mobile", true));
  }

  /** {@code light} or {@code dark}, from here on. */
  public void scheme(String name) throws Exception {
    ask(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", name))));
  }

  /** The value of an expression, as text. */
  public String value(String expression) throws Exception {
    return ask("Runtime.evaluate", Map.of("expression", expression, "returnByValue", true))
        .at("/result/value")
        .asText();
  }

  /** Scripts that failed, and what the page must not do by its policy. */
  public List<String> complaints() {
    return List.copyOf(complaints);
  }

  @Override
  public void close() {
    if (socket != null) {
      socket.abort();
    }
    List<ProcessHandle> all =
        Stream.concat(process.descendants(), Stream.of(process.toHandle())).toList();
    all.forEach(ProcessHandle::destroyForcibly);
    all.forEach(one -> one.onExit().orTimeout(ANSWER_SECONDS_MAX, TimeUnit.SECONDS).join());
  }
}
