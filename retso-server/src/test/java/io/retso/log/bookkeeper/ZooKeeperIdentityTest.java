package io.retso.log.bookkeeper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.Await;
import io.retso.log.LogEntry;
import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import io.retso.member.Roster;
import io.retso.server.members.ZooKeeperRoster;
import io.retso.tls.TestAuthority;
import io.retso.tls.TlsFiles;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.Stat;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;
import org.apache.zookeeper.server.auth.DigestLoginModule;
import org.apache.zookeeper.server.auth.ProviderRegistry;
import org.apache.zookeeper.server.auth.SASLAuthenticationProvider;
import org.apache.zookeeper.server.auth.X509AuthenticationProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A ZooKeeper that knows servers by what their connection says. ZooKeeper's settings are those of
 * the process: they are put back.
 */
@Timeout(60)
class ZooKeeperIdentityTest {
  private static final String ZNODE = "/retso/log";

  @TempDir private Path directory;
  private final Map<String, String> before = new HashMap<>();
  private ServerCnxnFactory connections;

  private void set(String property, Object value) {
    before.put(property, System.getProperty(property));
    System.setProperty(property, value.toString());
  }

  @AfterEach
  void putBack() {
    if (connections != null) {
      connections.shutdown();
    }
    before.forEach(
        (property, value) -> {
          if (value == null) {
            System.clearProperty(property);
          } else {
            System.setProperty(property, value);
          }
        });
    Configuration.setConfiguration(null);
    ProviderRegistry.reset();
  }

  private String start(ServerCnxnFactory made, boolean isSecure) throws Exception {
    connections = made;
    made.configure(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100, -1, isSecure);
    Path data = directory.resolve("data");
    made.startup(new ZooKeeperServer(data.toFile(), data.toFile(), 500));
    return "127.0.0.1:" + made.getLocalPort();
  }

  /** What a server makes, as it sees it itself. */
  private static void makesNodesOf(String zookeeper, String id) throws Exception {
    ZooKeeperAccess own = ZooKeeperAccess.byConnection();
    Roster.Entry member = new Roster.Entry("a:1", "a:2", true, LogEntry.newestVersion(), 0);
    try (ZooKeeperCatalog catalog =
            ZooKeeperCatalog.connect(zookeeper, own, ZNODE, Duration.ofSeconds(10));
        ZooKeeperRoster roster = ZooKeeperRoster.connect(zookeeper, own, ZNODE, () -> 0)) {
      roster.publish(member);
      Await.until(() -> roster.members().equals(List.of(member)));
      for (String node : List.of("/retso", ZNODE, ZNODE + "-members")) {
        assertEquals(id, catalog.client().getACL(node, new Stat()).get(0).getId().toString(), node);
      }
    }
  }

  private static void isKeptOut(String zookeeper, ZKClientConfig stranger) throws Exception {
    ZooKeeper session = new ZooKeeper(zookeeper, 10_000, event -> {}, stranger);
    try {
      Await.until(() -> session.getState().isConnected());
      assertThrows(
          KeeperException.NoAuthException.class, () -> session.getData(ZNODE, false, null));
      assertThrows(KeeperException.NoAuthException.class, () -> session.delete(ZNODE, -1));
    } finally {
      session.close();
    }
  }

  private static String pem(TlsFiles files, Path file) throws Exception {
    TlsFiles.Own own = files.own().orElseThrow();
    return Files.writeString(
            file, Files.readString(own.key()) + "\n" + Files.readString(own.certificate()))
        .toString();
  }

  @Test
  void byCertificate() throws Exception {
    TestAuthority authority = new TestAuthority(directory.resolve("ca"), "authority");
    set(
        "zookeeper.ssl.keyStore.location",
        pem(authority.server("member"), directory.resolve("member.pem")));
    set("zookeeper.ssl.keyStore.type", "PEM");
    set(
        "zookeeper.ssl.trustStore.location",
        Files.copy(authority.file, directory.resolve("ca.pem")));
    set("zookeeper.ssl.trustStore.type", "PEM");
    set("zookeeper.authProvider.x509", X509AuthenticationProvider.class.getName());
    set("zookeeper.serverCnxnFactory", "org.apache.zookeeper.server.NettyServerCnxnFactory");
    set("zookeeper.client.secure", true);
    set("zookeeper.clientCnxnSocket", "org.apache.zookeeper.ClientCnxnSocketNetty");
    ProviderRegistry.reset();
    String zookeeper = start(ServerCnxnFactory.createFactory(), true);
    makesNodesOf(zookeeper, "'x509,'CN=member\n");
    ZKClientConfig stranger = new ZKClientConfig();
    stranger.setProperty(
        "zookeeper.ssl.keyStore.location",
        pem(authority.client("stranger"), directory.resolve("stranger.pem")));
    isKeptOut(zookeeper, stranger);
  }

  @Test
  void bySasl() throws Exception {
    Map<String, ?> users = Map.of("user_retso", "word");
    Map<String, ?> user = Map.of("username", "retso", "password", "word");
    Configuration.setConfiguration(
        new Configuration() {
          @Override
          public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
            return new AppConfigurationEntry[] {
              new AppConfigurationEntry(
                  DigestLoginModule.class.getName(),
                  LoginModuleControlFlag.REQUIRED,
                  name.equals("Server") ? users : user)
            };
          }
        });
    set("zookeeper.fips-mode", false); // otherwise it takes Kerberos only
    set("zookeeper.sasl.client", true);
    set("zookeeper.authProvider.sasl", SASLAuthenticationProvider.class.getName());
    ProviderRegistry.reset();
    String zookeeper = start(new NIOServerCnxnFactory(), false);
    makesNodesOf(zookeeper, "'sasl,'retso\n");
    ZKClientConfig stranger = new ZKClientConfig();
    stranger.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
    isKeptOut(zookeeper, stranger);
  }

  /** A server that says so and is nobody to ZooKeeper makes no node. */
  @Test
  void nobodyMakesNothing() throws Exception {
    set("zookeeper.sasl.client", false);
    String zookeeper = start(new NIOServerCnxnFactory(), false);
    LogException e =
        assertThrows(
            LogException.class,
            () ->
                ZooKeeperCatalog.connect(
                    zookeeper, ZooKeeperAccess.byConnection(), ZNODE, Duration.ofSeconds(10)));
    assertEquals(Reason.LOCKED, e.reason(), e.getMessage());
  }
}
