package io.retso.server.commands;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.ExtendedKeyUsage;
import io.netty.pkitesting.CertificateBuilder.KeyUsage;
import io.netty.pkitesting.X509Bundle;
import io.netty.util.NetUtil;
import io.retso.text.ErrorText;
import io.retso.tls.PemFile;
import io.retso.tls.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * An authority for those who have none: a directory with its certificate and key, and what it
 * signs. Keys are of the curve P-256. Blocking; for one thread.
 */
final class Authority {
  static final String CERTIFICATE = "ca.crt";
  static final String KEY = "ca.key";
  private static final Duration LIFE = Duration.ofDays(3_650);

  /** What BookKeeper has before roles in the OU of a certificate. */
  private static final String ROLE_CODE = "0:";

  /** Clocks may differ by so much. */
  private static final Duration SLACK = Duration.ofHours(1);

  private final Path directory;
  private final X509Bundle bundle;

  private Authority(Path directory, X509Bundle bundle) {
    this.directory = directory;
    this.bundle = bundle;
  }

  /** Makes one in a directory that is empty or not there. */
  static Authority make(Path directory) throws IOException {
    makePrivate(directory);
    try (var entries = Files.list(directory)) {
      if (entries.findAny().isPresent()) {
        throw new IOException(
            directory + " is not empty: name another directory, or use retso secure issue there");
      }
    }
    CertificateBuilder own =
        begun("ReTSO authority", LIFE)
            .setIsCertificateAuthority(true)
            .setKeyUsage(true, KeyUsage.keyCertSign, KeyUsage.cRLSign);
    try {
      X509Bundle bundle = own.buildSelfSigned();
      PrivateFile.make(directory.resolve(KEY), bundle.getPrivateKeyPEM());
      Files.writeString(directory.resolve(CERTIFICATE), bundle.getCertificatePEM());
      return new Authority(directory, bundle);
    } catch (IOException e) {
      throw e;
    } catch (Exception e) { // the builder throws all that there is
      throw new IOException("the authority cannot be made: " + ErrorText.of(e), e);
    }
  }

  /** The one that was made in a directory. */
  static Authority open(Path directory) throws IOException {
    Path keyFile = directory.resolve(KEY);
    X509Certificate certificate =
        PemFile.read(directory.resolve(CERTIFICATE)).certificates().get(0);
    byte[] key = PrivateFile.read(keyFile, PemFile.BYTES_MAX);
    KeyPair pair = new KeyPair(certificate.getPublicKey(), PemFile.of(keyFile, key).key());
    return new Authority(directory, X509Bundle.fromRootCertificateAuthority(certificate, pair));
  }

  Path certificate() {
    return directory.resolve(CERTIFICATE);
  }

  /**
   * Signs a certificate, in a directory of its own below this one, which has what its owner needs.
   *
   * @param role in which bookies know its owner; empty for none
   * @param hosts names and addresses of a server; none for a client
   */
  Path issue(String name, String role, List<String> hosts, Duration life) throws IOException {
    Path own = directory.resolve(name);
    if (Files.exists(own)) {
      throw new IOException(
          own + " exists: move it away, and its certificate goes on to count until it ends");
    }
    CertificateBuilder certificate =
        begun(name + (role.isEmpty() ? "" : ",OU=" + ROLE_CODE + role), life)
            .setKeyUsage(true, KeyUsage.digitalSignature)
            .addExtendedKeyUsage(ExtendedKeyUsage.PKIX_KP_CLIENT_AUTH);
    if (!hosts.isEmpty()) {
      certificate.addExtendedKeyUsage(ExtendedKeyUsage.PKIX_KP_SERVER_AUTH);
    }
    for (String host : hosts) {
      if (NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host)) {
        certificate.addSanIpAddress(host);
      } else {
        certificate.addSanDnsName(host);
      }
    }
    try {
      X509Bundle signed = certificate.buildIssuedBy(bundle);
      makePrivate(own);
      PrivateFile.make(own.resolve("tls.key"), signed.getPrivateKeyPEM());
      Files.writeString(
          own.resolve("tls.crt"), signed.getCertificatePEM(), StandardCharsets.US_ASCII);
      Files.copy(certificate(), own.resolve(CERTIFICATE));
      return own;
    } catch (IOException e) {
      throw e;
    } catch (Exception e) { // the builder throws all that there is
      throw new IOException("no certificate for " + name + ": " + ErrorText.of(e), e);
    }
  }

  private static CertificateBuilder begun(String name, Duration life) {
    Instant now = Instant.now();
    return new CertificateBuilder()
        .ecp256()
        .subject("CN=" + name)
        .notBefore(now.minus(SLACK))
        .notAfter(now.plus(life));
  }

  private static void makePrivate(Path directory) throws IOException {
    Files.createDirectories(directory);
    if (Files.getFileAttributeView(directory, PosixFileAttributeView.class) != null) {
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
    }
  }
}
