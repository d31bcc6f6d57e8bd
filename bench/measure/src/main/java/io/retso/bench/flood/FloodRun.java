package io.retso.bench.flood;

import io.netty.channel.socket.SocketChannel;
import io.netty.handler.ssl.SslHandler;
import io.retso.bench.load.Crowd;
import io.retso.cluster.ClusterException;
import io.retso.cluster.SecuredFiles;
import io.retso.tls.TlsContext;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/**
 * A flood under way, from four loopback addresses of as many networks: the server has places for
 * each network. Thread-safe.
 */
final class FloodRun extends Crowd {
  private static final long HANDSHAKE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final AtomicLong done = new AtomicLong();
  private final Flood flood;
  private final TlsContext tls;
  private final SSLContext jdk;

  FloodRun(Flood flood, InetSocketAddress server, SecuredFiles files) throws ClusterException {
    super("flood", server, "127.0.1.2", "127.0.2.2", "127.0.3.2", "127.0.4.2");
    this.flood = flood;
    tls = files.ofStranger();
    jdk = files.sockets("");
    open(flood.connections());
  }

  @Override
  protected void prepare(SocketChannel channel) {
    String host = server.getHostString();
    switch (flood.tls()) {
      case USUAL ->
          channel
              .pipeline()
              .addLast(tls.connect(channel.alloc(), host, server.getPort(), HANDSHAKE_NANOS));
      case JDK -> {
        SSLEngine engine = jdk.createSSLEngine(host, 0);
        engine.setUseClientMode(true);
        channel.pipeline().addLast(new SslHandler(engine));
      }
      case NONE -> {}
    }
    channel.pipeline().addLast(new Flooder(flood, this));
  }

  /** Something of the flood was done once more. */
  void done() {
    done.incrementAndGet();
  }

  /** How often a connection got as far as it wants to, or did what it does again. */
  long count() {
    return done.get();
  }
}
