package io.retso.cluster.nodes;

import io.retso.cluster.ClusterException;
import io.retso.cluster.Directories;
import io.retso.cluster.JavaCommand;
import io.retso.server.ServerMain;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;

/**
 * A cluster of processes on this machine, all of it known by its directory.
 *
 * <pre>
 *   DIR/cluster.json   the layout
 *   DIR/lock           held by a command while it changes something
 *   DIR/secret         what all oracles of it know
 *   DIR/formatted      BookKeeper's metadata was made
 *   DIR/network/       the processes that hold network namespaces
 *   DIR/NODE/          configuration, data, output.txt, and "process": its id and start
 * </pre>
 *
 * <p>It ends only processes that it has started. While this object is open no other command changes
 * the cluster. For one thread.
 */
public final class Cluster implements AutoCloseable {
  /** Where an oracle answers over HTTP. */
  public static final int HTTP_PORT = 7522;

  private static final Duration SHELL_MAX = Duration.ofSeconds(60);
  private static final Duration STATUS_MAX = Duration.ofSeconds(20);
  private static final String FORMATTED = "formatted";
  private static final int FORMAT_ATTEMPTS = 3;
  private static final int NETWORK_ATTEMPTS = 50;

  private final Path directory;
  private final Layout layout;
  private final Namespaces namespaces;
  private final Faults faults;
  private final FileChannel lock;

  private Cluster(Path directory, Layout layout, FileChannel lock) {
    this.directory = directory;
    this.layout = layout;
    this.namespaces = new Namespaces(directory, layout);
    this.faults = new Faults(directory, layout, namespaces);
    this.lock = lock;
  }

  /**
   * Lays a cluster out; nothing is started.
   *
   * @param inNamespaces whether each node gets a network namespace of its own
   * @param settings of the oracles, asked for when it is known on which hosts these will be
   * @param bookieDiskMebibytes size of a disk in memory for each bookie, which takes namespaces; 0:
   *     none
   * @throws ClusterException if there is one already, or no namespaces can be made
   */
  public static Cluster create(
      Path directory,
      Layout.Counts counts,
      boolean inNamespaces,
      Settings settings,
      int bookieDiskMebibytes)
      throws IOException, InterruptedException {
    Path root = directory.toAbsolutePath().normalize();
    if (root.toString().contains(",")) {
      throw new ClusterException("bookies take no comma in a path: choose another --dir", null);
    }
    if (inNamespaces) {
      Optional<String> obstacle = Namespaces.obstacle();
      if (obstacle.isPresent()) {
        throw new ClusterException(obstacle.get(), null);
      }
    }
    FileChannel lock = lock(Files.createDirectories(root));
    try {
      if (Layout.exists(root)) {
        throw new ClusterException("there is a cluster in " + root + " already", null);
      }
      String network = inNamespaces ? Namespaces.NETWORK : freeLoopback();
      Layout layout = Layout.create(counts, inNamespaces, network, settings, bookieDiskMebibytes);
      for (Node oracle : layout.of(Role.ORACLE)) {
        new NodeFiles(root, oracle, layout).check();
      }
      layout.save(root);
      return new Cluster(root, layout, lock);
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  /** Settings that oracles have beside those that make them a cluster. */
  public interface Settings {
    Map<String, String> of(List<String> hosts) throws IOException;
  }

  /** What is done with a cluster while it is there. */
  public interface Use<T> {
    T of(Cluster cluster) throws IOException, InterruptedException;
  }

  /**
   * Lays a cluster out, starts it, uses it and deletes it. It does not outlive this process.
   *
   * @param progress takes a line for each step
   * @see #create
   */
  public static <T> T during(
      Path directory,
      Layout.Counts counts,
      boolean inNamespaces,
      Settings settings,
      int bookieDiskMebibytes,
      Consumer<String> progress,
      Use<T> use)
      throws IOException, InterruptedException {
    Keeper keeper = Keeper.of(directory);
    T used;
    try (Cluster cluster = create(directory, counts, inNamespaces, settings, bookieDiskMebibytes)) {
      try {
        cluster.up(line -> progress.accept("  " + line));
        used = use.of(cluster);
      } finally {
        progress.accept("Stopping the cluster ...");
        cluster.destroy();
      }
    }
    keeper.close(); // not after a failure: then it may have something to do
    return used;
  }

  /** Why nodes cannot have network namespaces on this machine; empty if they can. */
  public static Optional<String> obstacleToNamespaces() throws InterruptedException {
    return Namespaces.obstacle();
  }

  /** Opens the cluster in a directory, whether it runs or not. */
  public static Cluster open(Path directory) throws IOException {
    Path root = directory.toAbsolutePath().normalize();
    Layout.load(root); // or says that there is none
    FileChannel lock = lock(root);
    try {
      return new Cluster(root, Layout.load(root), lock);
    } catch (IOException | RuntimeException e) {
      lock.close();
      throw e;
    }
  }

  private static FileChannel lock(Path directory) throws IOException {
    FileChannel channel =
        FileChannel.open(
            directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      if (channel.tryLock() != null) {
        return channel;
      }
    } catch (OverlappingFileLockException e) {
      // By this process.
    }
    channel.close();
    throw new ClusterException(
        "another command is changing the cluster in " + directory + ": wait until it is done",
        null);
  }

  /** Addresses of this machine alone, all ports of which are most likely free. */
  private static String freeLoopback() throws IOException {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    for (int i = 0; i < NETWORK_ATTEMPTS; i++) {
      String network = "127." + random.nextInt(1, 255) + "." + random.nextInt(256);
      InetSocketAddress probe =
          new InetSocketAddress(InetAddress.getByName(network + ".11"), Role.ZOOKEEPER.port());
      try (ServerSocket socket = new ServerSocket()) {
        socket.bind(probe);
        return network;
      } catch (IOException e) {
        // Taken, by whatever listens on all addresses, or not an address of this system.
      }
    }
    throw new ClusterException(
        "no loopback network has a free port "
            + Role.ZOOKEEPER.port()
            + ": end what listens there on all addresses, or use --network namespaces",
        null);
  }

  /** What it consists of. */
  public Layout layout() {
    return layout;
  }

  private NodeProcess process(Node node) {
    return new NodeProcess(node, new NodeFiles(directory, node, layout));
  }

  private List<NodeProcess> processes(Role role) {
    return layout.of(role).stream().map(this::process).toList();
  }

  /** The words before a command that is to run where a node is. */
  public List<String> enter(Node node) throws IOException {
    return layout.namespaces() ? namespaces.enter(node.name()) : List.of();
  }

  /**
   * Starts what does not run, and returns when all of it serves. If that fails it ends what it has
   * started.
   *
   * @param progress takes a line for each step
   */
  public void up(Consumer<String> progress) throws IOException, InterruptedException {
    List<NodeProcess> started = new ArrayList<>();
    boolean hadNetwork = layout.namespaces() && namespaces.isUp();
    boolean serves = false;
    try {
      if (layout.namespaces() && !hadNetwork) {
        requireDisks();
        namespaces.up();
        faults.mountDisks();
      }
      for (Role role : List.of(Role.ZOOKEEPER, Role.BOOKIE, Role.ORACLE)) {
        if (role == Role.BOOKIE) {
          format();
        }
        for (NodeProcess process : start(role, started)) {
          process.awaitReady(enter(process.node()));
          progress.accept(process.node().name() + " serves at " + process.node().endpoint());
        }
      }
      serves = true;
    } finally {
      if (!serves) {
        end(started);
        if (!hadNetwork && nothingRuns()) {
          namespaces.down();
        }
      }
    }
  }

  /** Disks in memory are new when the network is; what ZooKeeper knows of the bookies is not. */
  private void requireDisks() throws ClusterException {
    if (layout.bookieDiskMebibytes() > 0 && Files.exists(directory.resolve(FORMATTED))) {
      throw new ClusterException(
          "the disks of the bookies were in memory, and are gone, with the log: delete the cluster"
              + " (stop --delete), and make another one",
          null);
    }
  }

  private List<NodeProcess> start(Role role, List<NodeProcess> started) throws IOException {
    List<NodeProcess> starting = new ArrayList<>();
    for (NodeProcess process : processes(role)) {
      if (process.running().isEmpty()) {
        process.start(enter(process.node()));
        starting.add(process);
        started.add(process);
      }
    }
    return starting;
  }

  private boolean nothingRuns() throws IOException {
    for (Node node : layout.nodes()) {
      if (process(node).running().isPresent()) {
        return false;
      }
    }
    return true;
  }

  private static void end(List<NodeProcess> processes) throws IOException, InterruptedException {
    for (NodeProcess process : processes) {
      process.askToEnd();
    }
    for (NodeProcess process : processes) {
      process.awaitEnd();
    }
  }

  /** Prepares ZooKeeper for bookies, once. */
  private void format() throws IOException, InterruptedException {
    Path done = directory.resolve(FORMATTED);
    if (Files.exists(done)) {
      return;
    }
    Node bookie = layout.of(Role.BOOKIE).get(0);
    NodeFiles files = process(bookie).files();
    files.write();
    String output = "";
    for (int i = 0; i < FORMAT_ATTEMPTS; i++) {
      for (String verb : List.of("initnewcluster", "whatisinstanceid")) {
        List<String> command = new ArrayList<>(enter(bookie));
        command.addAll(files.shell(verb));
        Command.Result result = Command.run(command, "", SHELL_MAX);
        if (result.exitCode() == 0) { // made, or made before
          Files.createFile(done);
          return;
        }
        output = result.output();
      }
    }
    throw new ClusterException("ZooKeeper cannot be prepared for bookies: " + output, null);
  }

  /** Ends all processes, oracles first, and removes the network; data stays. */
  public void stop() throws IOException, InterruptedException {
    for (Role role : List.of(Role.ORACLE, Role.BOOKIE, Role.ZOOKEEPER)) {
      end(processes(role));
    }
    namespaces.down();
  }

  /** Ends all processes and deletes the directory. */
  public void destroy() throws IOException, InterruptedException {
    stop();
    Directories.delete(directory);
  }

  /** Kills a node's process like {@code kill -9}. */
  public void kill(Node node) throws IOException, InterruptedException {
    process(node).require();
    process(node).kill();
  }

  /** Ends a node's process cleanly (SIGTERM). */
  public void end(Node node) throws IOException, InterruptedException {
    process(node).require();
    end(List.of(process(node)));
  }

  /** Stops a node's process, in the middle of whatever it does (SIGSTOP). */
  public void pause(Node node) throws IOException, InterruptedException {
    OwnProcess process = process(node).require();
    process.signal("STOP");
    if (!Waiting.until(STATUS_MAX, () -> process.state().filter(s -> s != 'T').isEmpty())) {
      throw new ClusterException(node.name() + " does not stop", null);
    }
  }

  /** Lets a paused process go on. */
  public void resume(Node node) throws IOException, InterruptedException {
    process(node).require().signal("CONT");
  }

  /** Ends a node's process cleanly if it runs, starts it, and waits until it serves. */
  public void restart(Node node) throws IOException, InterruptedException {
    restart(List.of(node));
  }

  /** Ends processes cleanly as far as they run, starts them all, and waits until they serve. */
  public void restart(List<Node> nodes) throws IOException, InterruptedException {
    for (Node node : nodes) {
      if (node.role() == Role.CLIENT) {
        throw new ClusterException(node.name() + " has no process", null);
      }
    }
    end(nodes.stream().map(this::process).toList());
    for (Node node : nodes) {
      process(node).start(enter(node));
    }
    for (Node node : nodes) {
      process(node).awaitReady(enter(node));
    }
  }

  /**
   * Says which build a node runs from its next start on.
   *
   * @param classPath of the build; null for that of the command which starts the node
   */
  public void runBuild(Node node, String classPath) throws IOException {
    process(node).files().runBuild(classPath);
  }

  /**
   * Gives an oracle settings from its next start on, also instead of those that all oracles have.
   * What was given before is forgotten.
   */
  public void configure(Node oracle, Map<String, String> settings) throws IOException {
    process(oracle).files().configure(settings);
  }

  /** Whether a node has a process, running or paused. */
  public boolean isUp(Node node) throws IOException {
    return process(node).running().isPresent();
  }

  /** Faults around its nodes, in the network and on disks. */
  public Faults faults() {
    return faults;
  }

  /**
   * How a node is.
   *
   * @param pid 0 if it does not run
   * @param state such as "running", "paused", "down"
   */
  public record NodeStatus(Node node, long pid, String state) {
    /** Whether it has all that it should have. */
    public boolean isWell() {
      return state.startsWith("running") || node.role() == Role.CLIENT;
    }
  }

  /** Process ids of the nodes that run. */
  public List<Long> pids() throws IOException {
    List<Long> pids = new ArrayList<>();
    for (Node node : layout.nodes()) {
      process(node).running().ifPresent(running -> pids.add(running.pid()));
    }
    return pids;
  }

  /** How all nodes are. */
  public List<NodeStatus> status() throws IOException, InterruptedException {
    List<NodeStatus> all = new ArrayList<>();
    for (Node node : layout.nodes()) {
      Optional<OwnProcess> process = process(node).running();
      if (node.role() == Role.CLIENT) {
        all.add(new NodeStatus(node, 0, "a host for commands of yours"));
      } else if (process.isEmpty()) {
        all.add(new NodeStatus(node, 0, "down"));
      } else if (process.get().state().filter(state -> state == 'T').isPresent()) {
        all.add(new NodeStatus(node, process.get().pid(), "paused"));
      } else {
        String more = node.role() == Role.ORACLE ? ", " + said(node) : "";
        all.add(new NodeStatus(node, process.get().pid(), "running" + more));
      }
    }
    return all;
  }

  /** The first line of what an oracle says of itself. */
  private String said(Node oracle) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(enter(oracle));
    command.addAll(
        JavaCommand.of(
            List.of("-Xmx64m"),
            ServerMain.class.getName(),
            List.of("status", "--http=" + oracle.address() + ":" + HTTP_PORT)));
    Command.Result result = Command.run(command, "", STATUS_MAX);
    return result.output().lines().findFirst().orElse("silent").replaceFirst("^status +", "");
  }

  /** What a node logs; the file is begun anew now and then. */
  public Path log(Node node) {
    return process(node).files().output();
  }

  /** The last lines that a node printed. */
  public String lastLines(Node node, int count) throws IOException {
    return process(node).lastLines(count);
  }

  /** Lets other commands change it; what runs goes on. */
  @Override
  public void close() throws IOException {
    lock.close();
  }
}
