package io.retso.server.config;

import io.retso.text.ErrorText;
import java.nio.file.AccessDeniedException;
import java.util.Optional;

/**
 * What a machine denies to a server, found in the exceptions that this leads to: memory, files,
 * threads, room on a disk, rights. Stateless.
 */
public enum Obstacle {
  OPEN_FILES("allow the process more open files (ulimit -n, or LimitNOFILE of its unit)"),
  DISK("free some space on the disk"),
  READ_ONLY("mount the file system for writing, or choose a directory on another one"),
  RIGHTS("let the user of the server read and write there, or choose another place"),
  THREADS("allow the user or container more processes (ulimit -u, TasksMax, the limit of pids)"),
  DIRECT_MEMORY("allow more memory outside of the heap: RETSO_OPTS=-XX:MaxDirectMemorySize=..."),
  HEAP("allow a larger heap: RETSO_OPTS=-Xmx..., as retso server --print-heap says"),
  INSTALLATION("a file of lib is missing or of another version: install ReTSO again");

  private final String remedy;

  Obstacle(String remedy) {
    this.remedy = remedy;
  }

  /** What to do about it, in a part of a sentence. */
  public String remedy() {
    return remedy;
  }

  /** What to do about what the machine denied, or otherwise. */
  public static String remedy(Throwable failure, String otherwise) {
    return of(failure).map(obstacle -> obstacle.remedy).orElse(otherwise);
  }

  /** What the machine denied; empty if it is something else that failed. */
  public static Optional<Obstacle> of(Throwable failure) {
    Obstacle found = null;
    for (Throwable e = failure; e != null && found == null; e = e.getCause()) {
      found = ofOne(e);
    }
    return Optional.ofNullable(found);
  }

  private static Obstacle ofOne(Throwable e) {
    String text = ErrorText.of(e);
    if (text.contains("Too many open files")) {
      return OPEN_FILES;
    } else if (text.contains("No space left on device") || text.contains("Disk quota exceeded")) {
      return DISK;
    } else if (text.contains("Read-only file system")) {
      return READ_ONLY;
    } else if (e instanceof AccessDeniedException || text.contains("Permission denied")) {
      return RIGHTS;
    } else if (text.contains("unable to create native thread")) {
      return THREADS;
    } else if (text.contains("direct memory") || text.contains("direct buffer memory")) {
      return DIRECT_MEMORY;
    } else if (e instanceof OutOfMemoryError) {
      return HEAP;
    }
    return isOfTheInstallation(e) ? INSTALLATION : null;
  }

  private static boolean isOfTheInstallation(Throwable e) {
    return e instanceof LinkageError
        && !(e instanceof ExceptionInInitializerError) // whatever its cause is
        && !(e instanceof UnsatisfiedLinkError); // nor is a library of the system
  }
}
