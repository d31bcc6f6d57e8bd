package io.retso.tls;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/** Files with secrets, which their owner alone may read. Stateless. */
public final class PrivateFile {
  /** All but these let others know it, or change it. */
  private static final Set<PosixFilePermission> OWNERS =
      EnumSet.of(
          PosixFilePermission.OWNER_READ,
          PosixFilePermission.OWNER_WRITE,
          PosixFilePermission.OWNER_EXECUTE);

  private PrivateFile() {}

  /**
   * Makes a file. It is whole or not there, also after a crash.
   *
   * @throws FileAlreadyExistsException if there is one; it is not touched
   */
  public static void make(Path file, String text) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    Files.createDirectories(parent);
    Path whole = Files.createTempFile(parent, file.getFileName().toString(), ".new");
    try {
      if (Files.getFileAttributeView(whole, PosixFileAttributeView.class) != null) {
        Files.setPosixFilePermissions(whole, PosixFilePermissions.fromString("rw-------"));
      }
      Files.writeString(whole, text, StandardOpenOption.SYNC);
      Files.createLink(file, whole); // unlike a move it never replaces one
    } finally {
      Files.delete(whole);
    }
  }

  /**
   * What a file holds.
   *
   * @throws TlsException if others may read it, or it is too large
   */
  public static byte[] read(Path file, int bytesMax) throws IOException {
    PosixFileAttributeView view = Files.getFileAttributeView(file, PosixFileAttributeView.class);
    if (view != null) {
      checkOthers(file, view.readAttributes());
    }
    if (Files.size(file) > bytesMax) {
      throw new TlsException(
          file + " has more than " + bytesMax + " bytes: that is not what is needed here");
    }
    return Files.readAllBytes(file);
  }

  /** A file of root may be readable for a group, which is then the server's. */
  private static void checkOthers(Path file, PosixFileAttributes attributes) throws IOException {
    Set<PosixFilePermission> others = EnumSet.noneOf(PosixFilePermission.class);
    others.addAll(attributes.permissions());
    others.removeAll(OWNERS);
    if ((int) Files.getAttribute(file, "unix:uid") == 0) { // whose name a container may not know
      others.remove(PosixFilePermission.GROUP_READ);
    }
    if (!others.isEmpty()) {
      throw new TlsException(
          file
              + " can be read by others ("
              + PosixFilePermissions.toString(attributes.permissions())
              + "); chmod 600 it, and replace what it holds, as that may be known");
    }
  }
}
