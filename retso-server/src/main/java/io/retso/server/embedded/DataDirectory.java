package io.retso.server.embedded;

import io.retso.server.config.Obstacle;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The directory of an embedded log, which is its server's account's alone. Stateless. */
public final class DataDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(DataDirectory.class);

  private static final Set<PosixFilePermission> OWN =
      EnumSet.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  private DataDirectory() {}

  /**
   * Makes it if it is not there. One that other accounts may enter is closed to them: an operator
   * may not have thought of it, and it costs nothing.
   *
   * @throws IOException if it cannot be used, or cannot be closed; the message says what to do
   */
  public static void prepare(Path directory) throws IOException {
    try {
      make(directory);
      close(directory);
    } catch (FileSystemException e) {
      throw unusable(directory, e);
    }
  }

  /** What to say if the system does not let a server use it. */
  static IOException unusable(Path directory, FileSystemException e) {
    return new IOException(
        "the data directory "
            + directory
            + " cannot be used: "
            + ErrorText.of(e)
            + "; "
            + Obstacle.remedy(e, "choose another one, or move what is in its place"),
        e);
  }

  private static void make(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return; // perhaps by a link
    }
    Path parent = directory.toAbsolutePath().getParent();
    if (!Files.exists(parent)) {
      Files.createDirectories(parent);
    }
    if (directory.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Files.createDirectory(directory, PosixFilePermissions.asFileAttribute(OWN));
    } else {
      Files.createDirectory(directory);
    }
  }

  private static void close(Path directory) throws IOException {
    PosixFileAttributeView view =
        Files.getFileAttributeView(directory, PosixFileAttributeView.class);
    if (view == null || OWN.containsAll(view.readAttributes().permissions())) {
      return;
    }
    try {
      view.setPermissions(OWN);
    } catch (FileSystemException e) {
      throw new IOException(
          "other accounts may enter the data directory "
              + directory
              + ", and this one cannot change that: let it own the directory, or choose one below"
              + " it",
          e);
    }
    LOG.info("other accounts could enter the data directory {}; it is closed to them", directory);
  }
}
