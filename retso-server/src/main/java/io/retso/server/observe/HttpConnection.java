package io.retso.server.observe;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.Future;
import io.retso.security.Peer;
import io.retso.server.observe.HttpEndpoint.Reply;
import io.retso.tls.TlsContext;
import io.retso.tls.TlsFailure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request over HTTP/1.1 and its reply, behind which the connection is closed: our side at once,
 * the other with the client's end, or at the time limit. A body is read and ignored meanwhile; if
 * the connection were closed before it, the system would take back the reply (RFC 9112, 9.6).
 * Whatever is not a complete request of few bytes within the time limit is refused; so is a client
 * that does not read.
 */
final class HttpConnection extends ChannelInboundHandlerAdapter {
  /** Bytes of a request line and its headers, at most. */
  static final int REQUEST_BYTES_MAX = 8 << 10;

  private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

  /** RFC 9110, 5.6.7. */
  private static final DateTimeFormatter DATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.US);

  private final HttpEndpoint endpoint;
  private final ByteBuf request = Unpooled.buffer(512, REQUEST_BYTES_MAX + 1);
  private ChannelHandlerContext context;
  private Future<?> limit;

  /** Its request is complete. */
  private boolean asked;

  /** The reply has no body. */
  private boolean headOnly;

  private boolean answered;

  HttpConnection(HttpEndpoint endpoint) {
    this.endpoint = endpoint;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    context = ctx;
    limit = ctx.executor().schedule(this::close, endpoint.timeLimitMillis(), TimeUnit.MILLISECONDS);
    endpoint.opened(this);
  }

  void close() {
    context.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      if (asked || answered) {
        return;
      }
      request.writeBytes(in, Math.min(in.readableBytes(), request.maxWritableBytes()));
      skipEmptyLines();
      int end = endOfHead();
      if (end >= 0) {
        asked = true;
        String head =
            request.toString(
                request.readerIndex(), end - request.readerIndex(), StandardCharsets.ISO_8859_1);
        reply(head).thenAcceptAsync(this::answer, ctx.executor());
      } else if (request.maxWritableBytes() == 0) {
        answer(new Reply(431, Reply.TEXT, "a request has at most 8 KiB\n"));
      }
    } finally {
      in.release();
    }
  }

  /** Some clients end their last body with them (RFC 9112, 2.2). */
  private void skipEmptyLines() {
    while (request.isReadable() && "\r\n".indexOf(request.getByte(request.readerIndex())) >= 0) {
      request.skipBytes(1);
    }
  }

  /** Where the empty line behind the head begins, or -1; a line may end without its CR. */
  private int endOfHead() {
    int from = request.readerIndex();
    int newLine = request.indexOf(from, request.writerIndex(), (byte) '\n');
    while (newLine >= 0) {
      int next = newLine + 1;
      if (next < request.writerIndex() && request.getByte(next) == '\r') {
        next++;
      }
      if (next < request.writerIndex() && request.getByte(next) == '\n') {
        return newLine + 1;
      }
      newLine = request.indexOf(newLine + 1, request.writerIndex(), (byte) '\n');
    }
    return -1;
  }

  private CompletableFuture<Reply> reply(String head) {
    headOnly = head.startsWith("HEAD ");
    HttpRequest asked;
    try {
      asked = HttpRequest.parse(head);
    } catch (HttpRequest.RefusedException e) {
      return CompletableFuture.completedFuture(e.reply());
    }
    InetSocketAddress remote = (InetSocketAddress) context.channel().remoteAddress();
    Peer peer =
        Peer.inClear(
            remote == null ? null : remote.getAddress(),
            (InetSocketAddress) context.channel().localAddress());
    SslHandler tls = context.pipeline().get(SslHandler.class);
    return endpoint.reply(
        asked, tls == null ? peer : peer.encrypted(TlsContext.certificateOf(tls)));
  }

  private void answer(Reply reply) {
    if (answered) { // it is closed
      return;
    }
    answered = true;
    ByteBuf body = Unpooled.copiedBuffer(reply.body(), StandardCharsets.UTF_8);
    String head =
        "HTTP/1.1 "
            + reply.status()
            + " "
            + phrase(reply.status())
            + "\r\nContent-Type: "
            + reply.contentType()
            + "\r\nContent-Length: "
            + body.readableBytes()
            + "\r\nDate: "
            + DATE.format(ZonedDateTime.now(ZoneOffset.UTC))
            + "\r\nCache-Control: no-store\r\nConnection: close\r\n"
            + (reply.allow().isEmpty() ? "" : "Allow: " + reply.allow() + "\r\n")
            + "\r\n";
    ByteBuf all = Unpooled.copiedBuffer(head, StandardCharsets.ISO_8859_1);
    context
        .writeAndFlush(headOnly ? all : Unpooled.wrappedBuffer(all, body))
        .addListener(written -> endOutput());
    if (headOnly) {
      body.release();
    }
  }

  /** With TLS the other side is told so by TLS itself, and closes. */
  private void endOutput() {
    if (context.pipeline().get(SslHandler.class) != null) {
      context.close();
    } else {
      ((SocketChannel) context.channel()).shutdownOutput();
    }
  }

  private static String phrase(int status) {
    return status < 300 ? "OK" : "Refused";
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    request.release();
    limit.cancel(false);
    answered = true;
    endpoint.closed(this);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (!(cause instanceof IOException)
        && !TlsFailure.isOne(cause)) { // a reset by the peer is no news
      LOG.error("an HTTP request failed", cause);
    }
    ctx.close();
  }
}
