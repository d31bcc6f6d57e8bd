package io.retso.cluster.nodes;

import io.retso.cluster.ClusterException;
import io.retso.cluster.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Ends a cluster when the process that made it ends, in whatever way: a process of its own, in no
 * group of the other one, that waits for the end of its standard input. Nodes and the processes
 * that hold namespaces outlive the process that has started them; without the keeper they would
 * stay, some stopped, after a kill of the process that makes the faults.
 */
public final class Keeper implements AutoCloseable {
  private static final int ALL_IS_WELL = 'w';
  private static final Duration LOCK_MAX = Duration.ofSeconds(60);
  private static final Duration END_MAX = Duration.ofSeconds(60);

  private final Process process;

  private Keeper(Process process) {
    this.process = process;
  }

  /** Watches over the cluster in a directory, which it deletes if it has to end the cluster. */
  public static Keeper of(Path cluster) throws IOException {
    Files.createDirectories(cluster.toAbsolutePath().getParent());
    List<String> command = new ArrayList<>(List.of("setsid"));
    command.addAll(
        JavaCommand.of(
            List.of("-Xmx64m"),
            Keeper.class.getName(),
            List.of(cluster.toAbsolutePath().toString())));
    return new Keeper(
        new ProcessBuilder(command)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start());
  }

  /** The directory of a cluster. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    if (System.in.read() == ALL_IS_WELL) {
      return;
    }
    Path directory = Path.of(arguments[0]);
    if (!Layout.exists(directory)) {
      return;
    }
    boolean open = Waiting.until(LOCK_MAX, () -> end(directory));
    System.exit(open ? 0 : 1);
  }

  /** Returns whether no process had it open. */
  private static boolean end(Path directory) throws IOException, InterruptedException {
    try (Cluster cluster = Cluster.open(directory)) {
      cluster.destroy();
      return true;
    } catch (ClusterException e) {
      return false;
    }
  }

  /** The cluster has been ended, or is to go on: there is nothing to do. */
  @Override
  public void close() throws IOException {
    try (var stdin = process.getOutputStream()) {
      stdin.write(ALL_IS_WELL);
    }
    try {
      if (!process.waitFor(END_MAX.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
