package io.retso.server.observe;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.retso.client.sockets.Sockets;
import io.retso.protocol.Authentication.Level;
import io.retso.security.AccessControl;
import io.retso.security.Audit;
import io.retso.security.Peer;
import io.retso.text.Addresses;
import io.retso.text.ErrorText;
import io.retso.tls.TlsContext;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A few pages over HTTP, which are read with GET or HEAD, and actions, which are done with POST.
 *
 * <p>Bounded, so that a client that connects here can take nothing from the oracle but these: one
 * daemon thread, which waits for no client; {@value #CONNECTIONS_MAX} connections, of which the
 * oldest gives way to a new one, so that idle ones keep no client out; one request each, of {@value
 * HttpConnection#REQUEST_BYTES_MAX} bytes, within {@value #TIME_LIMIT_MILLIS} ms; {@value
 * #STREAMS_MAX} connections more that are told events until they end, or do not read {@value
 * #UNREAD_BYTES_MAX} bytes of them. Thread-safe.
 */
public final class HttpEndpoint implements AutoCloseable {
  /** A page, made anew for each request, on the thread of this end point: it must not block. */
  interface Page {
    /**
     * Makes the page.
     *
     * @param accept the media types that the reader asked for, empty if it did not say
     * @param caller the client that reads
     */
    Reply get(String accept, HttpCaller caller);
  }

  /** What can be asked for; called on the thread of this end point: it must not block. */
  interface Action {
    /** Completes, on any thread, when it is done or refused. */
    CompletableFuture<Reply> run(HttpCaller caller);
  }

  /**
   * What a page says.
   *
   * @param allow the methods that would have been right; empty for none
   */
  record Reply(int status, String contentType, String body, String allow) {
    static final String JSON = "application/json; charset=utf-8";
    static final String TEXT = "text/plain; charset=utf-8";

    /** One event, as it is written: the next ones are asked for until the client goes. */
    static final String EVENTS = "text/event-stream; charset=utf-8";

    Reply(int status, String contentType, String body) {
      this(status, contentType, body, "");
    }

    boolean isEvents() {
      return contentType.equals(EVENTS);
    }
  }

  private static final int METHOD_NOT_ALLOWED = 405;
  private static final int NOT_IMPLEMENTED = 501;

  /**
   * Those that HTTP knows and a page or an action may refuse; of others we do not know anything.
   */
  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH");

  static final int CONNECTIONS_MAX = 64;

  /** Connections that are told events, at most. */
  static final int STREAMS_MAX = 16;

  /** Bytes that wait for a client, in this process and about as many in the system's. */
  static final int UNREAD_BYTES_MAX = 64 << 10;

  private static final int UNAVAILABLE = 503;

  /** To one that wants to be told events. */
  static final Reply TOO_MANY =
      new Reply(
          UNAVAILABLE,
          Reply.TEXT,
          STREAMS_MAX + " clients are told events already: close a page, or read /status\n");

  /** From the connection to the end of its reply. */
  static final long TIME_LIMIT_MILLIS = 5_000;

  private static final Logger LOG = LoggerFactory.getLogger(HttpEndpoint.class);
  private static final int BACKLOG = 64;
  private static final int NOT_FOUND = 404;
  private static final int INTERNAL_ERROR = 500;

  private final MultiThreadIoEventLoopGroup thread =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("http", true), Sockets.handlers());

  /**
   * What may be had by which client.
   *
   * @param tls what connections begin TLS with; empty if there is none
   * @param actsFromAnywhere whether actions are taken from other machines, where clients need not
   *     identify themselves
   * @param names that this server has, in lower case
   */
  public record Access(
      AccessControl control,
      Supplier<Optional<TlsContext>> tls,
      boolean actsFromAnywhere,
      Set<String> names) {}

  private static final int FORBIDDEN = 403;

  private static final Reply NOT_MEANT =
      new Reply(
          FORBIDDEN,
          Reply.TEXT,
          "an action needs the header X-Retso-Action: 1, and the server's address or name as"
              + " Host\n");

  private final Map<String, Page> pages;
  private final Map<String, Action> actions;
  private final Access access;
  private final long timeLimitMillis;

  /** The oldest first; of the thread. */
  private final Set<HttpConnection> connections = new LinkedHashSet<>();

  /** Those that are told events and give way to none; of the thread. */
  private final Set<HttpConnection> streams = new HashSet<>();

  private Channel listening;

  private HttpEndpoint(
      Map<String, Page> pages, Map<String, Action> actions, Access access, long timeLimitMillis) {
    this.pages = Map.copyOf(pages);
    this.actions = Map.copyOf(actions);
    this.access = access;
    this.timeLimitMillis = timeLimitMillis;
  }

  /**
   * Begins to answer.
   *
   * @param address port 0 takes any free one; see {@link #port}
   * @param pages the page of each path
   * @param actions the action of each path
   * @param access which callers may have what
   * @throws IOException if the address cannot be listened on; the message says what to change
   */
  public static HttpEndpoint start(
      InetSocketAddress address,
      Map<String, Page> pages,
      Map<String, Action> actions,
      Access access)
      throws IOException {
    return start(address, pages, actions, access, TIME_LIMIT_MILLIS);
  }

  /** Like the other, with a time limit of one's own. */
  public static HttpEndpoint start(
      InetSocketAddress address,
      Map<String, Page> pages,
      Map<String, Action> actions,
      Access access,
      long timeLimitMillis)
      throws IOException {
    HttpEndpoint endpoint = new HttpEndpoint(pages, actions, access, timeLimitMillis);
    try {
      endpoint.listening = endpoint.bootstrap().bind(address).sync().channel();
      return endpoint;
    } catch (InterruptedException e) {
      endpoint.close();
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while binding " + Addresses.text(address), e);
    } catch (Exception e) { // Netty throws checked exceptions past the compiler
      endpoint.close();
      throw new IOException(
          "cannot listen on "
              + Addresses.text(address)
              + " for HTTP: "
              + ErrorText.of(e)
              + "; choose another http.host or http.port",
          e);
    }
  }

  private ServerBootstrap bootstrap() {
    return new ServerBootstrap()
        .group(thread)
        .channel(Sockets.listening())
        .option(ChannelOption.SO_BACKLOG, BACKLOG)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.SO_SNDBUF, UNREAD_BYTES_MAX)
        .childOption(
            ChannelOption.WRITE_BUFFER_WATER_MARK,
            new WriteBufferWaterMark(UNREAD_BYTES_MAX / 2, UNREAD_BYTES_MAX))
        .childHandler(
            new ChannelInitializer<SocketChannel>() {
              @Override
              protected void initChannel(SocketChannel channel) {
                if (access.control.tls() != Level.OFF) {
                  access
                      .tls
                      .get()
                      .ifPresent(
                          tls ->
                              channel
                                  .pipeline()
                                  .addLast(tls.acceptEither(Runnable::run, timeLimitMillis)));
                }
                HttpConnection.serve(channel.pipeline(), HttpEndpoint.this);
              }
            });
  }

  /** The port it listens on. */
  public int port() {
    return ((InetSocketAddress) listening.localAddress()).getPort();
  }

  // For connections, on the thread.

  long timeLimitMillis() {
    return timeLimitMillis;
  }

  void opened(HttpConnection connection) {
    if (connections.size() >= CONNECTIONS_MAX) {
      connections.iterator().next().close();
    }
    connections.add(connection);
  }

  /** Whether one may stay and be told events, as there are not too many of these. */
  boolean keeps(HttpConnection connection) {
    return streams.size() < STREAMS_MAX
        && connections.remove(connection)
        && streams.add(connection);
  }

  void closed(HttpConnection connection) {
    connections.remove(connection);
    streams.remove(connection);
  }

  CompletableFuture<Reply> reply(RequestHead request, Peer peer) {
    if (!METHODS.contains(request.method())) {
      return done(new Reply(NOT_IMPLEMENTED, Reply.TEXT, "an unknown method\n"));
    }
    String path = request.path();
    Page page = pages.get(path);
    Action action = actions.get(path);
    if (page == null && action == null) {
      String known = String.join(", ", pages.keySet().stream().sorted().toList());
      return done(new Reply(NOT_FOUND, Reply.TEXT, "no such page; there are " + known + "\n"));
    }
    String allowed = page == null ? "POST" : "GET, HEAD";
    if (!List.of(allowed.split(", ")).contains(request.method())) {
      String text = "allowed here: " + allowed + "\n";
      return done(new Reply(METHOD_NOT_ALLOWED, Reply.TEXT, text, allowed));
    }
    HttpCaller caller =
        HttpCaller.of(access.control, peer, request.token(), access.actsFromAnywhere);
    if (action != null) {
      audit(request, peer, caller);
    }
    try {
      if (page != null) {
        return done(page.get(request.accept(), caller));
      }
      return isMeant(request) ? action.run(caller) : done(NOT_MEANT);
    } catch (RuntimeException e) {
      LOG.error("the page {} failed", path, e);
      return done(new Reply(INTERNAL_ERROR, Reply.TEXT, "internal error: " + e + "\n"));
    }
  }

  private void audit(RequestHead request, Peer peer, HttpCaller caller) {
    Audit.Event event =
        Audit.Event.of(caller.mayAct() ? Audit.Kind.ACTED : Audit.Kind.REFUSED)
            .of(peer)
            .of(caller.identity().orElse(null))
            .with("path", request.path())
            .with("text", caller.mayAct() ? "" : caller.refusal());
    access.control.audit().record(event);
  }

  /**
   * A page in a browser on the server's machine could ask for an action, too; so could one that has
   * this server's address go by a name of its own.
   */
  private boolean isMeant(RequestHead request) {
    String host = request.host().replaceFirst(":\\d*$", "");
    String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    return request.isMeant()
        && (NetUtil.isValidIpV4Address(bare)
            || NetUtil.isValidIpV6Address(bare)
            || access.names.contains(bare.toLowerCase(Locale.ROOT)));
  }

  private static CompletableFuture<Reply> done(Reply reply) {
    return CompletableFuture.completedFuture(reply);
  }

  /** The thread may end without a look at what is open, so that is closed before. */
  @Override
  public void close() {
    if (!thread.isShuttingDown()) {
      thread.submit(this::closeAll).awaitUninterruptibly(1_000);
    }
    thread.shutdownGracefully(0, 1_000, TimeUnit.MILLISECONDS).awaitUninterruptibly(2_000);
  }

  private void closeAll() {
    if (listening != null) {
      listening.close();
    }
    List.copyOf(connections).forEach(HttpConnection::close);
    List.copyOf(streams).forEach(HttpConnection::close);
  }
}
