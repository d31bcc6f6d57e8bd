package io.retso.cluster;

import io.retso.text.ErrorText;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Cleans up if this process is ended from outside, by SIGINT or SIGTERM: it kills the processes
 * that this one has started, one that is stopped (SIGSTOP) too, which would never see that its
 * parent is gone. Then it deletes the data of the run, unless that is to be kept. Until it is
 * closed: a run that gets that far knows what is still wanted.
 *
 * <p>Thread-safe.
 */
public final class DeleteAtExit implements AutoCloseable {
  /** What still runs in this process may write between two deletions, or start another one. */
  private static final int ATTEMPTS_MAX = 20;

  /** Null if data is kept. */
  private final Path directory;

  private final Farewell farewell;
  private final Thread hook = new Thread(this::end, "delete-data");

  private DeleteAtExit(Path directory, Farewell farewell) {
    this.directory = directory;
    this.farewell = farewell;
  }

  /** Answers the user that ended the process, if there is anything to report. */
  public interface Farewell {
    /** Before anything is killed: its users will complain. */
    default void begins() {}

    /** When all is killed and deleted. */
    default void ends() {}
  }

  /** Processes and data, from now on; the directory need not be there yet. */
  public static DeleteAtExit of(Path directory) {
    return register(new DeleteAtExit(directory, new Farewell() {}));
  }

  /** Processes and data, from now on, and reports it. */
  public static DeleteAtExit of(Path directory, Farewell farewell) {
    return register(new DeleteAtExit(directory, farewell));
  }

  /** Processes only, from now on. */
  public static DeleteAtExit keepingData() {
    return register(new DeleteAtExit(null, new Farewell() {}));
  }

  /** Processes only, from now on, and reports it. */
  public static DeleteAtExit keepingData(Farewell farewell) {
    return register(new DeleteAtExit(null, farewell));
  }

  private static DeleteAtExit register(DeleteAtExit delete) {
    Runtime.getRuntime().addShutdownHook(delete.hook);
    return delete;
  }

  private void end() {
    farewell.begins();
    clean();
    farewell.ends();
  }

  private void clean() {
    for (int attempt = 1; ; attempt++) {
      killChildren();
      try {
        if (directory != null) {
          Directories.delete(directory);
        }
        return;
      } catch (IOException e) {
        if (attempt == ATTEMPTS_MAX) {
          System.err.println(directory + " cannot be deleted: " + ErrorText.of(e) + "; delete it");
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
