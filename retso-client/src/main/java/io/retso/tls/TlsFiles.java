package io.retso.tls;

import io.retso.text.ErrorText;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;

/**
 * Where the certificates of one side are, in PEM. They may be replaced at any time, by files or by
 * links to others: what counts is what they hold.
 *
 * @param authorities certificates of authorities whose certificates are trusted, and nothing of
 *     which others sign; if it also has lists of revoked certificates, one of each authority is
 *     needed
 * @param own the certificate that is shown to the other side, empty for none
 */
public record TlsFiles(Path authorities, Optional<Own> own) {
  /**
   * What a side shows.
   *
   * @param certificate followed by those of the authorities between it and a trusted one
   * @param key its private key, in PKCS#8, which its owner alone may read
   */
  public record Own(Path certificate, Path key) {}

  /** A certificate and its key. */
  record Shown(List<X509Certificate> chain, PrivateKey key) {}

  /** A fingerprint of what the files hold now. */
  public byte[] digest() throws TlsException {
    try {
      MessageDigest sha = MessageDigest.getInstance("SHA-256");
      sha.update(PemFile.bytes(authorities));
      if (own.isPresent()) {
        sha.update(PemFile.bytes(own.get().certificate));
        sha.update(PemFile.bytes(own.get().key));
      }
      return sha.digest();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java has no SHA-256", e);
    }
  }

  /** What is shown; its key must be that of its certificate. */
  Optional<Shown> shown() throws TlsException {
    if (own.isEmpty()) {
      return Optional.empty();
    }
    Path keyFile = own.get().key;
    List<X509Certificate> chain = PemFile.read(own.get().certificate).certificates();
    PrivateKey key = PemFile.of(keyFile, secret(keyFile)).key();
    if (!isPair(new KeyPair(chain.get(0).getPublicKey(), key))) {
      throw new TlsException(
          keyFile + " is not the key of the certificate in " + own.get().certificate);
    }
    return Optional.of(new Shown(chain, key));
  }

  private static byte[] secret(Path file) throws TlsException {
    try {
      return PrivateFile.read(file, PemFile.BYTES_MAX);
    } catch (TlsException e) {
      throw e;
    } catch (IOException e) {
      throw new TlsException("cannot read " + ErrorText.of(e), e);
    }
  }

  private static boolean isPair(KeyPair pair) {
    String algorithm =
        switch (pair.getPrivate().getAlgorithm()) {
          case "EC" -> "SHA256withECDSA";
          case "RSA" -> "SHA256withRSA";
          default -> "EdDSA";
        };
    try {
      byte[] text = {1, 2, 3};
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(pair.getPrivate());
      signature.update(text);
      byte[] signed = signature.sign();
      signature.initVerify(pair.getPublic());
      signature.update(text);
      return signature.verify(signed);
    } catch (GeneralSecurityException e) {
      return false; // they are of different algorithms
    }
  }
}
