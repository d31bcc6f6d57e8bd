package io.retso.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OptionalSslHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * What connections begin TLS with, made of files as they were at one time. Connections that have
 * begun keep what they have. Immutable and thread-safe.
 */
public final class TlsContext {
  private static final String PROTOCOL = "TLSv1.3";

  private final SslContext context;
  private final byte[] digest;
  private final Optional<X509Certificate> shown;

  private TlsContext(SslContext context, byte[] digest, Optional<X509Certificate> shown) {
    this.context = context;
    this.digest = digest;
    this.shown = shown;
  }

  /** For a server, to which clients may show a certificate. */
  public static TlsContext ofServer(TlsFiles files) throws TlsException {
    return ofServer(files, engine());
  }

  static TlsContext ofServer(TlsFiles files, SslProvider engine) throws TlsException {
    byte[] digest = files.digest();
    TlsFiles.Shown shown =
        files.shown().orElseThrow(() -> new IllegalArgumentException("a server shows one"));
    SslContextBuilder builder =
        SslContextBuilder.forServer(shown.key(), shown.chain()).clientAuth(ClientAuth.OPTIONAL);
    return new TlsContext(build(builder, files, engine), digest, Optional.of(shown.chain().get(0)));
  }

  /** For a client, which checks the server's name. */
  public static TlsContext ofClient(TlsFiles files) throws TlsException {
    return ofClient(files, engine());
  }

  static TlsContext ofClient(TlsFiles files, SslProvider engine) throws TlsException {
    byte[] digest = files.digest();
    Optional<TlsFiles.Shown> shown = files.shown();
    SslContextBuilder builder =
        SslContextBuilder.forClient().endpointIdentificationAlgorithm("HTTPS");
    shown.ifPresent(own -> builder.keyManager(own.key(), own.chain()));
    return new TlsContext(
        build(builder, files, engine), digest, shown.map(own -> own.chain().get(0)));
  }

  private static SslContext build(SslContextBuilder builder, TlsFiles files, SslProvider engine)
      throws TlsException {
    try {
      return builder
          .sslProvider(engine)
          .protocols(PROTOCOL)
          .trustManager(Trust.in(files.authorities()))
          .build();
    } catch (SSLException e) {
      throw new TlsException(
          files.own().map(own -> own.certificate().toString()).orElse("TLS")
              + " cannot be used: "
              + TlsFailure.text(e),
          e);
    }
  }

  /** For the JDK's client of HTTP, which checks the server's name itself. */
  public static SSLContext forHttp(TlsFiles files) throws TlsException {
    return ((JdkSslContext) ofClient(files, SslProvider.JDK).context).context();
  }

  /** BoringSSL where it is there, otherwise the JDK's. */
  static SslProvider engine() {
    return OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;
  }

  /** Whether the files hold something else by now. */
  public boolean isOlderThan(TlsFiles files) throws TlsException {
    return !Arrays.equals(digest, files.digest());
  }

  /** When the own certificate ends; empty if none is shown. */
  public Optional<Instant> end() {
    return shown.map(certificate -> certificate.getNotAfter().toInstant());
  }

  /** What the other side has shown, when the handshake is over; empty if nothing. */
  public static Optional<X509Certificate> certificateOf(SslHandler handler) {
    try {
      Certificate[] chain = handler.engine().getSession().getPeerCertificates();
      return Optional.of((X509Certificate) chain[0]);
    } catch (SSLPeerUnverifiedException e) {
      return Optional.empty();
    }
  }

  /**
   * A handler for one connection of a server, which takes TLS and clear text: a record of TLS
   * begins with a byte with which no frame and no request of HTTP does.
   *
   * @param door does what takes long in a handshake
   * @param handshakeMillis after which a handshake has failed
   */
  public ChannelHandler acceptEither(Executor door, long handshakeMillis) {
    return new OptionalSslHandler(context) {
      @Override
      protected SslHandler newSslHandler(ChannelHandlerContext ctx, SslContext sslContext) {
        SslHandler handler = sslContext.newHandler(ctx.alloc(), door);
        handler.setHandshakeTimeoutMillis(handshakeMillis);
        return handler;
      }
    };
  }

  /**
   * A handler for one connection of a client.
   *
   * @param host the name that the server's certificate is to have; never one that was looked up
   */
  public SslHandler connect(ByteBufAllocator allocator, String host, int port, long nanos) {
    SslHandler handler = context.newHandler(allocator, host, port);
    handler.setHandshakeTimeout(nanos, TimeUnit.NANOSECONDS);
    return handler;
  }
}
