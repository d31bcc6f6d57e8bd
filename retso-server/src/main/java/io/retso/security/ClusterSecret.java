package io.retso.security;

import io.retso.tls.PrivateFile;
import io.retso.tls.TlsException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What only the servers of one log know. It never leaves this class: what others get are keys that
 * are derived from it, each for one purpose and one log, of which none tells anything of another.
 *
 * <p>A file of it has one or two lines of base64, each of {@value #BYTES_MIN} bytes or more. The
 * first makes what is made, both check it: so a secret is replaced while the servers go on, by
 * adding the new one as the second line everywhere, then making it the first, then dropping the old
 * one. Immutable; has no text.
 */
public final class ClusterSecret {
  /** Bytes of a line, at least. */
  public static final int BYTES_MIN = 32;

  /** Bytes of a key. */
  public static final int KEY_BYTES = 16;

  private static final int LINES_MAX = 2;
  private static final int FILE_BYTES_MAX = 4096;
  private static final String HMAC = "HmacSHA256";

  private final List<byte[]> lines;

  private ClusterSecret(List<byte[]> lines) {
    this.lines = lines;
  }

  /** A new one that ends with the process. */
  public static ClusterSecret random() {
    return new ClusterSecret(List.of(randomBytes()));
  }

  private static byte[] randomBytes() {
    byte[] bytes = new byte[BYTES_MIN];
    new SecureRandom().nextBytes(bytes);
    return bytes;
  }

  /**
   * One that each client can work out, as the id of the log is told to all: it keeps none of them
   * out. For servers that are told to be insecure.
   */
  public static ClusterSecret knownToAll() {
    return new ClusterSecret(List.of(new byte[BYTES_MIN]));
  }

  /**
   * Makes a file with a new secret.
   *
   * @throws FileAlreadyExistsException if there is one; it is not touched
   */
  public static void make(Path file) throws IOException {
    PrivateFile.make(file, Base64.getEncoder().encodeToString(randomBytes()) + "\n");
  }

  /** Reads a file, which is made if it is not there: for a server that has a log of its own. */
  public static ClusterSecret readOrMake(Path file) throws IOException, SecretException {
    if (!Files.exists(file)) {
      try {
        make(file);
      } catch (FileAlreadyExistsException e) {
        // Another process was faster, and its secret is as good.
      }
    }
    return read(file);
  }

  /**
   * Reads a file.
   *
   * @throws SecretException if it is not there, holds no secret, or others can read it
   */
  public static ClusterSecret read(Path file) throws IOException, SecretException {
    String text;
    try {
      text = new String(PrivateFile.read(file, FILE_BYTES_MAX), StandardCharsets.ISO_8859_1);
    } catch (NoSuchFileException e) {
      throw new SecretException("there is no secret " + file + "; " + remedy(file));
    } catch (TlsException e) {
      throw new SecretException(e.getMessage());
    }
    List<byte[]> lines = new ArrayList<>();
    for (String line : text.strip().split("\\s*\\R\\s*")) {
      lines.add(line(file, line));
    }
    if (lines.size() > LINES_MAX) {
      throw new SecretException(
          file + " has " + lines.size() + " lines; keep the new secret and the one before it");
    }
    return new ClusterSecret(List.copyOf(lines));
  }

  private static byte[] line(Path file, String line) throws SecretException {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(line);
    } catch (IllegalArgumentException e) {
      bytes = new byte[0];
    }
    if (bytes.length < BYTES_MIN) {
      throw new SecretException(
          file + " is no secret: a line is not base64 of 32 bytes or more; " + remedy(file));
    }
    return bytes;
  }

  private static String remedy(Path file) {
    return "make one with ./retso secret " + file + ", and give each server of the log the same";
  }

  /** Whether it has the lines of another one. */
  public boolean isSameAs(ClusterSecret other) {
    return Arrays.deepEquals(lines.toArray(), other.lines.toArray());
  }

  /**
   * Keys for one purpose, of {@value #KEY_BYTES} bytes each: for each line one, in their order.
   *
   * @param log the id of the log: what serves one is of no use at another
   */
  public List<byte[]> keys(String purpose, String log) {
    byte[] what = ("retso " + purpose + "|" + log).getBytes(StandardCharsets.UTF_8);
    List<byte[]> keys = new ArrayList<>();
    for (byte[] line : lines) {
      try {
        Mac hmac = Mac.getInstance(HMAC);
        hmac.init(new SecretKeySpec(line, HMAC));
        keys.add(Arrays.copyOf(hmac.doFinal(what), KEY_BYTES));
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException("this Java has no " + HMAC, e);
      }
    }
    return keys;
  }
}
