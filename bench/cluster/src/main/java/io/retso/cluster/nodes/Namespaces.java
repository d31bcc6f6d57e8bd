package io.retso.cluster.nodes;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.retso.cluster.ClusterException;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A network namespace for each node of a cluster, and one with a router between them.
 *
 * <p>Each namespace is held by a process that only sleeps: when that ends, the system removes the
 * namespace with all that is in it. Nothing is configured in the machine's own network, so there is
 * nothing that could be left there, and the same addresses serve several clusters. Packets from one
 * node to another pass the router, whose rules drop them where nodes are cut off: without an
 * answer, as when a cable is pulled.
 *
 * <p>It takes root, or user namespaces: then all of it is inside of one that the router's holder
 * has.
 */
final class Namespaces {
  /** The first three numbers of all addresses. */
  static final String NETWORK = "10.77.0";

  private static final String GATEWAY = NETWORK + ".1";
  static final String ROUTER = "router";
  private static final Duration COMMAND_MAX = Duration.ofSeconds(30);
  private static final boolean IS_ROOT = "root".equals(System.getProperty("user.name"));

  /** The place of the router's rules for packets to drop: before those that find a way. */
  private static final String DROP = "pref 100";

  private final Path directory;
  private final Layout layout;

  Namespaces(Path directory, Layout layout) {
    this.directory = directory.resolve("network");
    this.layout = layout;
  }

  /**
   * Packets that the router drops.
   *
   * @param from their sender; null for all
   * @param to their receiver; null for all
   */
  record Cut(Node from, Node to) {
    private String rule() {
      return DROP
          + (from == null ? "" : " iif " + from.name())
          + (to == null ? "" : " to " + to.address())
          + " blackhole";
    }

    @Override
    public String toString() {
      return "from "
          + (from == null ? "all" : from.name())
          + " to "
          + (to == null ? "all" : to.name());
    }
  }

  /** Why namespaces cannot be made here; empty if they can. */
  static Optional<String> obstacle() throws InterruptedException {
    List<String> trial = new ArrayList<>(unshare());
    trial.addAll(
        List.of("sh", "-c", "ip link && tc qdisc show && iptables --wait --list-rules FORWARD"));
    String problem;
    try {
      Command.Result result = Command.run(trial, "", COMMAND_MAX);
      if (result.exitCode() == 0) {
        return Optional.empty();
      }
      problem = result.output();
    } catch (IOException e) {
      problem = ErrorText.of(e);
    }
    return Optional.of(
        "network namespaces cannot be made here ("
            + problem
            + "): that takes the programs unshare, nsenter, ip, tc and iptables (packages"
            + " util-linux, iproute2 and iptables), and root or a system that lets users make user"
            + " namespaces");
  }

  private static List<String> unshare() {
    return IS_ROOT
        ? List.of("unshare", "--net")
        : List.of("unshare", "--user", "--map-root-user", "--net");
  }

  private Optional<OwnProcess> holder(String name) throws IOException {
    Optional<OwnProcess> holder = OwnProcess.load(directory.resolve(name));
    return holder.isPresent() && holder.get().isAlive() ? holder : Optional.empty();
  }

  /** The words before a command that is to run on a node's host. */
  List<String> enter(String name) throws IOException {
    OwnProcess holder =
        holder(name)
            .orElseThrow(
                () -> new ClusterException("the network of " + name + " is gone: use up", null));
    List<String> words = new ArrayList<>(List.of("nsenter", "--target=" + holder.pid()));
    if (!IS_ROOT) {
      words.addAll(List.of("--user", "--preserve-credentials"));
    }
    words.add("--net");
    if (layout.nodes().stream().anyMatch(n -> n.name().equals(name) && layout.hasDisk(n))) {
      words.add("--mount");
    }
    words.add("--");
    return words;
  }

  /** Whether they are there. */
  boolean isUp() throws IOException {
    return holder(ROUTER).isPresent();
  }

  /** Makes it all; nothing of it may be there. */
  void up() throws IOException, InterruptedException {
    assert !isUp();
    Files.createDirectories(directory);
    hold(ROUTER, unshare());
    List<String> forward = new ArrayList<>(enter(ROUTER));
    forward.addAll(List.of("tee", "/proc/sys/net/ipv4/ip_forward"));
    Command.require(forward, "1", COMMAND_MAX);
    StringBuilder router = new StringBuilder("link set lo up\n");
    for (Node node : layout.nodes()) {
      List<String> unshare = new ArrayList<>(enter(ROUTER));
      unshare.addAll(List.of("unshare", "--net"));
      if (layout.hasDisk(node)) {
        unshare.add("--mount");
      }
      long host = hold(node.name(), unshare);
      router.append(
          String.format(
              Locale.ROOT,
              """
              link add %1$s type veth peer name eth0 netns %2$d
              link set %1$s up
              address add %3$s/32 dev %1$s
              route add %4$s/32 dev %1$s
              """,
              node.name(),
              host,
              GATEWAY,
              node.address()));
    }
    ip(ROUTER, router.toString());
    for (Node node : layout.nodes()) {
      ip(
          node.name(),
          String.format(
              Locale.ROOT,
              """
              link set lo up
              link set eth0 up
              address add %1$s/32 dev eth0
              route add %2$s/32 dev eth0
              route add default via %2$s
              """,
              node.address(),
              GATEWAY));
    }
  }

  /** Starts a process that holds a namespace; returns its id. */
  private long hold(String name, List<String> unshare) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("setsid"));
    command.addAll(unshare);
    command.addAll(List.of("sleep", "infinity"));
    Path output = directory.resolve(name + ".txt");
    Process process =
        new ProcessBuilder(command)
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    OwnProcess holder = OwnProcess.of(process.pid());
    holder.save(directory.resolve(name));
    // Each of the programs replaces the one before; the last one is inside.
    Path program = Path.of("/proc/" + holder.pid() + "/comm");
    boolean inside =
        Waiting.until(
            COMMAND_MAX, () -> !holder.isAlive() || Files.readString(program).startsWith("sleep"));
    if (!inside || !holder.isAlive()) {
      throw new ClusterException(
          "no network namespace can be made: " + Files.readString(output).strip(), null);
    }
    return holder.pid();
  }

  /** Runs lines of the program {@code ip} on a host. */
  private void ip(String host, String lines) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(enter(host));
    command.addAll(List.of("ip", "-batch", "-"));
    Command.require(command, lines, COMMAND_MAX);
  }

  /** Drops packets from now on. */
  void cut(List<Cut> cuts) throws IOException, InterruptedException {
    List<Cut> present = cuts();
    for (Cut cut : cuts) {
      if (!present.contains(cut)) {
        ip(ROUTER, "rule add " + cut.rule() + "\n");
      }
    }
  }

  /** Lets pass what was dropped. */
  void heal(List<Cut> cuts) throws IOException, InterruptedException {
    for (Cut cut : cuts) {
      ip(ROUTER, "rule del " + cut.rule() + "\n");
    }
  }

  /** What is dropped; nothing if there is no network. */
  List<Cut> cuts() throws IOException, InterruptedException {
    if (holder(ROUTER).isEmpty()) {
      return List.of();
    }
    List<String> command = new ArrayList<>(enter(ROUTER));
    command.addAll(List.of("ip", "-json", "rule", "list"));
    List<Cut> cuts = new ArrayList<>();
    for (JsonNode rule : new ObjectMapper().readTree(Command.require(command, "", COMMAND_MAX))) {
      if ("blackhole".equals(rule.path("action").asText())) {
        cuts.add(new Cut(node(rule.path("iif").asText()), node(rule.path("dst").asText())));
      }
    }
    return cuts;
  }

  /** By name or address; null for any other text. */
  private Node node(String text) {
    return layout.nodes().stream()
        .filter(node -> node.name().equals(text) || node.address().equals(text))
        .findAny()
        .orElse(null);
  }

  /** Removes it all; does nothing if it is gone. */
  void down() throws IOException, InterruptedException {
    if (!Files.exists(directory)) {
      return;
    }
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(path -> !path.toString().endsWith(".txt")).toList()) {
        OwnProcess holder = OwnProcess.load(file).orElseThrow(() -> gone(file));
        holder.signal("KILL");
        if (!Waiting.until(COMMAND_MAX, () -> !holder.isAlive())) {
          throw new ClusterException("process " + holder.pid() + " cannot be killed", null);
        }
        Files.delete(file);
      }
    }
  }

  private static NoSuchFileException gone(Path file) {
    return new NoSuchFileException(file.toString());
  }
}
