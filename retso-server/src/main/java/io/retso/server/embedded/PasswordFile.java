package io.retso.server.embedded;

import io.retso.log.bookkeeper.ZooKeeperAccess;
import io.retso.text.ErrorText;
import io.retso.tls.PrivateFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.apache.bookkeeper.conf.AbstractConfiguration;
import org.apache.bookkeeper.meta.exceptions.Code;
import org.apache.bookkeeper.meta.exceptions.MetadataException;

/**
 * The file from which a bookie has its password of ZooKeeper: a line for each, so that it can be
 * replaced. Bookies do not get the secret that it comes from. Stateless.
 */
final class PasswordFile {
  /** The key of a bookie's configuration that names it. */
  static final String KEY = "retsoZooKeeperPasswordFile";

  private static final int BYTES_MAX = 4096;

  private PasswordFile() {}

  /** A bookie's identity in ZooKeeper; none if its configuration names no file. */
  static ZooKeeperAccess access(AbstractConfiguration<?> conf) throws MetadataException {
    String file = conf.getString(KEY, "");
    if (file.isEmpty()) {
      return ZooKeeperAccess.OPEN;
    }
    try {
      String text =
          new String(PrivateFile.read(Path.of(file), BYTES_MAX), StandardCharsets.ISO_8859_1);
      List<String> lines = text.strip().lines().map(String::strip).toList();
      if (lines.isEmpty() || lines.contains("")) {
        throw new IOException(file + " has no password: make it with retso secure-log --password");
      }
      return ZooKeeperAccess.byPasswords(lines);
    } catch (IOException e) {
      throw new MetadataException(
          Code.METADATA_SERVICE_ERROR, KEY + " cannot be used: " + ErrorText.of(e), e);
    }
  }
}
