package io.retso.security;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.protocol.Authentication.Level;
import io.retso.tls.TestAuthority;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccessFileTest {
  private static final String MODES = "tls required\nauth required\n";

  private static Access parse(String text) throws AccessException {
    return AccessFile.parse("access", text);
  }

  private static Optional<InetAddress> host(String address) throws Exception {
    return Optional.of(InetAddress.getByName(address));
  }

  @Test
  void rolesGoToPrincipalsAndPlaces() throws Exception {
    Access access =
        parse(
            """
            # all of it
              tls required   # blanks and comments are free
            auth optional
            may application app-* reports
            may application local from 127.0.0.0/8 ::1
            may operator admin from 10.1.2.3
            may metrics *
            """);
    assertEquals(Level.REQUIRED, access.tls());
    assertEquals(Level.OPTIONAL, access.authentication());
    Set<Role> application = Set.of(Role.APPLICATION, Role.METRICS);
    Set<Role> none = Set.of(Role.METRICS);
    assertEquals(application, access.rolesOf("app-1", Optional.empty()));
    assertEquals(application, access.rolesOf("reports", Optional.empty()));
    assertEquals(none, access.rolesOf("app", Optional.empty()));
    assertEquals(none, access.rolesOf("xapp-1", Optional.empty()));
    assertEquals(none, access.rolesOf("local", Optional.empty()), "it comes from nowhere");
    assertEquals(application, access.rolesOf("local", host("127.3.4.5")));
    assertEquals(application, access.rolesOf("local", host("::1")));
    assertEquals(none, access.rolesOf("local", host("128.0.0.1")));
    assertEquals(none, access.rolesOf("admin", host("10.1.2.4")));
    assertTrue(access.rolesOf("admin", host("10.1.2.3")).contains(Role.OPERATOR));
  }

  @Test
  void aPatternIsTakenLiterallyButForItsStars() throws Exception {
    Access access = parse(MODES + "may application a.b[c]*\\E(*\n");
    assertEquals(Set.of(Role.APPLICATION), access.rolesOf("a.b[c]-x\\E(y", Optional.empty()));
    assertEquals(Set.of(), access.rolesOf("aXb[c]\\E(", Optional.empty()));
  }

  @Test
  void namesComeFromCertificates(@TempDir Path directory) throws Exception {
    TestAuthority authority = new TestAuthority(directory, "authority");
    X509Certificate certificate =
        read(
            authority
                .sign(
                    "x",
                    TestAuthority.of("orders.eu")
                        .addSanUriName("spiffe://corp/ns/shop/sa/orders")
                        .addSanDnsName("orders.corp"))
                .own()
                .orElseThrow()
                .certificate());
    assertEquals(Optional.empty(), parse(MODES).principalOf(certificate));
    assertEquals("orders.eu", name("name CN (.*) = $1", certificate));
    assertEquals("eu/orders", name("name CN (.*)[.](.*) = $2/$1", certificate));
    assertEquals("orders.corp", name("name DNS .*[.]corp = orders.corp", certificate));
    String spiffe = "name URI spiffe://corp/ns/([^/]*)/sa/([^/]*) = $1/$2\n";
    assertEquals("shop/orders", name(spiffe + "name CN (.*) = $1", certificate), "the first");
    assertEquals(
        Optional.empty(),
        parse(MODES + "name CN orders = x").principalOf(certificate),
        "all of it");
    X509Certificate blank =
        read(authority.sign("y", TestAuthority.of("two words")).own().orElseThrow().certificate());
    Access access = parse(MODES + "name CN (.*) = $1");
    AccessException e = assertThrows(AccessException.class, () -> access.principalOf(blank));
    assertTrue(e.getMessage().contains("two words of this client"), e.getMessage());
  }

  private static String name(String lines, X509Certificate certificate) throws Exception {
    return parse(MODES + lines).principalOf(certificate).orElseThrow();
  }

  private static X509Certificate read(Path file) throws Exception {
    try (var in = Files.newInputStream(file)) {
      return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
    }
  }

  @Test
  void whatWasRevokedCountsNoMore() throws Exception {
    Access access =
        parse(
            MODES
                + "revoked principal bob before 2026-01-01T00:00:00Z\n"
                + "revoked principal eve\n"
                + "revoked token 0123456789abcdef\n");
    long before = Instant.parse("2025-12-31T23:59:59Z").toEpochMilli();
    access.checkRevoked("alice", "", before);
    access.checkRevoked("bob", "", before + 1_000);
    assertThrows(AccessException.class, () -> access.checkRevoked("bob", "", before));
    assertThrows(AccessException.class, () -> access.checkRevoked("eve", "", before + 1_000));
    String id = "0123456789abcdef";
    assertThrows(AccessException.class, () -> access.checkRevoked("alice", id, before));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "tls required | lacks a line \"auth required\"",
        "auth required | lacks a line \"tls required\"",
        "'' | lacks a line",
        "tls on;auth off | line 1: tls is off, optional or required",
        "tls off;tls off;auth off | line 2: tls was set before",
        "tls off;auth required | set tls to required, too",
        "tls optional;auth required | set tls to required, too",
        "M;grant x | line 3: 'grant' is not known",
        "M;may | roles are application, region-server, sweeper, operator, member, metrics, bench",
        "M;may king x | roles are",
        "M;may operator | write may operator PRINCIPAL",
        "M;may operator from ::1 | write may operator PRINCIPAL",
        "M;may operator x from | write may operator PRINCIPAL",
        "M;may operator x from localhost | localhost is no network",
        "M;may operator x from 10.0.0.0/33 | no network",
        "M;may operator x from 10.0.0.0/-1 | no network",
        "M;may operator x from 10.0.0/8x | no network",
        "M;name CN (.* = $1 | is no regular expression",
        "M;name CN (.*) = $2 | $1 to $1",
        "M;name CN (.*) = $x | is no principal",
        "M;name CN (.*) = a\\b | is no principal",
        "M;name O (.*) = $1 | write name CN PATTERN",
        "M;name CN (.*) $1 | write name CN PATTERN",
        "M;revoked bob | write revoked principal",
        "M;revoked principal bob before yesterday | yesterday is no time",
        "M;revoked principal bob after 2026-01-01T00:00:00Z | write revoked principal",
      })
  void whatIsNotUnderstoodIsRefusedWhole(String text, String why) {
    String lines = text.replace("M;", MODES.replace('\n', ';')).replace(';', '\n');
    AccessException e = assertThrows(AccessException.class, () -> parse(lines));
    assertTrue(e.getMessage().contains(why), e.getMessage());
    assertTrue(e.getMessage().startsWith("access"), e.getMessage());
  }

  @Test
  void aFileThatOthersCanChangeIsRefused(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("access"), MODES);
    for (String mode : new String[] {"rw-rw----", "rw-r--rw-"}) {
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
      AccessException e = assertThrows(AccessException.class, () -> AccessFile.read(file));
      assertTrue(e.getMessage().contains("can be changed by others: chmod"), e.getMessage());
    }
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertEquals(Level.REQUIRED, AccessFile.read(file).tls());
    Files.write(file, new byte[] {(byte) 0xff});
    assertThrows(AccessException.class, () -> AccessFile.read(file));
    Files.writeString(file, "#".repeat(AccessFile.BYTES_MAX + 1));
    assertThrows(AccessException.class, () -> AccessFile.read(file));
    Files.delete(file);
    AccessException e = assertThrows(AccessException.class, () -> AccessFile.read(file));
    assertTrue(e.getMessage().contains("does not exist"), e.getMessage());
  }

  @Test
  void filesAreToldApart() throws Exception {
    assertEquals(parse(MODES).digest(), parse(MODES).digest());
    assertFalse(parse(MODES).digest().equals(parse(MODES + "\n").digest()));
  }

  /** Any words lead to a policy or to a message of one line, to nothing else. */
  @Property(tries = 2_000)
  void noTextDoesHarm(@ForAll("texts") String text) {
    try {
      Access access = parse(MODES + text);
      access.rolesOf("some-principal", Optional.empty());
    } catch (AccessException e) {
      assertTrue(e.getMessage().startsWith("access"), e.getMessage());
      assertEquals(1, e.getMessage().lines().count(), e.getMessage());
    }
  }

  @Provide
  Arbitrary<String> texts() {
    Arbitrary<String> word =
        Arbitraries.oneOf(
            Arbitraries.of(
                "tls",
                "auth",
                "name",
                "may",
                "revoked",
                "CN",
                "=",
                "$1",
                "(.*)",
                "from",
                "before",
                "application",
                "10.0.0.0/8",
                "::/0",
                "principal",
                "token",
                "#",
                "*",
                "\\",
                "["),
            Arbitraries.strings().ofMaxLength(6));
    return word.list().ofMaxSize(12).map(words -> String.join(" ", words));
  }
}
