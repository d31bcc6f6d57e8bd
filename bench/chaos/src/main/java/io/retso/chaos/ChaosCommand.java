package io.retso.chaos;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.retso.chaos.load.Load;
import io.retso.chaos.rollout.Rollout;
import io.retso.chaos.rollout.RolloutRun;
import io.retso.chaos.run.ChaosReport;
import io.retso.chaos.run.ChaosResult;
import io.retso.chaos.run.ChaosRun;
import io.retso.chaos.run.ChaosSettings;
import io.retso.cluster.ClusterException;
import io.retso.cluster.nodes.Cluster;
import io.retso.cluster.nodes.Layout;
import io.retso.report.BenchException;
import io.retso.report.Publication;
import io.retso.server.commands.UsualExitCodes;
import io.retso.text.ErrorText;
import io.retso.verify.clients.RunIsolation;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code retso chaos}: whether oracles keep their promises whatever happens to them. */
@Command(
    name = "chaos",
    description = {
      "Lets faults happen to a cluster of oracles, bookies and ZooKeeper, and judges what clients"
          + " saw.",
      "",
      "Starts the cluster as processes of this machine, in network namespaces if these can be made."
          + " Clients append to lists and read them, transfer money and add it up; the oracle"
          + " decides, they keep the values. Servers are killed, stopped, cut off, slowed down,"
          + " handed over and restarted, disks are filled, in an order that the seed decides. In"
          + " the end everything is read, and the history is judged. A timeline and the figures of"
          + " each fault are written to --out.",
      ""
    },
    sortOptions = false,
    usageHelpAutoWidth = true,
    abbreviateSynopsis = true,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:Nothing was wrong.",
      "1:Something was: anomalies, lost commits, or clients that were not served again.",
      "2:The run could not be made, or nothing was tested.",
      "64:A flag is wrong.",
      "70:An error in ReTSO itself. Please report it.",
      "130, 143:Ended by SIGINT or SIGTERM; the cluster is ended a moment later."
    },
    modelTransformer = UsualExitCodes.class)
public final class ChaosCommand implements Callable<Integer> {
  private static final int WRONG = 1;
  private static final int NOT_TESTED = 2;
  private static final int MINUTES_MAX = 10_000;

  @Spec private CommandSpec spec;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Shows this help.")
  private boolean help;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      defaultValue = "2",
      description = "How long faults happen, or clients commit. Default: ${DEFAULT-VALUE}")
  private double minutes;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of all random numbers; printed. Default: another one each time")
  private Long seed;

  @Option(
      names = "--oracles",
      paramLabel = "N",
      defaultValue = "3",
      description = "One leads, the others stand by. Default: ${DEFAULT-VALUE}")
  private int oracles;

  @Option(
      names = "--bookies",
      paramLabel = "N",
      defaultValue = "4",
      description =
          "Bookies; with one more than the copies of the log, the log goes on when one is down."
              + " Default: ${DEFAULT-VALUE}")
  private int bookies;

  @Option(
      names = "--zookeepers",
      paramLabel = "N",
      defaultValue = "3",
      description = "1 or 3. Default: ${DEFAULT-VALUE}")
  private int zooKeepers;

  @Option(
      names = "--isolation",
      paramLabel = "snapshot|serializable|mixed",
      defaultValue = "mixed",
      description = RunIsolation.PROMISES + " Default: ${DEFAULT-VALUE}")
  private RunIsolation isolation;

  @Option(
      names = "--rate",
      paramLabel = "TPS",
      defaultValue = "400",
      description =
          "Transactions a second, beside those that are judged, whose answers are timed. Default:"
              + " ${DEFAULT-VALUE}")
  private double rate;

  @Option(
      names = "--faults",
      split = ",",
      paramLabel = "NAME",
      description = "Only these; a wrong name shows all. Default: all that can be made")
  private List<String> faults = List.of();

  @Option(
      names = "--other-build",
      paramLabel = "PATHS",
      description =
          "The class path of another build: oracles are upgraded to it, and back, one by one.")
  private String otherBuild;

  @Option(
      names = "--secured",
      description = "Oracles know each other and all of their clients, by certificates, over TLS.")
  private boolean secured;

  @Option(
      names = "--rollout",
      description =
          "No faults: security is switched on, member by member, and off again while clients"
              + " commit; leaders are killed and handed over in between.")
  private boolean rollout;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "./retso-chaos",
      description = "Where everything is written. Default: ${DEFAULT-VALUE}")
  private Path out;

  private static final int CLIENTS = 4;

  @Override
  public Integer call() {
    check(minutes > 0 && minutes <= MINUTES_MAX, "--minutes must be above 0 and at most 10,000");
    check(rate >= 1 && rate <= 1_000_000, "--rate must be 1 to 1,000,000");
    Layout.Counts counts = new Layout.Counts(zooKeepers, bookies, oracles);
    Optional<String> problem = counts.problem();
    check(problem.isEmpty(), problem.orElse(""));
    check(!rollout || oracles > 1, "--rollout takes --oracles 2 or more");
    check(
        !rollout || faults.isEmpty() && otherBuild == null && !secured,
        "--rollout goes with none of --faults, --other-build and --secured");
    // What our own clients say about servers that are killed would fill the screen.
    ((Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME)).setLevel(Level.ERROR);
    ((Logger) LoggerFactory.getLogger("io.retso")).setLevel(Level.ERROR);
    try {
      return rollout ? rollOut(counts) : run(counts);
    } catch (ClusterException e) {
      return refused(e.getMessage());
    } catch (IOException e) {
      return refused("the run did not get to its end: " + ErrorText.of(e));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return refused("interrupted");
    }
  }

  private int run(Layout.Counts counts) throws IOException, InterruptedException {
    PrintWriter text = spec.commandLine().getOut();
    Optional<String> obstacle = Cluster.obstacleToNamespaces();
    obstacle.ifPresent(why -> text.println("No faults of network and disks: " + why + "."));
    ChaosReport report =
        ChaosRun.run(
            new ChaosSettings(
                counts,
                obstacle.isEmpty(),
                minutes * 60,
                seed == null ? new Random().nextInt(1_000_000) : seed,
                isolation,
                new Load.Plan(CLIENTS, 1, rate),
                faults,
                otherBuild,
                secured,
                Files.createDirectories(out.toAbsolutePath().normalize())),
            spec.commandLine().getParseResult().originalArgs(),
            text);
    try {
      Publication.publish(ChaosResult.of(report), text, out);
    } catch (BenchException e) {
      throw new IOException(e.getMessage(), e);
    }
    if (!report.isGood()) {
      return WRONG;
    }
    return report.isTested() ? 0 : refused("hardly anything was tested: give it more --minutes");
  }

  private int rollOut(Layout.Counts counts) throws IOException, InterruptedException {
    Path directory = Files.createDirectories(out.toAbsolutePath().normalize());
    long seconds = (long) (minutes * 60 / Rollout.STEPS);
    List<String> wrong = RolloutRun.run(counts, seconds, directory, spec.commandLine().getOut());
    return wrong.isEmpty() ? 0 : WRONG;
  }

  private int refused(String why) {
    PrintWriter err = spec.commandLine().getErr();
    err.println("retso chaos: " + why);
    err.flush();
    return NOT_TESTED;
  }

  private void check(boolean holds, String message) {
    if (!holds) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }
}
