package io.retso.tls;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.ExtendedKeyUsage;
import io.netty.pkitesting.CertificateBuilder.KeyUsage;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** An authority of tests, and what it signs, as files in PEM. */
public final class TestAuthority {
  private final Path directory;
  private final X509Bundle authority;

  /** The certificate of the authority. */
  public final Path file;

  public TestAuthority(Path directory, String name) throws Exception {
    this.directory = Files.createDirectories(directory);
    this.authority =
        new CertificateBuilder()
            .subject("CN=" + name)
            .setIsCertificateAuthority(true)
            .setKeyUsage(true, KeyUsage.keyCertSign, KeyUsage.cRLSign)
            .buildSelfSigned();
    this.file = directory.resolve(name + ".crt");
    Files.writeString(file, authority.getCertificatePEM());
  }

  /** Begins a certificate that is good for an hour. */
  public static CertificateBuilder of(String commonName) {
    Instant now = Instant.now();
    return new CertificateBuilder()
        .subject("CN=" + commonName)
        .notBefore(now.minus(1, ChronoUnit.HOURS))
        .notAfter(now.plus(1, ChronoUnit.HOURS))
        .addExtendedKeyUsage(ExtendedKeyUsage.PKIX_KP_SERVER_AUTH)
        .addExtendedKeyUsage(ExtendedKeyUsage.PKIX_KP_CLIENT_AUTH);
  }

  /** Files of a server on this machine. */
  public TlsFiles server(String commonName) throws Exception {
    return sign(commonName, of(commonName).addSanDnsName("localhost").addSanIpAddress("127.0.0.1"));
  }

  /** Files of a client. */
  public TlsFiles client(String commonName) throws Exception {
    return sign(commonName, of(commonName));
  }

  /** Files of somebody that shows nothing. */
  public TlsFiles nothing() {
    return new TlsFiles(file, Optional.empty());
  }

  /** Signs a certificate; files of that name are replaced. */
  public TlsFiles sign(String name, CertificateBuilder certificate) throws Exception {
    X509Bundle signed = certificate.buildIssuedBy(authority);
    Path own = directory.resolve(name + ".crt");
    replace(own, signed.getCertificatePathPEM());
    Path key = directory.resolve(name + ".key");
    replace(key, signed.getPrivateKeyPEM());
    return new TlsFiles(file, Optional.of(new TlsFiles.Own(own, key)));
  }

  X509Bundle bundle() {
    return authority;
  }

  /** Writes a file that its owner alone may read. */
  public static Path replace(Path file, String text) throws IOException {
    Path whole = Files.createTempFile(file.getParent(), "new", ".pem");
    Files.setPosixFilePermissions(whole, PosixFilePermissions.fromString("rw-------"));
    Files.writeString(whole, text, StandardCharsets.US_ASCII);
    return Files.move(
        whole,
        file,
        java.nio.file.StandardCopyOption.REPLACE_EXISTING,
        java.nio.file.StandardCopyOption.ATOMIC_MOVE);
  }
}
