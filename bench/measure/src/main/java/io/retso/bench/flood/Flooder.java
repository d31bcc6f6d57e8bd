package io.retso.bench.flood;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/** One connection of a flood. Of the flood's event loop. */
final class Flooder extends ChannelInboundHandlerAdapter {
  private final Flood flood;
  private final FloodRun run;
  private ChannelHandlerContext context;

  Flooder(Flood flood, FloodRun run) {
    this.flood = flood;
    this.run = run;
  }

  ChannelHandlerContext context() {
    return context;
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    context = ctx;
    if (flood.tls() == Flood.Tls.NONE) {
      begin();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake && handshake.isSuccess()) {
      begin();
    }
  }

  private void begin() {
    run.done();
    flood.connected(this);
  }

  void hello() {
    ByteBuf hello = context.alloc().ioBuffer(128);
    Flood.writeHello(hello);
    send(hello);
  }

  void send(ByteBuf bytes) {
    context.writeAndFlush(bytes, context.voidPromise());
  }

  /** Does something later, unless the connection is over by then. */
  void later(long time, TimeUnit unit, Runnable task) {
    context
        .executor()
        .schedule(
            () -> {
              if (context.channel().isActive()) {
                task.run();
              }
            },
            time,
            unit);
  }

  /** Has both sides take other keys with the next bytes; returns whether that can be asked for. */
  boolean updateKeys() {
    try {
      context.pipeline().get(SslHandler.class).engine().beginHandshake();
      run.done();
      return true;
    } catch (SSLException e) {
      close();
      return false;
    }
  }

  void close() {
    context.close();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ReferenceCountUtil.release(message);
    flood.answered(this);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    run.closed(false);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close(); // the server may end it at any time
  }
}
