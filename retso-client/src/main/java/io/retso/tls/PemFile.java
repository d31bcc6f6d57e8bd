package io.retso.tls;

import io.retso.text.ErrorText;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Certificates, lists of revoked ones, or a key, in PEM (RFC 7468). Immutable. */
public final class PemFile {
  /** Bytes of a file, at most. */
  public static final int BYTES_MAX = 1 << 20;

  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\\s]*)-----END \\1-----");

  private record Block(String label, byte[] bytes) {}

  private final Path path;
  private final List<Block> blocks = new ArrayList<>();

  private PemFile(Path path, String text) throws TlsException {
    this.path = path;
    Matcher matcher = BLOCK.matcher(text);
    while (matcher.find()) {
      try {
        byte[] bytes = Base64.getMimeDecoder().decode(matcher.group(2));
        blocks.add(new Block(matcher.group(1), bytes));
      } catch (IllegalArgumentException e) {
        throw new TlsException(path + " has a block " + matcher.group(1) + " that is no base64", e);
      }
    }
  }

  /** Reads a file. */
  public static PemFile read(Path path) throws TlsException {
    return of(path, bytes(path));
  }

  /** What a file holds, byte by byte. */
  static byte[] bytes(Path path) throws TlsException {
    try {
      if (Files.size(path) > BYTES_MAX) {
        throw new TlsException(path + " has more than " + BYTES_MAX + " bytes, so it is no PEM");
      }
      return Files.readAllBytes(path);
    } catch (TlsException e) {
      throw e;
    } catch (IOException e) {
      throw new TlsException("cannot read " + ErrorText.of(e), e);
    }
  }

  /**
   * What a file holds.
   *
   * @param path for messages
   */
  public static PemFile of(Path path, byte[] bytes) throws TlsException {
    return new PemFile(path, new String(bytes, StandardCharsets.ISO_8859_1));
  }

  /** The certificates in their order; at least one. */
  public List<X509Certificate> certificates() throws TlsException {
    List<X509Certificate> found = new ArrayList<>();
    for (Block block : blocks) {
      if (block.label.equals("CERTIFICATE")) {
        try {
          found.add((X509Certificate) factory().generateCertificate(stream(block)));
        } catch (GeneralSecurityException e) {
          throw new TlsException(path + " has a certificate that cannot be read", e);
        }
      }
    }
    if (found.isEmpty()) {
      throw new TlsException(
          path + " has no certificate: it needs blocks -----BEGIN CERTIFICATE-----");
    }
    return found;
  }

  /** The lists of revoked certificates; mostly none. */
  List<X509CRL> revocations() throws TlsException {
    List<X509CRL> found = new ArrayList<>();
    for (Block block : blocks) {
      if (block.label.equals("X509 CRL")) {
        try {
          found.add((X509CRL) factory().generateCRL(stream(block)));
        } catch (GeneralSecurityException e) {
          throw new TlsException(
              path + " has a list of revoked certificates that cannot be read", e);
        }
      }
    }
    return found;
  }

  /** The one private key. */
  public PrivateKey key() throws TlsException {
    List<Block> keys = blocks.stream().filter(b -> b.label.endsWith("PRIVATE KEY")).toList();
    if (keys.size() != 1) {
      throw new TlsException(path + " has " + keys.size() + " private keys instead of one");
    }
    Block block = keys.get(0);
    if (!block.label.equals("PRIVATE KEY")) {
      throw new TlsException(
          path
              + " has a "
              + block.label.toLowerCase(Locale.ROOT)
              + ", which is not read: write it without a password in PKCS#8, with openssl pkcs8"
              + " -topk8 -nocrypt");
    }
    for (String algorithm : List.of("EC", "RSA", "EdDSA")) {
      try {
        return KeyFactory.getInstance(algorithm)
            .generatePrivate(new PKCS8EncodedKeySpec(block.bytes));
      } catch (InvalidKeySpecException e) {
        // Another algorithm may have made it.
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("this Java has no " + algorithm, e);
      }
    }
    throw new TlsException(path + " has a private key that is none of EC, RSA and EdDSA");
  }

  private static CertificateFactory factory() throws GeneralSecurityException {
    return CertificateFactory.getInstance("X.509");
  }

  private static ByteArrayInputStream stream(Block block) {
    return new ByteArrayInputStream(block.bytes);
  }
}
