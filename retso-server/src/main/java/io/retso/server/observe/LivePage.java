package io.retso.server.observe;

import io.retso.server.observe.HttpEndpoint.Reply;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;

/** The page for people at {@code /}: its files, and the events that it shows. Stateless. */
final class LivePage {
  private static final int OK = 200;
  private static final int NOT_ACCEPTABLE = 406;
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";
  private static final Pattern TAKES_EVENTS = Pattern.compile("text/event-stream|text/\\*|\\*/\\*");

  private LivePage() {}

  /**
   * The files by their paths, which are read once.
   *
   * @throws UncheckedIOException if one is missing: then this server was not built as a whole
   */
  static Map<String, Reply> files() {
    Properties libraries = new Properties();
    String plot;
    try (InputStream in = open("libraries.properties")) {
      libraries.load(in);
      plot = "/META-INF/resources/webjars/uplot/" + libraries.getProperty("uplot") + "/dist/";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Map.of(
        "/", read("page.html", "text/html; charset=utf-8"),
        "/page.css", read("page.css", STYLE),
        "/page.js", read("page.js", SCRIPT),
        "/uplot.css", read(plot + "uPlot.min.css", STYLE),
        "/uplot.js", read(plot + "uPlot.iife.min.js", SCRIPT));
  }

  private static Reply read(String name, String contentType) {
    try (InputStream in = open(name)) {
      return new Reply(OK, contentType, new String(in.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static InputStream open(String name) throws IOException {
    InputStream in = LivePage.class.getResourceAsStream(name);
    if (in == null) {
      throw new IOException(name + " is not on the class path: ./mvnw clean package");
    }
    return in;
  }

  /** One event (a stream of them is that of the HTML standard, 9.2): what is known of a server. */
  static String event(StatusReport status, HotReport hot) {
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("status", status.map());
    all.put("hot", hot.map());
    return "data: " + Json.line(all) + "\n";
  }

  /** The reply to a client that wants to be told events. */
  static Reply events(String accept, String event) {
    return accept.isEmpty() || TAKES_EVENTS.matcher(accept).find()
        ? new Reply(OK, Reply.EVENTS, event)
        : new Reply(
            NOT_ACCEPTABLE,
            Reply.TEXT,
            "this is a stream of events: accept text/event-stream, or read /status\n");
  }
}
