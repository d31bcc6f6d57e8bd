package io.retso.server.observe;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import io.retso.server.observe.HttpEndpoint.Reply;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request over HTTP/1.1 and its reply, behind which the connection is closed. Whatever is not a
 * complete request of few bytes within the time limit is refused; so is whoever does not read.
 */
final class HttpConnection extends ChannelInboundHandlerAdapter {
  /** Bytes of a request line and its headers, at most. */
  static final int REQUEST_BYTES_MAX = 8 << 10;

  private static final Logger LOG = LoggerFactory.getLogger(HttpConnection.class);
  private static final byte[] END = {'\r', '\n', '\r', '\n'};

  private final HttpEndpoint endpoint;
  private final ByteBuf request = Unpooled.buffer(512, REQUEST_BYTES_MAX + 1);
  private ChannelHandlerContext context;
  private Future<?> limit;

  /** Its request is complete. */
  private boolean asked;

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
      int end = ByteBufUtil.indexOf(Unpooled.wrappedBuffer(END), request);
      if (end >= 0) {
        asked = true;
        reply(request.toString(0, end, StandardCharsets.ISO_8859_1))
            .thenAcceptAsync(this::answer, ctx.executor());
      } else if (request.readableBytes() > REQUEST_BYTES_MAX) {
        answer(new Reply(431, Reply.TEXT, "a request has at most 8 KiB\n"));
      }
    } finally {
      in.release();
    }
  }

  private CompletableFuture<Reply> reply(String head) {
    String[] lines = head.split("\r\n");
    String[] first = lines[0].split(" ");
    if (first.length != 3 || !first[2].startsWith("HTTP/1.")) {
      return refusal("not a request of HTTP/1.1\n");
    }
    String accept = "";
    for (String line : lines) {
      if (line.toLowerCase(Locale.ROOT).startsWith("accept:")) {
        accept = line.substring(line.indexOf(':') + 1).trim();
      }
    }
    String path;
    try {
      path = String.valueOf(URI.create(first[1]).getPath());
    } catch (IllegalArgumentException e) {
      return refusal("not a path\n");
    }
    boolean isFromHere =
        isSameMachine(
            (InetSocketAddress) context.channel().remoteAddress(),
            (InetSocketAddress) context.channel().localAddress());
    return endpoint.reply(first[0], path, accept, isFromHere);
  }

  /** Nobody else has this machine's address, or one of its loopback interface. */
  static boolean isSameMachine(InetSocketAddress peer, InetSocketAddress own) {
    return peer != null
        && (peer.getAddress().isLoopbackAddress() || peer.getAddress().equals(own.getAddress()));
  }

  private static CompletableFuture<Reply> refusal(String why) {
    return CompletableFuture.completedFuture(new Reply(400, Reply.TEXT, why));
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
            + "\r\nCache-Control: no-store\r\nConnection: close\r\n"
            + (reply.allow().isEmpty() ? "" : "Allow: " + reply.allow() + "\r\n")
            + "\r\n";
    ByteBuf all = Unpooled.copiedBuffer(head, StandardCharsets.ISO_8859_1);
    context
        .writeAndFlush(Unpooled.wrappedBuffer(all, body))
        .addListener(ChannelFutureListener.CLOSE);
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
    if (!(cause instanceof IOException)) { // a reset by the peer is no news
      LOG.error("an HTTP request failed", cause);
    }
    ctx.close();
  }
}
