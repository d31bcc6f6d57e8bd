package io.retso.log.bookkeeper;

import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that remembers which log's catalog had at least which version. ZooKeeper silently drops
 * the end of its own log behind the first damaged byte, and an embedded one has no second copy: its
 * catalog is then older than the log, or there is none, and a server would begin as if nothing had
 * been. A file that is older than the catalog does no harm, so it is written after the catalog.
 *
 * <p>Not thread-safe.
 */
final class CatalogWitness {
  private static final Logger LOG = LoggerFactory.getLogger(CatalogWitness.class);

  private final Path file;

  CatalogWitness(Path file) {
    this.file = file;
  }

  /** Remembers a version of the catalog. A failure is logged only: the log does not rest on it. */
  void remember(String logId, int version) {
    Path part = file.resolveSibling(file.getFileName() + ".part");
    try (FileChannel channel =
        FileChannel.open(
            part,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      String text = logId + " " + version + "\n";
      channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
      channel.force(true);
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      LOG.warn("cannot write {}: {}", file, e.toString());
    }
  }

  /**
   * Compares a catalog with what is remembered.
   *
   * @throws LogException {@link Reason#LOST} if it is another log's or older
   */
  void check(String logId, int version) throws LogException {
    String[] known = known();
    if (known.length != 2) {
      return;
    }
    if (!known[0].equals(logId) || Integer.parseInt(known[1]) > version) {
      throw new LogException(
          Reason.LOST,
          "ZooKeeper has version "
              + version
              + " of the catalog of log "
              + logId
              + ", but "
              + file
              + " remembers version "
              + known[1]
              + " of log "
              + known[0]
              + ": ZooKeeper's data was lost or damaged");
    }
  }

  private String[] known() {
    try {
      String text = Files.exists(file) ? Files.readString(file, StandardCharsets.ISO_8859_1) : "";
      if (text.matches("\\S+ [0-9]{1,9}\n")) {
        return text.trim().split(" ");
      }
      if (!text.isEmpty()) {
        LOG.warn("{} is damaged and counts for nothing", file);
      }
    } catch (IOException e) {
      LOG.warn("cannot read {}: {}", file, e.toString());
    }
    return new String[0];
  }
}
