package io.retso.client.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.retso.text.ErrorText;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class SocketsTest {
  @Test
  @EnabledOnOs(
      value = OS.LINUX,
      architectures = {"amd64", "aarch64"})
  void linuxHasItsOwn() {
    assertEquals("epoll", Sockets.kind());
  }

  @Test
  void whyNoConnectionIsMadeIsSaidWithoutTheSystemCall() throws Exception {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, Sockets.handlers());
    try (Socket silent = new Socket()) {
      silent.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      Throwable cause =
          new Bootstrap()
              .group(group)
              .channel(Sockets.outgoing())
              .handler(new ChannelInboundHandlerAdapter())
              .connect(silent.getLocalSocketAddress())
              .await()
              .cause();
      String said = ErrorText.of(cause);
      assertTrue(said.startsWith("Connection refused"), said);
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
  }

  @Test
  void loopAndChannelsAreOfOneKind() throws Exception {
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, Sockets.handlers());
    try {
      Channel listening =
          new ServerBootstrap()
              .group(group)
              .channel(Sockets.listening())
              .childHandler(new ChannelInboundHandlerAdapter())
              .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
              .sync()
              .channel();
      Channel outgoing =
          new Bootstrap()
              .group(group)
              .channel(Sockets.outgoing())
              .handler(new ChannelInboundHandlerAdapter())
              .connect(listening.localAddress())
              .sync()
              .channel();
      assertTrue(outgoing.isActive());
    } finally {
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
  }
}
