package io.retso.verify;

import io.retso.text.ErrorText;
import io.retso.verify.clients.ClusterAccess;
import io.retso.verify.clients.RunIsolation;
import io.retso.verify.run.RunSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The flags of a run of {@code retso verify}. */
final class RunOptions {
  private static final Set<String> LOCAL_FAULTS =
      Set.of("server-kill", "master-kill", "oracle-kill", "oracle-pause");

  private static final double MINUTES = 1;
  private static final double MINUTES_MAX = 5;

  @Option(
      names = "--minutes",
      paramLabel = "N",
      description =
          "How long clients work. Default: 1, and round after round up to 5 until each fault has"
              + " had its turn")
  private Double minutes;

  @Option(
      names = "--round",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description =
          "The most for a round: then its history is judged, and the next one begins with new"
              + " lists. Default: ${DEFAULT-VALUE}")
  private double roundSeconds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Of the random numbers; printed. Default: another one each time")
  private Long seed;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "2",
      description = "Client processes, beside this one. Default: ${DEFAULT-VALUE}")
  private int processes;

  @Option(
      names = "--threads",
      paramLabel = "N",
      defaultValue = "4",
      description = "Transactions at a time in each process. Default: ${DEFAULT-VALUE}")
  private int threads;

  @Option(
      names = "--list",
      paramLabel = "N",
      defaultValue = "60",
      description = "Length from which a list is left alone. Default: ${DEFAULT-VALUE}")
  private int listMax;

  @Option(
      names = "--faults",
      split = ",",
      paramLabel = "NAME",
      description =
          "What happens, each once in random order before any happens again: all, none, or some of"
              + " client-kill, manager-kill, sweep, flush, compact, major-compact, move, split,"
              + " merge, server-kill, master-kill, oracle-kill, oracle-pause; the last four only"
              + " without --cluster. Default: all")
  private List<String> faults = List.of("all");

  @Option(
      names = "--cluster",
      paramLabel = "KEY",
      description =
          "Runs against this HBase, quorum:port:znode or quorum:port, whose region servers have"
              + " ReTSO on their class path. Makes tables named retso-verify-..., and drops them at"
              + " the end, after an error and after SIGINT or SIGTERM, too. A round with"
              + " client-kill ends no sooner than the oracle's transaction.timeout.")
  private String cluster;

  @Option(names = "--oracle", paramLabel = "HOST:PORT", description = "The oracle for --cluster.")
  private String oracle;

  @Option(
      names = "--secured",
      description =
          "The oracle wants to know all of its clients, region servers included: they speak by TLS,"
              + " and show certificates. Not with --cluster.")
  private boolean secured;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      description =
          "Keeps the histories of all rounds, and what the processes printed, in this directory."
              + " Default: a temporary one, for a bad round only")
  private Path out;

  /** Checks the flags. */
  RunSettings settings(CommandLine command, RunIsolation isolation) {
    check(
        command,
        minutes == null || minutes > 0 && minutes <= 10_000,
        "--minutes must be above 0 and at most 10000");
    check(command, roundSeconds >= 5 && roundSeconds <= 600, "--round must be within 5 and 600");
    check(command, processes >= 0 && processes <= 16, "--clients must be within 0 and 16");
    check(command, threads >= 1 && threads <= 64, "--threads must be within 1 and 64");
    check(command, listMax >= 5 && listMax <= 1000, "--list must be within 5 and 1000");
    check(
        command,
        (cluster == null) == (oracle == null),
        "--cluster and --oracle go together: give both or none");
    check(command, !secured || cluster == null, "--secured is for a cluster of the run's own");
    return new RunSettings(
        seed == null ? new Random().nextInt(Integer.MAX_VALUE) : seed,
        60 * (minutes == null ? MINUTES : minutes),
        60 * (minutes == null ? MINUTES_MAX : minutes),
        roundSeconds,
        processes,
        threads,
        listMax,
        isolation,
        faults(command),
        given(command),
        directory(command),
        out != null,
        secured);
  }

  private Optional<ClusterAccess> given(CommandLine command) {
    try {
      return cluster == null ? Optional.empty() : Optional.of(ClusterAccess.of(cluster, oracle));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command, ErrorText.of(e), e);
    }
  }

  private Set<String> faults(CommandLine command) {
    Set<String> chosen = new LinkedHashSet<>();
    for (String name : faults) {
      if (name.equals("all")) {
        chosen.addAll(RunSettings.FAULTS);
        if (cluster != null) {
          chosen.removeAll(LOCAL_FAULTS);
        }
      } else if (!name.equals("none")) {
        check(
            command,
            RunSettings.FAULTS.contains(name),
            "no fault is called "
                + name
                + "; choose from all, none, "
                + String.join(", ", RunSettings.FAULTS));
        check(
            command,
            cluster == null || !LOCAL_FAULTS.contains(name),
            name + " is for a cluster of this machine's own: leave out --cluster");
        chosen.add(name);
      }
    }
    return chosen;
  }

  private Path directory(CommandLine command) {
    try {
      return out == null ? Files.createTempDirectory("retso-verify") : out.toAbsolutePath();
    } catch (IOException e) {
      throw new ParameterException(
          command,
          "no temporary directory can be made (" + ErrorText.of(e) + "); use --out DIR",
          e);
    }
  }

  private static void check(CommandLine command, boolean good, String otherwise) {
    if (!good) {
      throw new ParameterException(command, otherwise);
    }
  }
}
