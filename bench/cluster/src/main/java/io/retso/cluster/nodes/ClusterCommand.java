package io.retso.cluster.nodes;

import io.retso.server.commands.ExitCode;
import io.retso.server.commands.UsualExitCodes;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code retso cluster}: ZooKeeper, bookies and oracles on this machine, and faults in them. */
@Command(
    name = "cluster",
    description = {
      "Runs ZooKeeper, bookies and oracles on this machine, each a process of its own, and makes"
          + " faults in them.",
      "",
      "The cluster goes on after a command has ended, until stop. All of it is in one directory.",
      ""
    },
    usageHelpAutoWidth = true,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Done; of status: all nodes run.",
      "1:Of status: not all nodes run.",
      "64:A flag or a name is wrong, or it cannot be done here; the message says why."
    },
    modelTransformer = UsualExitCodes.class)
public final class ClusterCommand implements Runnable {
  private static final int DISK_MIN = 256;
  private static final long UNDO_SECONDS_MAX = 120;

  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      scope = ScopeType.INHERIT,
      description = "Shows this help.")
  private boolean help;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      scope = ScopeType.INHERIT,
      defaultValue = "retso-cluster",
      description = "The cluster's directory. Default: ./${DEFAULT-VALUE}")
  private Path directory;

  /** How nodes are connected. */
  enum NetworkKind {
    LOOPBACK,
    NAMESPACES
  }

  /** Where a command has its cluster from. */
  private interface Source {
    Cluster get() throws IOException, InterruptedException;
  }

  /** Something that a command does to a node. */
  private interface Fault {
    void on(Cluster cluster, Node node) throws IOException, InterruptedException;
  }

  /** Something that a command does with the cluster. */
  private interface Action {
    int on(Cluster cluster, PrintWriter out) throws IOException, InterruptedException;
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a command");
  }

  private int with(Action action) {
    return with(() -> Cluster.open(directory), action);
  }

  private int with(Source source, Action action) {
    try (Cluster cluster = source.get()) {
      PrintWriter out = spec.commandLine().getOut();
      int code = action.on(cluster, out);
      out.flush();
      return code;
    } catch (IOException e) {
      return failed(ErrorText.of(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return failed("interrupted");
    }
  }

  private int to(String node, Fault fault) {
    return with(
        (cluster, out) -> {
          fault.on(cluster, cluster.layout().node(node));
          return 0;
        });
  }

  private int failed(String message) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("retso cluster: " + message);
    err.flush();
    return ExitCode.USAGE.number();
  }

  @Command(
      name = "up",
      description = {
        "Starts a cluster, or what does not run of one that is there, and returns when it serves.",
        "",
        "The flags lay out a new cluster. Without them it is one ZooKeeper, three bookies and an"
            + " oracle on loopback addresses.",
        ""
      },
      sortOptions = false)
  int up(
      @Option(
              names = "--oracles",
              paramLabel = "N",
              description =
                  "Oracles, 1 to " + Layout.NODES_MAX + ": one leads, the others stand by.")
          Integer oracles,
      @Option(
              names = "--bookies",
              paramLabel = "N",
              description = "Bookies, 1 to " + Layout.NODES_MAX + ".")
          Integer bookies,
      @Option(names = "--zookeepers", paramLabel = "N", description = "ZooKeeper servers, 1 or 3.")
          Integer zooKeepers,
      @Option(
              names = "--network",
              paramLabel = "loopback|namespaces",
              description =
                  "loopback: an address for each node. namespaces: a network namespace for each"
                      + " node and a router between them, so that nodes can be cut off; takes root"
                      + " or user namespaces.")
          NetworkKind network,
      @Option(
              names = "--set",
              paramLabel = "KEY=VALUE",
              description = "A setting of the oracles, as in docs/configuration.md. Repeatable.")
          Map<String, String> settings,
      @Option(
              names = "--bookie-disk",
              paramLabel = "MIB",
              description =
                  "With namespaces: each bookie has a disk of this size, "
                      + DISK_MIN
                      + " or more, in memory, which can be filled, and which goes with stop.")
          Integer bookieDisk) {
    if (Layout.exists(directory)) {
      boolean isDescribed =
          Stream.of(oracles, bookies, zooKeepers, network, settings, bookieDisk)
              .anyMatch(Objects::nonNull);
      return isDescribed
          ? failed(
              "the cluster in "
                  + directory
                  + " is laid out already: up without flags starts it, stop --delete gives it up")
          : with(this::start);
    }
    Layout.Counts counts =
        new Layout.Counts(
            Objects.requireNonNullElse(zooKeepers, 1),
            Objects.requireNonNullElse(bookies, 3),
            Objects.requireNonNullElse(oracles, 1));
    boolean hasRoom =
        bookieDisk == null || network == NetworkKind.NAMESPACES && bookieDisk >= DISK_MIN;
    String problem =
        hasRoom
            ? counts.problem().orElse(null)
            : "--bookie-disk takes --network namespaces, and " + DISK_MIN + " MiB or more";
    if (problem != null) {
      return failed(problem);
    }
    return with(
        () ->
            Cluster.create(
                directory,
                counts,
                network == NetworkKind.NAMESPACES,
                hosts -> Objects.requireNonNullElse(settings, Map.of()),
                Objects.requireNonNullElse(bookieDisk, 0)),
        this::start);
  }

  /** A user that interrupts it (SIGINT, SIGTERM) waits until what it has started is gone. */
  private int start(Cluster cluster, PrintWriter out) throws IOException, InterruptedException {
    Thread starter = Thread.currentThread();
    CountDownLatch done = new CountDownLatch(1);
    Thread hook =
        new Thread(
            () -> {
              starter.interrupt();
              try {
                done.await(UNDO_SECONDS_MAX, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "undo");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      cluster.up(
          line -> {
            out.println(line);
            out.flush();
          });
    } finally {
      done.countDown();
      forget(hook);
    }
    out.println("It goes on until: retso cluster stop --dir " + directory);
    return 0;
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process is ending: the hook runs.
    }
  }

  @Command(
      name = "status",
      description = {"Shows all nodes, and which are cut off.", ""})
  int status() {
    return with(
        (cluster, out) -> {
          boolean well = true;
          for (Cluster.NodeStatus status : cluster.status()) {
            String pid = status.pid() == 0 ? "" : "pid " + status.pid();
            Node node = status.node();
            String where = node.role() == Role.CLIENT ? node.address() : node.endpoint();
            out.printf(
                Locale.ROOT, "%-12s %-21s %-12s %s%n", node.name(), where, pid, status.state());
            well &= status.isWell();
          }
          cluster.faults().present().forEach(out::println);
          return well ? 0 : ExitCode.UNHEALTHY.number();
        });
  }

  @Command(
      name = "logs",
      description = {"Shows the last lines that a node printed.", ""})
  int logs(
      @Parameters(paramLabel = "NODE", description = "Such as oracle-1.") String node,
      @Option(
              names = "--lines",
              paramLabel = "N",
              defaultValue = "50",
              description = "So many of them. Default: ${DEFAULT-VALUE}")
          int lines) {
    return with(
        (cluster, out) -> {
          out.println(cluster.lastLines(cluster.layout().node(node), lines));
          return 0;
        });
  }

  @Command(
      name = "stop",
      description = {"Ends all processes, and removes the network. Data stays.", ""})
  int stop(
      @Option(names = "--delete", description = "Deletes the cluster's directory, too.")
          boolean delete) {
    return with(
        (cluster, out) -> {
          if (delete) {
            cluster.destroy();
          } else {
            cluster.stop();
          }
          return 0;
        });
  }

  @Command(
      name = "kill",
      description = {"Kills a node's process, like kill -9.", ""})
  int kill(@Parameters(paramLabel = "NODE", description = "Such as bookie-2.") String node) {
    return to(node, Cluster::kill);
  }

  @Command(
      name = "pause",
      description = {"Stops a node's process in the middle of what it does (SIGSTOP).", ""})
  int pause(@Parameters(paramLabel = "NODE", description = "Such as oracle-1.") String node) {
    return to(node, Cluster::pause);
  }

  @Command(
      name = "resume",
      description = {"Lets a paused node go on (SIGCONT).", ""})
  int resume(@Parameters(paramLabel = "NODE", description = "Such as oracle-1.") String node) {
    return to(node, Cluster::resume);
  }

  @Command(
      name = "restart",
      description = {"Ends a node's process cleanly if it runs, and starts it again.", ""})
  int restart(
      @Parameters(paramLabel = "NODE", description = "Such as bookie-2.") String node,
      @Option(
              names = "--class-path",
              paramLabel = "PATHS",
              description =
                  "The class path of another build, which the node runs from now on, as in a"
                      + " rolling upgrade; 'own' for that of this one.")
          String classPath) {
    return to(
        node,
        (cluster, found) -> {
          if (classPath != null) {
            cluster.runBuild(found, classPath.equals("own") ? null : classPath);
          }
          cluster.restart(found);
        });
  }

  @Command(
      name = "partition",
      description = {"Cuts a node off: packets are dropped. Needs --network namespaces.", ""})
  int partition(
      @Parameters(paramLabel = "NODE", description = "Such as oracle-1.") String node,
      @Option(
              names = "--from",
              paramLabel = "NODE",
              description = "The node from which it is cut off. Default: all")
          String other,
      @Option(
              names = "--direction",
              paramLabel = "both|in|out",
              defaultValue = "both",
              description =
                  "both; in: it hears no other; out: no other hears it. Default: ${DEFAULT-VALUE}")
          Faults.Direction direction) {
    return to(
        node,
        (cluster, found) ->
            cluster
                .faults()
                .partition(found, other == null ? null : cluster.layout().node(other), direction));
  }

  @Command(
      name = "lose",
      description = {"Loses packets of a node at random, both ways. Needs namespaces.", ""})
  int lose(
      @Parameters(index = "0", paramLabel = "NODE", description = "Such as oracle-1.") String node,
      @Parameters(index = "1", paramLabel = "PERCENT", description = "1 to 99.") int percent) {
    return percent < 1 || percent > 99
        ? failed(percent + " percent: give 1 to 99")
        : to(node, (cluster, found) -> cluster.faults().lose(found, percent));
  }

  @Command(
      name = "slow",
      description = {
        "Makes the link of a node slow, both ways: what waits is delayed. Needs namespaces.",
        ""
      })
  int slow(
      @Parameters(index = "0", paramLabel = "NODE", description = "Such as oracle-1.") String node,
      @Parameters(index = "1", paramLabel = "KBIT", description = "So many thousand bits a second.")
          int kilobits) {
    return kilobits < 1
        ? failed(kilobits + " kbit/s: give 1 or more")
        : to(node, (cluster, found) -> cluster.faults().slow(found, kilobits));
  }

  @Command(
      name = "fill",
      description = {"Fills the disk of a bookie. Needs --bookie-disk.", ""})
  int fill(@Parameters(paramLabel = "NODE", description = "Such as bookie-2.") String node) {
    return to(node, (cluster, found) -> cluster.faults().fill(found));
  }

  @Command(
      name = "heal",
      description = {
        "Ends partitions; without a node, lost packets, slow links, full disks, too.",
        ""
      })
  int heal(
      @Parameters(
              paramLabel = "NODE",
              arity = "0..1",
              description = "Whose partitions end. Default: all, and all other such faults")
          String node) {
    return with(
        (cluster, out) -> {
          cluster.faults().heal(node == null ? null : cluster.layout().node(node));
          return 0;
        });
  }

  @Command(
      name = "exec",
      description = {
        "Runs a command on a node's host, such as client-1, and returns its exit code.",
        ""
      })
  int exec(
      @Parameters(index = "0", paramLabel = "NODE", description = "Such as client-1.") String node,
      @Parameters(index = "1..*", arity = "1..*", paramLabel = "WORD", description = "The command.")
          List<String> words) {
    List<String> command = new ArrayList<>();
    int code =
        with(
            (cluster, out) -> {
              command.addAll(cluster.enter(cluster.layout().node(node)));
              return 0;
            });
    if (code != 0) {
      return code;
    }
    command.addAll(words);
    try {
      return new ProcessBuilder(command).inheritIO().start().waitFor();
    } catch (IOException e) {
      return failed(ErrorText.of(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return failed("interrupted");
    }
  }
}
