package io.retso.server.observe;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.DateFormatter;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.DefaultLastHttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.retso.security.Peer;
import io.retso.server.observe.HttpEndpoint.Reply;
import io.retso.tls.TlsContext;
import io.retso.tls.TlsFailure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Date;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request over HTTP/1.1 and its reply, behind which the connection is closed: our side at once,
 * the other with the client's end, or at the time limit. A body is read and ignored meanwhile; if
 * the connection were closed before it, the system would take back the reply (RFC 9112, 9.6).
 * Whatever is not a complete request of few bytes within the time limit is refused; so is a client
 * that does not read.
 *
 * <p>A reply of events has no end: each second the client is told what it would get if it asked
 * again. It may be refused then, as its rights are looked at again, and is disconnected.
 */
final class HttpConnection extends ChannelInboundHandlerAdapter {
  /** Bytes of a request line and its headers, at most. */
  static final int REQUEST_BYTES_MAX = 8 << 10;

  /** Bytes of a request line, at most. */
  private static final int LINE_BYTES_MAX = 2 << 10;

  private static final long EVENT_MILLIS = 1_000;

  /** A browser takes nothing else from elsewhere, runs no script within a page, and frames none. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);

  private final HttpEndpoint endpoint;
  private ChannelHandlerContext context;

  /** What ends the connection, or tells the next event. */
  private Future<?> timer;

  /** Null until it is complete and understood. */
  private RequestHead request;

  private Peer peer;

  /** Its request is complete. */
  private boolean asked;

  /** The reply has no body. */
  private boolean headOnly;

  private boolean answered;

  private HttpConnection(HttpEndpoint endpoint) {
    this.endpoint = endpoint;
  }

  /** Has a connection serve one request. */
  static void serve(ChannelPipeline pipeline, HttpEndpoint endpoint) {
    HttpDecoderConfig config =
        new HttpDecoderConfig()
            .setMaxInitialLineLength(LINE_BYTES_MAX)
            .setMaxHeaderSize(REQUEST_BYTES_MAX - LINE_BYTES_MAX)
            .setInitialBufferSize(512)
            .setStrictLineParsing(false); // a line may end without its CR (RFC 9112, 2.2)
    pipeline.addLast(
        new HttpRequestDecoder(config), new HttpResponseEncoder(), new HttpConnection(endpoint));
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    context = ctx;
    timer = ctx.executor().schedule(this::close, endpoint.timeLimitMillis(), TimeUnit.MILLISECONDS);
    endpoint.opened(this);
  }

  void close() {
    context.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (!asked && message instanceof HttpRequest complete) {
      asked = true;
      ctx.pipeline().remove(HttpRequestDecoder.class); // what comes behind it is not understood
      ask(complete);
    }
    ReferenceCountUtil.release(message);
  }

  private void ask(HttpRequest complete) {
    headOnly = complete.method().equals(HttpMethod.HEAD);
    try {
      request = RequestHead.of(complete);
    } catch (RequestHead.RefusedException e) {
      answer(e.reply());
      return;
    }
    InetSocketAddress remote = (InetSocketAddress) context.channel().remoteAddress();
    peer =
        Peer.inClear(
            remote == null ? null : remote.getAddress(),
            (InetSocketAddress) context.channel().localAddress());
    SslHandler tls = context.pipeline().get(SslHandler.class);
    if (tls != null) {
      peer = peer.encrypted(TlsContext.certificateOf(tls));
    }
    endpoint.reply(request, peer).thenAcceptAsync(this::answer, context.executor());
  }

  private void answer(Reply made) {
    if (answered) { // it is closed
      return;
    }
    answered = true;
    boolean goesOn = made.isEvents() && !headOnly && endpoint.keeps(this);
    Reply reply = made.isEvents() && !headOnly && !goesOn ? HttpEndpoint.TOO_MANY : made;
    ByteBuf body = text(reply.body());
    context.write(head(reply, body.readableBytes()));
    if (headOnly) {
      body.release();
      body = Unpooled.EMPTY_BUFFER;
    }
    if (goesOn) {
      timer.cancel(false);
      timer =
          context
              .executor()
              .scheduleAtFixedRate(this::goOn, EVENT_MILLIS, EVENT_MILLIS, TimeUnit.MILLISECONDS);
      context.writeAndFlush(new DefaultHttpContent(body));
    } else {
      context.writeAndFlush(new DefaultLastHttpContent(body)).addListener(written -> endOutput());
    }
  }

  private static HttpResponse head(Reply reply, int bytes) {
    HttpResponse head =
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(reply.status()));
    HttpHeaders fields =
        head.headers()
            .set("Content-Type", reply.contentType())
            .set("Date", DateFormatter.format(new Date()))
            .set("Cache-Control", "no-store")
            .set("Connection", "close")
            .set("Content-Security-Policy", POLICY)
            .set("X-Content-Type-Options", "nosniff")
            .set("Referrer-Policy", "no-referrer");
    if (!reply.isEvents()) {
      fields.set("Content-Length", bytes);
    }
    if (!reply.allow().isEmpty()) {
      fields.set("Allow", reply.allow());
    }
    return head;
  }

  private static ByteBuf text(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
  }

  /** Tells the next event to a client that has read the others, and may still have it. */
  private void goOn() {
    if (context.channel().isWritable()) {
      endpoint.reply(request, peer).thenAccept(this::tell);
    } else {
      close();
    }
  }

  private void tell(Reply reply) {
    if (reply.isEvents()) {
      context.writeAndFlush(new DefaultHttpContent(text(reply.body())));
    } else {
      close();
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

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    timer.cancel(false);
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
