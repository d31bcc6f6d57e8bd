package io.retso.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.local.LocalAddress;
import io.netty.channel.local.LocalChannel;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.local.LocalServerChannel;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslProvider;
import io.netty.pkitesting.CertificateBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Handshakes of both engines, and what is said of those that fail. */
@Timeout(60)
class TlsContextTest {
  private static final List<SslProvider> ENGINES = List.of(SslProvider.JDK, SslProvider.OPENSSL);

  @TempDir private Path directory;
  private TestAuthority authority;
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(2, LocalIoHandler.newFactory());

  static Stream<Arguments> engines() {
    return ENGINES.stream()
        .flatMap(server -> ENGINES.stream().map(client -> Arguments.of(server, client)));
  }

  @BeforeEach
  void make() throws Exception {
    authority = new TestAuthority(directory, "authority");
  }

  @AfterEach
  void stop() {
    loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  /** How a handshake ended for one side. */
  private static final class Side extends ChannelInboundHandlerAdapter {
    final CompletableFuture<Optional<String>> shown = new CompletableFuture<>();

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof SslHandshakeCompletionEvent handshake) {
        if (handshake.isSuccess()) {
          SslHandler tls = ctx.pipeline().get(SslHandler.class);
          assertEquals("TLSv1.3", tls.engine().getSession().getProtocol());
          shown.complete(
              TlsContext.certificateOf(tls)
                  .map(certificate -> certificate.getSubjectX500Principal().getName()));
        } else {
          shown.completeExceptionally(handshake.cause());
        }
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      shown.completeExceptionally(cause);
    }
  }

  /** Has a client and a server meet; the client takes the server for a host. */
  private Side[] meet(TlsContext server, TlsContext client, String host) throws Exception {
    Side accepted = new Side();
    Side connected = new Side();
    LocalAddress address = new LocalAddress(TlsContextTest.class);
    Channel listening =
        new ServerBootstrap()
            .group(loops)
            .channel(LocalServerChannel.class)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel
                        .pipeline()
                        .addLast(server.acceptEither(Runnable::run, 30_000), accepted);
                  }
                })
            .bind(address)
            .sync()
            .channel();
    new Bootstrap()
        .group(loops)
        .channel(LocalChannel.class)
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                channel
                    .pipeline()
                    .addLast(
                        client.connect(channel.alloc(), host, 7521, 30_000_000_000L), connected);
              }
            })
        .connect(listening.localAddress())
        .sync();
    return new Side[] {accepted, connected};
  }

  private static String failure(Side side) {
    ExecutionException e = assertThrows(ExecutionException.class, side.shown::get);
    assertTrue(TlsFailure.isOne(e.getCause()), e.toString());
    String text = TlsFailure.text(e.getCause());
    assertEquals(1, text.lines().count(), text);
    return text;
  }

  @Test
  void bothEnginesAreThere() throws Exception {
    assertTrue(OpenSsl.isAvailable(), String.valueOf(OpenSsl.unavailabilityCause()));
    assertEquals(SslProvider.OPENSSL, TlsContext.engine());
  }

  @ParameterizedTest
  @MethodSource("engines")
  void eachKnowsTheOther(SslProvider server, SslProvider client) throws Exception {
    TlsContext own = TlsContext.ofServer(authority.server("oracle"), server);
    Side[] both = meet(own, TlsContext.ofClient(authority.client("app"), client), "localhost");
    assertEquals(Optional.of("CN=oracle"), both[1].shown.get());
    assertEquals(Optional.of("CN=app"), both[0].shown.get());
    both = meet(own, TlsContext.ofClient(authority.nothing(), client), "127.0.0.1");
    assertEquals(Optional.of("CN=oracle"), both[1].shown.get());
    assertEquals(Optional.empty(), both[0].shown.get());
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aServerThatIsNotTrustedIsRefusedInPlainWords(SslProvider server, SslProvider client)
      throws Exception {
    TlsContext trusting = TlsContext.ofClient(authority.nothing(), client);
    TlsContext own = TlsContext.ofServer(authority.server("oracle"), server);
    assertEquals(
        "the certificate of CN=oracle is for localhost, 127.0.0.1, not for oracle.corp: correct the"
            + " address, or set the name that the server is to have",
        failure(meet(own, trusting, "oracle.corp")[1]));
    Instant now = Instant.now();
    TlsFiles expired =
        authority.sign("expired", named("expired").notAfter(now.minus(1, ChronoUnit.MINUTES)));
    String text = failure(meet(TlsContext.ofServer(expired, server), trusting, "localhost")[1]);
    assertTrue(text.matches("the certificate of CN=expired ended at \\S+: replace it"), text);
    TlsFiles early =
        authority.sign("early", named("early").notBefore(now.plus(1, ChronoUnit.HOURS)));
    text = failure(meet(TlsContext.ofServer(early, server), trusting, "localhost")[1]);
    assertTrue(text.contains("CN=early begins at") && text.contains("clocks"), text);
    TestAuthority another = new TestAuthority(directory.resolve("another"), "another");
    Side[] both =
        meet(TlsContext.ofServer(another.server("foreign"), server), trusting, "localhost");
    text = failure(both[1]);
    assertTrue(text.contains("CN=foreign is by CN=another, which " + authority.file), text);
    text = failure(both[0]);
    assertTrue(text.startsWith("the other side refused: "), text);
  }

  private static CertificateBuilder named(String name) {
    return TestAuthority.of(name).addSanDnsName("localhost");
  }

  @ParameterizedTest
  @MethodSource("engines")
  void aClientThatIsNotTrustedIsRefused(SslProvider server, SslProvider client) throws Exception {
    TlsContext own = TlsContext.ofServer(authority.server("oracle"), server);
    TlsFiles expired =
        authority.sign(
            "expired", TestAuthority.of("expired").notAfter(Instant.now().minusSeconds(60)));
    Side[] both = meet(own, TlsContext.ofClient(expired, client), "localhost");
    String text = failure(both[0]);
    assertTrue(text.contains("the certificate of CN=expired ended at"), text);
  }

  /** A list of each authority is needed then, which is of today. */
  @Test
  void aRevokedCertificateIsRefused() throws Exception {
    TlsContext own = TlsContext.ofServer(authority.server("oracle"));
    authority.client("other");
    authority.revoke("other");
    TlsContext trusting = TlsContext.ofClient(authority.nothing());
    meet(own, trusting, "localhost")[1].shown.get();
    authority.revoke("oracle");
    trusting = TlsContext.ofClient(authority.nothing());
    assertEquals(
        "the certificate of CN=oracle was revoked by its authority: replace it",
        failure(meet(own, trusting, "localhost")[1]));
  }

  @Test
  void changesAreSeenByWhatFilesHold() throws Exception {
    TlsFiles files = authority.server("oracle");
    TlsContext context = TlsContext.ofServer(files);
    assertFalse(context.isOlderThan(files));
    authority.server("oracle");
    assertTrue(context.isOlderThan(files));
  }

  @Test
  void filesThatCannotBeUsedAreNamed() throws Exception {
    TlsFiles files = authority.server("oracle");
    Path key = files.own().orElseThrow().key();
    Path certificate = files.own().orElseThrow().certificate();
    String pem = Files.readString(key);
    assertRefused(
        files,
        key,
        "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----",
        "has a ec private key, which is not read: write it without a password in PKCS#8");
    assertRefused(files, key, pem + pem, "has 2 private keys instead of one");
    assertRefused(files, key, "", "has 0 private keys");
    String none = Base64.getEncoder().encodeToString(new byte[40]);
    assertRefused(
        files,
        key,
        "-----BEGIN PRIVATE KEY-----\n" + none + "\n-----END PRIVATE KEY-----",
        "none of EC, RSA and EdDSA");
    TlsFiles other = authority.client("other");
    assertRefused(
        files,
        key,
        Files.readString(other.own().orElseThrow().key()),
        "is not the key of the certificate in");
    String certificates = Files.readString(certificate);
    assertRefused(files, certificate, "", "has no certificate");
    assertRefused(
        files,
        certificate,
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
        "cannot be read");
    TestAuthority.replace(certificate, certificates);
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw-r-----"));
    if (!Files.getAttribute(key, "unix:uid").equals(0)) {
      assertRefused(files, "can be read by others (rw-r-----); chmod 600 it");
    }
    Files.setPosixFilePermissions(key, PosixFilePermissions.fromString("rw----r--"));
    assertRefused(files, "can be read by others (rw----r--); chmod 600 it");
    Files.delete(key);
    assertRefused(files, "does not exist");
  }

  private static void assertRefused(TlsFiles files, Path file, String text, String why)
      throws Exception {
    String before = Files.readString(file);
    TestAuthority.replace(file, text);
    assertRefused(files, why);
    TestAuthority.replace(file, before);
  }

  private static void assertRefused(TlsFiles files, String why) {
    TlsException e = assertThrows(TlsException.class, () -> TlsContext.ofServer(files));
    assertTrue(e.getMessage().contains(why), e.getMessage());
  }
}
