package io.retso.cluster.nodes;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Links of nodes that lose packets or are slow, by rules of the router between the nodes.
 *
 * <p>A slow link lets so many bits pass in a second, and what is more queues up before it: packets
 * are delayed by their own length, and by what is before them. A delay that does not depend on the
 * load takes a kernel with the queue discipline {@code netem}.
 */
final class Links {
  private static final String LOSS = "FORWARD --match comment --comment retso-loss";
  private static final Duration COMMAND_MAX = Duration.ofSeconds(30);

  /** What queues up for longer is dropped. */
  private static final int QUEUE_MILLIS = 1000;

  /** Two packets of a local network at once. */
  private static final int BURST_BYTES = 4096;

  private static final int KILOBIT = 1000;

  private final Namespaces namespaces;
  private final Layout layout;

  Links(Namespaces namespaces, Layout layout) {
    this.namespaces = namespaces;
    this.layout = layout;
  }

  /**
   * Drops packets of a node at random, both ways.
   *
   * @param percent of them, 1 to 99
   */
  void lose(Node node, int percent) throws IOException, InterruptedException {
    String probability = String.format(Locale.ROOT, "%.2f", percent / 100.0);
    for (String side : List.of("--in-interface", "--out-interface")) {
      router(
          "iptables --wait --append " + LOSS,
          side + " " + node.name(),
          "--match statistic --mode random --probability " + probability + " --jump DROP");
    }
  }

  /**
   * Lets only so much pass, each way.
   *
   * @param kilobits a second
   */
  void slow(Node node, int kilobits) throws IOException, InterruptedException {
    String shape =
        String.format(
            Locale.ROOT,
            "root tbf rate %dbit burst %d latency %dms",
            (long) kilobits * KILOBIT,
            BURST_BYTES,
            QUEUE_MILLIS);
    router("tc qdisc replace dev " + node.name(), shape);
    on(node.name(), "tc qdisc replace dev eth0 " + shape);
  }

  /** All links are as they were made. */
  void heal() throws IOException, InterruptedException {
    String rules = on(Namespaces.ROUTER, "iptables --wait --list-rules FORWARD");
    for (String rule : rules.lines().filter(line -> line.contains("retso-loss")).toList()) {
      router("iptables --wait " + rule.replaceFirst("-A", "--delete"));
    }
    for (Node node : layout.nodes()) {
      if (isSlow(node)) {
        router("tc qdisc delete dev " + node.name() + " root");
        on(node.name(), "tc qdisc delete dev eth0 root");
      }
    }
  }

  private boolean isSlow(Node node) throws IOException, InterruptedException {
    return on(Namespaces.ROUTER, "tc qdisc show dev " + node.name()).contains("tbf");
  }

  /** What is wrong with links at present, in words. */
  List<String> faults() throws IOException, InterruptedException {
    List<String> faults = new ArrayList<>();
    String rules = on(Namespaces.ROUTER, "iptables --wait --list-rules FORWARD");
    for (Node node : layout.nodes()) {
      if (rules.contains("-i " + node.name() + " ")) {
        faults.add(node.name() + " loses packets");
      }
      if (isSlow(node)) {
        faults.add("the link of " + node.name() + " is slow");
      }
    }
    return faults;
  }

  private void router(String... parts) throws IOException, InterruptedException {
    on(Namespaces.ROUTER, String.join(" ", parts));
  }

  private String on(String host, String command) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(namespaces.enter(host));
    words.addAll(List.of(command.split(" ")));
    return Command.require(words, "", COMMAND_MAX);
  }
}
