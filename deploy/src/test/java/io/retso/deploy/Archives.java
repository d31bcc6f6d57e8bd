package io.retso.deploy;

import java.io.BufferedInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.ar.ArArchiveEntry;
import org.apache.commons.compress.archivers.ar.ArArchiveInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/** Unpacks what the build has packed. Stateless. */
final class Archives {
  private Archives() {}

  /** A {@code .tar.gz}; returns what is in it, in its order. */
  static List<TarArchiveEntry> unpackTarball(Path archive, Path target) throws IOException {
    try (InputStream in = new GZIPInputStream(new BufferedInputStream(open(archive)), 1 << 16)) {
      return unpack(in, target);
    }
  }

  /** The files of a {@code .deb}; returns what is in it, in its order. */
  static List<TarArchiveEntry> unpackDebian(Path archive, Path target) throws IOException {
    try (ArArchiveInputStream ar =
        new ArArchiveInputStream(new BufferedInputStream(open(archive)))) {
      for (ArArchiveEntry e = ar.getNextEntry(); e != null; e = ar.getNextEntry()) {
        if (e.getName().equals("data.tar")) {
          return unpack(ar, target);
        }
      }
    }
    throw new FileNotFoundException("data.tar in " + archive);
  }

  private static InputStream open(Path archive) throws IOException {
    return Files.newInputStream(archive);
  }

  private static List<TarArchiveEntry> unpack(InputStream in, Path target) throws IOException {
    List<TarArchiveEntry> entries = new ArrayList<>();
    TarArchiveInputStream tar = new TarArchiveInputStream(in);
    for (TarArchiveEntry e = tar.getNextEntry(); e != null; e = tar.getNextEntry()) {
      entries.add(e);
      Path file = target.resolve(e.getName()).normalize();
      if (e.isDirectory()) {
        Files.createDirectories(file);
      } else if (e.isSymbolicLink()) {
        Files.createDirectories(file.getParent());
        Files.createSymbolicLink(file, Path.of(e.getLinkName()));
      } else {
        Files.createDirectories(file.getParent());
        Files.copy(tar, file);
        boolean isProgram = (e.getMode() & 0100) != 0;
        Files.setPosixFilePermissions(
            file, PosixFilePermissions.fromString(isProgram ? "rwxr-xr-x" : "rw-r--r--"));
      }
    }
    return entries;
  }
}
