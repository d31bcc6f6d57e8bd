package io.retso.cluster.nodes;

import io.retso.cluster.ClusterException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A process that was started for a cluster, by this program or an earlier run of it. It is known by
 * its id, the clock tick of its start and the boot of the machine: no later process with the same
 * id is taken for it.
 *
 * @param ticks since the boot, from {@code /proc/PID/stat}
 */
record OwnProcess(long pid, String ticks, String bootId) {
  private static final long SIGNAL_SECONDS_MAX = 10;

  /** Behind the program's name in {@code /proc/PID/stat}: state, ..., and the 20th is the start. */
  private static final int STATE = 0;

  private static final int START = 19;

  static OwnProcess of(long pid) throws IOException {
    String[] stat = stat(pid);
    if (stat == null) {
      throw new ClusterException("process " + pid + " ended at once", null);
    }
    return new OwnProcess(pid, stat[START], boot());
  }

  private static String boot() throws IOException {
    return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
  }

  /** Null if there is no such process. */
  private static String[] stat(long pid) throws IOException {
    try {
      byte[] bytes = Files.readAllBytes(Path.of("/proc/" + pid + "/stat"));
      String line = new String(bytes, StandardCharsets.ISO_8859_1);
      return line.substring(line.lastIndexOf(')') + 2).split(" ");
    } catch (NoSuchFileException e) {
      return null;
    } catch (IOException e) {
      if (Files.exists(Path.of("/proc/" + pid))) {
        throw e;
      }
      return null; // it ended while it was read
    }
  }

  /** What a file says; empty without the file. */
  static Optional<OwnProcess> load(Path file) throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    String[] words = Files.readString(file).strip().split(" ");
    return Optional.of(new OwnProcess(Long.parseLong(words[0]), words[1], words[2]));
  }

  void save(Path file) throws IOException {
    Files.writeString(file, pid + " " + ticks + " " + bootId + "\n");
  }

  /** The state that the system shows, such as R, S or T (stopped); empty if it has ended. */
  Optional<Character> state() throws IOException {
    String[] stat = stat(pid);
    boolean same = stat != null && stat[START].equals(ticks) && bootId.equals(boot());
    // There may be no parent that collects it: a zombie has ended, too.
    return same && !"ZX".contains(stat[STATE])
        ? Optional.of(stat[STATE].charAt(0))
        : Optional.empty();
  }

  boolean isAlive() throws IOException {
    return state().isPresent();
  }

  /** Sends a signal such as {@code KILL}; does nothing if it has ended. */
  void signal(String signal) throws IOException, InterruptedException {
    if (!isAlive()) {
      return;
    }
    Process kill =
        new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    boolean done = kill.waitFor(SIGNAL_SECONDS_MAX, TimeUnit.SECONDS) && kill.exitValue() == 0;
    if (!done && isAlive()) {
      throw new ClusterException(
          "kill -" + signal + " " + pid + " failed; the user that started the cluster may do so",
          null);
    }
  }
}
