package io.retso.chaos.run;

import io.retso.chaos.clients.Clients;
import io.retso.cluster.ClusterException;
import io.retso.cluster.nodes.Cluster;
import io.retso.cluster.nodes.Faults.Direction;
import io.retso.cluster.nodes.Node;
import io.retso.cluster.nodes.Role;
import io.retso.verify.faults.Fault;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * What is done to the nodes of a cluster. A strike has its effect for a random time; {@link
 * #repair} undoes whatever is left of it. For one thread.
 */
public final class ClusterFaults {
  private static final int HAND_OVER_ATTEMPTS = 10;
  private static final long HAND_OVER_AGAIN_MILLIS = 500;
  private static final int LOST_PERCENT_MIN = 5;
  private static final int LOST_PERCENT_MAX = 40;
  private static final int KILOBITS_MIN = 200;
  private static final int KILOBITS_MAX = 4000;

  private final Cluster cluster;
  private final Supplier<Clients> clients;
  private final Effect effect;

  /** The class path of another build; null if there is none. */
  private final String otherBuild;

  private final List<Node> oracles;
  private final List<Node> bookies;
  private final List<Node> zooKeepers;

  /** Something that has its effect until it is undone. */
  private interface Change {
    void on(Node node) throws IOException, InterruptedException;
  }

  /** Something that is done, or undone, to several nodes at a time. */
  private interface Undoing {
    void of(List<Node> nodes) throws IOException, InterruptedException;
  }

  /** What is done while a fault has its effect. */
  public interface Effect {
    /** Returns when the fault is to be undone, with words about that, such as for how long. */
    String last(Random random) throws IOException, InterruptedException;
  }

  /**
   * Faults of a cluster that is up.
   *
   * @param clients the present ones, which know which server leads
   * @param effect what happens between a fault and its end
   * @param otherBuild the class path of another build that oracles may run; null for none
   */
  public ClusterFaults(
      Cluster cluster, Supplier<Clients> clients, Effect effect, String otherBuild) {
    this.cluster = cluster;
    this.clients = clients;
    this.effect = effect;
    this.otherBuild = otherBuild;
    oracles = cluster.layout().of(Role.ORACLE);
    bookies = cluster.layout().of(Role.BOOKIE);
    zooKeepers = cluster.layout().of(Role.ZOOKEEPER);
  }

  /** All that this cluster can have. */
  public List<Fault> all() {
    List<Fault> all = new ArrayList<>();
    all.add(new Fault("kill-leader", random -> kill(random, leader())));
    all.add(
        new Fault("kill-leader-and-bookie", random -> kill(random, leader(), bookieOf(leader()))));
    all.add(new Fault("pause-leader", random -> pause(random, leader())));
    all.add(new Fault("end-leader", this::end));
    all.add(new Fault("kill-bookie", random -> kill(random, any(random, bookies))));
    all.add(new Fault("pause-bookie", random -> pause(random, any(random, bookies))));
    all.add(new Fault("kill-zookeeper", random -> kill(random, any(random, zooKeepers))));
    all.add(new Fault("pause-zookeeper", random -> pause(random, any(random, zooKeepers))));
    all.add(new Fault("restart-all", random -> restartAll()));
    if (oracles.size() > 1) {
      all.add(new Fault("hand-over", this::handOver));
      all.add(new Fault("kill-standby", random -> kill(random, standby(random))));
      all.add(new Fault("pause-standby", random -> pause(random, standby(random))));
    }
    if (cluster.layout().namespaces()) {
      all.addAll(ofTheNetwork());
    }
    if (cluster.layout().bookieDiskMebibytes() > 0) {
      all.add(new Fault("fill-bookie", random -> fill(random, any(random, bookies))));
    }
    if (otherBuild != null) {
      all.add(new Fault("upgrade", random -> upgrade(random)));
    }
    return all;
  }

  /** How many servers may begin to lead because of a fault of this name. */
  static int leadersExpected(String fault) {
    if (fault.equals("restart-all") || fault.equals("upgrade")) {
      return Integer.MAX_VALUE;
    }
    boolean isOfTheLeader =
        fault.contains("leader")
            || List.of("hand-over", "lose-packets", "slow-link").contains(fault);
    return isOfTheLeader ? 1 : 0;
  }

  private List<Fault> ofTheNetwork() {
    List<Fault> all = new ArrayList<>();
    all.add(new Fault("partition-leader", random -> cut(random, Direction.BOTH, leader(), null)));
    all.add(new Fault("partition-leader-in", random -> cut(random, Direction.IN, leader(), null)));
    all.add(
        new Fault("partition-leader-out", random -> cut(random, Direction.OUT, leader(), null)));
    all.add(
        new Fault(
            "partition-leader-bookie",
            random -> cut(random, anyOf(random), leader(), any(random, bookies))));
    all.add(
        new Fault(
            "partition-leader-zookeeper",
            random -> cut(random, anyOf(random), leader(), any(random, zooKeepers))));
    all.add(
        new Fault(
            "partition-bookie", random -> cut(random, anyOf(random), any(random, bookies), null)));
    if (oracles.size() > 1) {
      all.add(
          new Fault(
              "partition-leader-standby",
              random -> cut(random, anyOf(random), leader(), standby(random))));
    }
    all.add(new Fault("lose-packets", this::lose));
    all.add(new Fault("slow-link", this::slow));
    return all;
  }

  /** The oracle that was the last to say to clients that it leads; any if none has yet. */
  private Node leader() throws IOException, InterruptedException {
    List<Clients.Leader> all = clients.get().leaders();
    String address = all.isEmpty() ? "" : all.get(all.size() - 1).address();
    return oracles.stream()
        .filter(node -> node.endpoint().equals(address))
        .findFirst()
        .orElse(oracles.get(0));
  }

  /** The words before a command of a client: on a host of its own, if there are hosts. */
  public static List<String> enterClients(Cluster cluster) throws IOException {
    List<Node> hosts = cluster.layout().of(Role.CLIENT);
    return hosts.isEmpty() ? List.of() : cluster.enter(hosts.get(0));
  }

  private static Node any(Random random, List<Node> nodes) {
    return nodes.get(random.nextInt(nodes.size()));
  }

  private static Direction anyOf(Random random) {
    return Direction.values()[random.nextInt(Direction.values().length)];
  }

  private Node standby(Random random) throws IOException, InterruptedException {
    Node leads = leader();
    return any(random, oracles.stream().filter(node -> !node.equals(leads)).toList());
  }

  /** On a real cluster the two would share a machine. */
  private Node bookieOf(Node oracle) {
    return bookies.get((oracle.number() - 1) % bookies.size());
  }

  private String during(Random random, Change change, Change undo, Node node)
      throws IOException, InterruptedException {
    return during(random, change, nodes -> undo.on(nodes.get(0)), List.of(node));
  }

  private String during(Random random, Change change, Undoing undo, List<Node> nodes)
      throws IOException, InterruptedException {
    for (Node node : nodes) {
      change.on(node);
    }
    String lasted = effect.last(random);
    undo.of(nodes);
    return String.join(", ", nodes.stream().map(Node::name).toList()) + " " + lasted;
  }

  /** Each is killed before any is started again. */
  private String kill(Random random, Node... nodes) throws IOException, InterruptedException {
    return during(random, cluster::kill, cluster::restart, List.of(nodes));
  }

  private String pause(Random random, Node node) throws IOException, InterruptedException {
    return during(random, cluster::pause, cluster::resume, node);
  }

  private String cut(Random random, Direction direction, Node node, Node other)
      throws IOException, InterruptedException {
    String what =
        during(
            random,
            cut -> cluster.faults().partition(cut, other, direction),
            cut -> cluster.faults().heal(cut),
            node);
    return what + " from " + (other == null ? "all" : other.name()) + ", " + direction;
  }

  private Node anyServer(Random random) {
    return any(random, random.nextBoolean() ? oracles : bookies);
  }

  private String lose(Random random) throws IOException, InterruptedException {
    int percent = LOST_PERCENT_MIN + random.nextInt(LOST_PERCENT_MAX - LOST_PERCENT_MIN);
    return percent
        + " % of "
        + during(
            random,
            node -> cluster.faults().lose(node, percent),
            node -> cluster.faults().heal(null),
            anyServer(random));
  }

  private String slow(Random random) throws IOException, InterruptedException {
    int kilobits = KILOBITS_MIN + random.nextInt(KILOBITS_MAX - KILOBITS_MIN);
    return kilobits
        + " kbit/s of "
        + during(
            random,
            node -> cluster.faults().slow(node, kilobits),
            node -> cluster.faults().heal(null),
            anyServer(random));
  }

  /** A bookie ends when its journal's disk is full. */
  private String fill(Random random, Node bookie) throws IOException, InterruptedException {
    return during(
        random,
        cluster.faults()::fill,
        node -> {
          cluster.faults().heal(null);
          cluster.restart(node);
        },
        bookie);
  }

  private String handOver(Random random) throws IOException, InterruptedException {
    for (int i = 1; ; i++) {
      Node from = leader();
      try {
        String said = clients.get().handOver(from.address() + ":" + Cluster.HTTP_PORT);
        return from.name() + ": " + said + " " + effect.last(random);
      } catch (ClusterException e) { // another one leads by now, or no standby is ready
        if (i == HAND_OVER_ATTEMPTS) {
          throw e;
        }
        Thread.sleep(HAND_OVER_AGAIN_MILLIS);
      }
    }
  }

  /** A leader that is asked to end hands over to a standby, if there is one. */
  private String end(Random random) throws IOException, InterruptedException {
    return during(random, cluster::end, cluster::restart, leader());
  }

  /** Leaders last, as an operator would. */
  private String upgrade(Random random) throws IOException, InterruptedException {
    String build = random.nextBoolean() ? otherBuild : null;
    Node leads = leader();
    List<Node> order = new ArrayList<>(oracles);
    order.remove(leads);
    order.add(leads);
    for (Node node : order) {
      cluster.runBuild(node, build);
      cluster.restart(node);
    }
    return "all oracles, one after the other, to "
        + (build == null ? "this" : "the other")
        + " build";
  }

  private String restartAll() throws IOException, InterruptedException {
    for (List<Node> nodes : List.of(oracles, bookies, zooKeepers)) {
      for (Node node : nodes) {
        if (cluster.isUp(node)) { // others may have ended with those before
          cluster.kill(node);
        }
      }
    }
    cluster.up(line -> {});
    return "all oracles, bookies and ZooKeeper servers were killed, and started again";
  }

  /**
   * Undoes all faults, and starts what does not run.
   *
   * @throws ClusterException if something does not start
   */
  public void repair() throws IOException, InterruptedException {
    cluster.faults().heal(null);
    for (List<Node> nodes : List.of(zooKeepers, bookies, oracles)) {
      for (Node node : nodes) {
        if (cluster.isUp(node)) {
          cluster.resume(node);
        }
      }
    }
    cluster.up(line -> {});
  }
}
