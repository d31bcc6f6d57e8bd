package io.retso.cluster.nodes;

import io.retso.cluster.ClusterException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The process of a node: started, signalled, waited for. */
final class NodeProcess {
  static final Duration START_MAX = Duration.ofSeconds(120);
  static final Duration STOP_MAX = Duration.ofSeconds(20);
  private static final Duration ANSWER_MAX = Duration.ofSeconds(20);
  private static final int LINES_SHOWN = 15;

  /** What a node prints beside its log is kept from one start to the next up to this size. */
  private static final long CONSOLE_BYTES_MAX = 1 << 20;

  /** In {@code /proc/net/tcp}. */
  private static final String LISTENING = "0A";

  /** Before the address of IPv4 that a socket of IPv6 has, in {@code /proc/net/tcp6}. */
  private static final String MAPPED = "0000000000000000FFFF0000";

  private final Node node;
  private final NodeFiles files;

  NodeProcess(Node node, NodeFiles files) {
    this.node = node;
    this.files = files;
  }

  Node node() {
    return node;
  }

  NodeFiles files() {
    return files;
  }

  /** Its process, if that runs. */
  Optional<OwnProcess> running() throws IOException {
    Optional<OwnProcess> process = OwnProcess.load(files.process());
    return process.isPresent() && process.get().isAlive() ? process : Optional.empty();
  }

  /** Its process. */
  OwnProcess require() throws IOException {
    return running()
        .orElseThrow(
            () ->
                new ClusterException(
                    node.name() + " does not run: start it with restart " + node.name(), null));
  }

  /**
   * Starts it, and returns without waiting until it is ready. It belongs to no terminal, and
   * outlives this program.
   *
   * @param enter the words before a command that is to run on its host
   */
  void start(List<String> enter) throws IOException {
    files.write();
    List<String> command = new ArrayList<>(List.of("setsid"));
    command.addAll(enter);
    command.addAll(files.command());
    Files.deleteIfExists(files.ready()); // left by a process that was killed
    File console = files.console().toFile();
    Process process =
        new ProcessBuilder(command)
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectErrorStream(true)
            .redirectOutput(
                console.length() > CONSOLE_BYTES_MAX
                    ? ProcessBuilder.Redirect.to(console)
                    : ProcessBuilder.Redirect.appendTo(console))
            .start();
    // setsid and what enters a namespace are replaced by what they run: it is the same process.
    OwnProcess.of(process.pid()).save(files.process());
  }

  /**
   * Waits until it serves; a server of ZooKeeper does as one of a quorum.
   *
   * @param enter the words before a command that is to run on its host
   * @throws ClusterException if it ends first, or takes more than two minutes
   */
  void awaitReady(List<String> enter) throws IOException, InterruptedException {
    boolean inTime = Waiting.until(START_MAX, () -> running().isEmpty() || isReady(enter));
    if (running().isEmpty()) {
      throw new ClusterException(node.name() + " ended. It said:\n" + lastLines(LINES_SHOWN), null);
    }
    if (!inTime) {
      throw new ClusterException(
          node.name()
              + " was not ready within "
              + START_MAX.toSeconds()
              + " s. It said:\n"
              + lastLines(LINES_SHOWN),
          null);
    }
  }

  private boolean isReady(List<String> enter) throws IOException, InterruptedException {
    return switch (node.role()) {
      case ORACLE -> Files.exists(files.ready());
      case ZOOKEEPER -> listens() && isOfAQuorum(enter);
      case BOOKIE -> listens() && answersReads(enter);
      case CLIENT -> listens();
    };
  }

  /** Only then it says whether it leads or follows. */
  private boolean isOfAQuorum(List<String> enter) throws IOException, InterruptedException {
    return ask(enter, "printf srvr >&3 && cat <&3").contains("Mode: ");
  }

  /**
   * A bookie listens while it reads its journal and waits for its former session with ZooKeeper to
   * end, and closes every connection on which a request comes. Afterwards it says of an entry that
   * it does not have it; or that this client may not read.
   */
  private boolean answersReads(List<String> enter) throws IOException, InterruptedException {
    String read = "\\0\\0\\0\\024" + "\\2\\2\\0\\0"; // 20 bytes, of version 2, opcode READENTRY
    String entry = "\\0".repeat(2 * Long.BYTES); // ledger, entry
    String asks = "printf '" + read + entry + "' >&3 && head -c 4 <&3 | wc -c";
    return ask(enter, asks).strip().equals("4");
  }

  /** What it says on a connection, which is file 3 of these commands; empty if it says nothing. */
  private String ask(List<String> enter, String commands) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(enter);
    String asks = "exec 3<>/dev/tcp/$0/$1 && " + commands;
    words.addAll(List.of("bash", "-c", asks, node.address(), "" + node.role().port()));
    try {
      return Command.run(words, "", ANSWER_MAX).output();
    } catch (ClusterException e) {
      return ""; // it listens, and does not answer yet
    }
  }

  /** Looked up in its own network: no other can connect there. */
  private boolean listens() throws IOException {
    StringBuilder hex = new StringBuilder();
    for (String part : node.address().split("\\.")) {
      hex.insert(0, String.format(Locale.ROOT, "%02X", Integer.parseInt(part)));
    }
    String local = String.format(Locale.ROOT, "%s:%04X", hex, node.role().port());
    Path sockets = Path.of("/proc/" + require().pid() + "/net");
    return listens(sockets.resolve("tcp"), local)
        || listens(sockets.resolve("tcp6"), MAPPED + local);
  }

  /** A file is missing where the protocol is not there. */
  private static boolean listens(Path sockets, String local) throws IOException {
    if (!Files.exists(sockets)) {
      return false;
    }
    for (String line : Files.readAllLines(sockets)) {
      String[] words = line.strip().split(" +");
      if (words[1].equals(local) && words[3].equals(LISTENING)) {
        return true;
      }
    }
    return false;
  }

  /** Asks it to end, a stopped one too; returns at once. */
  void askToEnd() throws IOException, InterruptedException {
    Optional<OwnProcess> process = running();
    if (process.isPresent()) {
      process.get().signal("TERM");
      process.get().signal("CONT");
    }
  }

  /** Waits until it has ended, and kills it if it takes too long. */
  void awaitEnd() throws IOException, InterruptedException {
    if (!Waiting.until(STOP_MAX, () -> running().isEmpty())) {
      kill();
    }
  }

  /** Kills it like {@code kill -9}, and waits until it is gone. */
  void kill() throws IOException, InterruptedException {
    Optional<OwnProcess> process = running();
    if (process.isPresent()) {
      process.get().signal("KILL");
      if (!Waiting.until(STOP_MAX, () -> running().isEmpty())) {
        throw new ClusterException(
            "process " + process.get().pid() + " of " + node.name() + " cannot be killed", null);
      }
    }
  }

  /** The last lines of what it printed and logged. */
  String lastLines(int count) throws IOException {
    List<String> lines = new ArrayList<>();
    for (Path file : List.of(files.console(), files.output())) {
      if (Files.exists(file)) {
        lines.addAll(Files.readAllLines(file));
      }
    }
    return String.join("\n", lines.subList(Math.max(0, lines.size() - count), lines.size()));
  }
}
