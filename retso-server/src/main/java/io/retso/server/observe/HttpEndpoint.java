package io.retso.server.observe;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A few read-only pages over HTTP. Only GET of a known path is answered.
 *
 * <p>Bounded: two daemon threads, a short queue, and a time limit for requests and replies, so that
 * whoever connects here can take nothing from the oracle but these. Thread-safe.
 */
public final class HttpEndpoint implements AutoCloseable {
  /** A page, made anew for each request, on a thread of this end point. */
  interface Page {
    /**
     * Makes the page.
     *
     * @param accept the media types that the reader asked for, empty if it did not say
     */
    Reply get(String accept);
  }

  /** What a page says. */
  record Reply(int status, String contentType, String body) {
    static final String JSON = "application/json; charset=utf-8";
    static final String TEXT = "text/plain; charset=utf-8";
  }

  private static final Logger LOG = LoggerFactory.getLogger(HttpEndpoint.class);
  private static final int THREADS = 2;
  private static final int QUEUE_MAX = 16;
  private static final int BACKLOG = 16;
  private static final String REQUEST_SECONDS_MAX = "10";

  private static final int NOT_FOUND = 404;
  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int INTERNAL_ERROR = 500;

  static {
    // The JDK's server reads these once. Without them a client that sends half a request keeps a
    // thread for ever.
    setIfAbsent("sun.net.httpserver.maxReqTime", REQUEST_SECONDS_MAX);
    setIfAbsent("sun.net.httpserver.maxRspTime", REQUEST_SECONDS_MAX);
  }

  private final HttpServer server;
  private final ThreadPoolExecutor threads;
  private final Map<String, Page> pages;

  private HttpEndpoint(HttpServer server, Map<String, Page> pages) {
    this.server = server;
    this.pages = Map.copyOf(pages);
    AtomicInteger count = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            0,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(QUEUE_MAX), // beyond it the connection is closed
            task -> {
              Thread thread = new Thread(task, "http-" + count.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
  }

  private static void setIfAbsent(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  /**
   * Begins to answer.
   *
   * @param address port 0 takes any free one; see {@link #port}
   * @param pages the page of each path
   * @throws IOException if the address cannot be listened on; the message says what to change
   */
  public static HttpEndpoint start(InetSocketAddress address, Map<String, Page> pages)
      throws IOException {
    HttpServer server;
    try {
      server = HttpServer.create(address, BACKLOG);
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException(
          "cannot listen on "
              + address
              + " for HTTP: "
              + e.getMessage()
              + "; choose another http.host or http.port",
          e);
    }
    HttpEndpoint endpoint = new HttpEndpoint(server, pages);
    server.createContext("/", endpoint::handle);
    server.setExecutor(endpoint.threads);
    server.start();
    return endpoint;
  }

  /** The port it listens on. */
  public int port() {
    return server.getAddress().getPort();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Reply reply = reply(exchange);
      byte[] body = reply.body.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", reply.contentType);
      exchange.getResponseHeaders().set("Cache-Control", "no-store");
      exchange.sendResponseHeaders(reply.status, body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    }
  }

  private Reply reply(HttpExchange exchange) {
    Page page = pages.get(exchange.getRequestURI().getPath());
    if (page == null) {
      String known = String.join(", ", pages.keySet().stream().sorted().toList());
      return new Reply(NOT_FOUND, Reply.TEXT, "no such page; there are " + known + "\n");
    }
    if (!exchange.getRequestMethod().equals("GET")) {
      exchange.getResponseHeaders().set("Allow", "GET");
      return new Reply(METHOD_NOT_ALLOWED, Reply.TEXT, "only GET is allowed\n");
    }
    String accept = exchange.getRequestHeaders().getFirst("Accept");
    try {
      return page.get(accept == null ? "" : accept);
    } catch (RuntimeException e) {
      LOG.error("the page {} failed", exchange.getRequestURI().getPath(), e);
      return new Reply(INTERNAL_ERROR, Reply.TEXT, "internal error: " + e + "\n");
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
