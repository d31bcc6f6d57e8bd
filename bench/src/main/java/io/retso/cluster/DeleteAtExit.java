package io.retso.cluster;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Deletes the data of a run if this process is ended from outside, by SIGINT or SIGTERM: first it
 * kills the processes that this one has started, as they write there. Until it is closed: whoever
 * gets that far knows whether the data is still wanted.
 *
 * <p>Thread-safe.
 */
public final class DeleteAtExit implements AutoCloseable {
  /** What still runs in this process may write between two deletions, or start another one. */
  private static final int ATTEMPTS_MAX = 20;

  private final Path directory;
  private final Thread hook = new Thread(this::delete, "delete-data");

  private DeleteAtExit(Path directory) {
    this.directory = directory;
  }

  /** From now on; the directory need not be there yet. */
  public static DeleteAtExit of(Path directory) {
    DeleteAtExit delete = new DeleteAtExit(directory);
    Runtime.getRuntime().addShutdownHook(delete.hook);
    return delete;
  }

  private void delete() {
    for (int attempt = 1; ; attempt++) {
      killChildren();
      try {
        Directories.delete(directory);
        return;
      } catch (IOException e) {
        if (attempt == ATTEMPTS_MAX) {
          System.err.println(directory + " cannot be deleted: " + e.getMessage() + "; delete it");
          return;
        }
      }
    }
  }

  private static void killChildren() {
    ProcessHandle.current()
        .descendants()
        .forEach(
            child -> {
              if (child.destroyForcibly()) {
                child.onExit().join();
              }
            });
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending: the hook runs, or has run.
    }
  }
}
