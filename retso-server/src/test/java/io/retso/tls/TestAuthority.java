package io.retso.tls;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.CertificateBuilder.ExtendedKeyUsage;
import io.netty.pkitesting.CertificateBuilder.KeyUsage;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** An authority of tests, and what it signs, as files in PEM. */
public final class TestAuthority {
  private final Path directory;
  private final X509Bundle authority;
  private final Map<String, X509Bundle> signedLast = new HashMap<>();

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

  /** Begins a certificate that is good for a month. */
  public static CertificateBuilder of(String commonName) {
    Instant now = Instant.now();
    return new CertificateBuilder()
        .subject("CN=" + commonName)
        .notBefore(now.minus(1, ChronoUnit.HOURS))
        .notAfter(now.plus(30, ChronoUnit.DAYS))
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

  /** Files that were signed under a name before. */
  public TlsFiles files(String name) {
    Path own = directory.resolve(name + ".crt");
    return new TlsFiles(file, Optional.of(new TlsFiles.Own(own, directory.resolve(name + ".key"))));
  }

  /** Files of somebody that shows nothing. */
  public TlsFiles nothing() {
    return new TlsFiles(file, Optional.empty());
  }

  /** Signs a certificate; files of that name are replaced. */
  public TlsFiles sign(String name, CertificateBuilder certificate) throws Exception {
    X509Bundle signed = certificate.buildIssuedBy(authority);
    signedLast.put(name, signed);
    replace(directory.resolve(name + ".crt"), signed.getCertificatePathPEM());
    replace(directory.resolve(name + ".key"), signed.getPrivateKeyPEM());
    return files(name);
  }

  /** Adds a list of revoked certificates to its file, of which that name's is one. */
  void revoke(String name) throws Exception {
    char[] password = "password".toCharArray();
    Path store = directory.resolve("authority.p12");
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, password);
    X509Certificate[] chain = {authority.getCertificate()};
    keys.setKeyEntry("authority", authority.getKeyPair().getPrivate(), password, chain);
    try (OutputStream out = Files.newOutputStream(store)) {
      keys.store(out, password);
    }
    Process made =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-gencrl",
                "-rfc",
                "-alias",
                "authority",
                "-keystore",
                store.toString(),
                "-storepass",
                "password",
                "-id",
                signedLast.get(name).getCertificate().getSerialNumber().toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    String list = new String(made.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    if (made.waitFor() != 0) {
      throw new IOException("keytool: " + list);
    }
    replace(file, authority.getCertificatePEM() + "\n" + list);
  }

  /** Writes a file that its owner alone may read. */
  public static Path replace(Path file, String text) throws IOException {
    Path whole = Files.createTempFile(file.getParent(), "new", ".pem");
    Files.setPosixFilePermissions(whole, PosixFilePermissions.fromString("rw-------"));
    Files.writeString(whole, text, StandardCharsets.US_ASCII);
    return Files.move(
        whole, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
  }
}
