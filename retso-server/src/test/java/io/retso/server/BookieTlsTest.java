package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.pkitesting.CertificateBuilder;
import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.bookkeeper.BookKeeperSettings;
import io.retso.log.bookkeeper.BookKeeperStore;
import io.retso.log.bookkeeper.BookieAccess;
import io.retso.server.config.Settings;
import io.retso.server.embedded.EmbeddedBookKeeper;
import io.retso.tls.TestAuthority;
import io.retso.tls.TlsFiles;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.tls.BookieAuthZFactory;
import org.apache.bookkeeper.tls.TLSContextFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Bookies that are spoken to by TLS, and go by the roles of certificates. */
@Timeout(120)
class BookieTlsTest {
  @TempDir private Path directory;
  private TestAuthority authority;
  private EmbeddedBookKeeper cluster;

  @BeforeEach
  void start() throws Exception {
    authority = new TestAuthority(directory.resolve("ca"), "authority");
    authority.server("bookie");
    sign("member", "CN=member,OU=0:retso");
    sign("operator", "CN=operator,OU=0:other");
    authority.client("app");
    cluster = EmbeddedBookKeeper.start(directory.resolve("log"), 1, false, this::secure);
  }

  private void sign(String name, String subject) throws Exception {
    CertificateBuilder certificate =
        TestAuthority.of(name)
            .subject(subject)
            .addSanDnsName("localhost")
            .addSanIpAddress("127.0.0.1");
    authority.sign(name, certificate);
  }

  /** What docs/security.md gives bookies. */
  private void secure(ServerConfiguration bookie) {
    TlsFiles.Own own = authority.files("bookie").own().orElseThrow();
    bookie.setTLSProviderFactoryClass(TLSContextFactory.class.getName());
    bookie.setTLSClientAuthentication(true);
    bookie.setTLSKeyStoreType("PEM");
    bookie.setTLSKeyStore(own.key().toString());
    bookie.setTLSCertificatePath(own.certificate().toString());
    bookie.setTLSTrustStoreType("PEM");
    bookie.setTLSTrustStore(authority.file.toString());
    bookie.setBookieAuthProviderFactoryClass(BookieAuthZFactory.class.getName());
    bookie.setAuthorizedRoles("retso");
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
  }

  private BookieAccess as(String name) {
    TlsFiles.Own own = authority.files(name).own().orElseThrow();
    return BookieAccess.byCertificate(own.certificate(), own.key(), authority.file);
  }

  private BookKeeperStore store(BookieAccess access) throws LogException {
    return BookKeeperStore.connect(
        BookKeeperSettings.of(cluster.zookeeper(), 1, 1, 1)
            .withBookies(access)
            .withTimeouts(Duration.ofSeconds(2), Duration.ofSeconds(2)));
  }

  /** Makes a ledger with one entry. */
  private long write(BookieAccess access) throws LogException {
    try (BookKeeperStore store = store(access)) {
      LedgerStore.Ledger ledger = store.createForNobody().join();
      CompletableFuture<LogException> appended = new CompletableFuture<>();
      ledger.append(ByteBuffer.wrap(new byte[9]), 0, (at, failure) -> appended.complete(failure));
      if (appended.join() != null) {
        throw appended.join();
      }
      return ledger.id();
    }
  }

  @Test
  void onlyServersOfTheLogAreServed() throws Exception {
    long ledger = write(as("member"));
    assertEquals(1, read(as("member"), ledger));
    for (BookieAccess other : List.of(BookieAccess.OPEN, as("app"), as("operator"))) {
      assertThrows(LogException.class, () -> write(other));
      assertThrows(CompletionException.class, () -> read(other, ledger));
    }
  }

  /** Fences it. */
  private long read(BookieAccess access, long ledger) throws Exception {
    try (BookKeeperStore store = store(access);
        LedgerStore.Entries entries = store.openFenced(ledger).join()) {
      entries.read(0, 1, Runnable::run, bytes -> {}).join();
      return entries.count();
    }
  }

  /** A bookie that shows the certificate of another host may be anybody. */
  @Test
  void theNameOfABookieIsLookedAt() throws Exception {
    authority.sign("bookie", TestAuthority.of("bookie").addSanDnsName("elsewhere.corp"));
    cluster.stopBookie(0);
    cluster.startBookie(0);
    assertThrows(LogException.class, () -> write(as("member")));
    authority.server("bookie");
    cluster.stopBookie(0);
    cluster.startBookie(0);
    write(as("member"));
  }

  @Test
  void serversKeepTheirLogThere() throws Exception {
    TransactionHandle open;
    try (RetsoServer server = server()) {
      try (OracleClient client = client(server)) {
        open = client.begin();
      }
    }
    try (RetsoServer server = server();
        OracleClient client = client(server)) {
      assertTrue(client.commit(open, 1).isCommitted());
    }
  }

  private RetsoServer server() throws Exception {
    TlsFiles.Own own = authority.files("member").own().orElseThrow();
    return RetsoServer.start(
        TestServers.member(cluster.zookeeper())
            .set(Settings.LOG_ENSEMBLE, 1)
            .set(Settings.LOG_TLS, true)
            .set(Settings.TLS_CERTIFICATE, own.certificate())
            .set(Settings.TLS_KEY, own.key())
            .set(Settings.TLS_CA, authority.file)
            .build());
  }

  private static OracleClient client(RetsoServer server) {
    return OracleClient.builder().address("127.0.0.1:" + server.port()).build();
  }
}
