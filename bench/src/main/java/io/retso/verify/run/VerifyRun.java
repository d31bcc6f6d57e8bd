package io.retso.verify.run;

import io.retso.cluster.Directories;
import io.retso.cluster.LocalCluster;
import io.retso.verify.check.Verdict;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Runs random transactions against transactional tables, lets faults happen, and judges the
 * history; round after round, until the time is up or a round is bad.
 */
public final class VerifyRun {
  /**
   * What the last round came to: the bad one, if one was.
   *
   * @param verdict on its history
   * @param violations what no correct store does, found without the checker
   * @param history the file with its history, as it was recorded
   * @param rounds how many there were
   */
  public record Result(Verdict verdict, List<String> violations, Path history, int rounds) {
    /** Whether nothing is wrong. */
    public boolean isGood() {
      return verdict.isConsistent() && violations.isEmpty();
    }
  }

  private static final Duration TRANSACTION_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** An oracle of somebody else may have the default transaction.timeout, ten minutes. */
  private static final Duration PATIENCE_WITH_GIVEN = Duration.ofMinutes(15);

  private static final int REGION_SERVERS = 2;

  private final RunSettings settings;
  private final PrintWriter out;

  private VerifyRun(RunSettings settings, PrintWriter out) {
    this.settings = settings;
    this.out = out;
  }

  /**
   * Runs, and tells how it goes.
   *
   * @throws IOException if the cluster cannot be started or used
   */
  public static Result run(RunSettings settings, PrintWriter out)
      throws IOException, InterruptedException {
    return new VerifyRun(settings, out).run();
  }

  private Result run() throws IOException, InterruptedException {
    say("Seed %d. Everything is written to %s.", settings.seed(), settings.directory());
    if (settings.given().isPresent()) {
      RunSettings.Given given = settings.given().get();
      return rounds(given.cluster(), given.oracle(), null);
    }
    say("Starting an oracle, a master and %d region servers ...", REGION_SERVERS);
    Path directory = settings.directory().resolve("cluster");
    try (LocalCluster cluster =
        LocalCluster.in(directory)
            .regionServers(REGION_SERVERS)
            .hbaseHeapMb(768)
            .oracleHeapMb(384)
            .set("zookeeper.session.timeout", "8000")
            .oracleFlags(
                "--rows=1M",
                "--window-stamps=2^20",
                "--uncleaned-max=200k",
                "--transaction-timeout=" + TRANSACTION_TIMEOUT.toSeconds() + "s")
            .start()) {
      var configuration = cluster.configuration();
      String key =
          configuration.get("hbase.zookeeper.quorum")
              + ":"
              + configuration.get("hbase.zookeeper.property.clientPort")
              + ":"
              + configuration.get("zookeeper.znode.parent", "/hbase");
      Result result = rounds(key, cluster.oracle(), new ProcessFaults(cluster));
      say("Stopping the cluster ...");
      return result;
    } finally {
      Directories.delete(directory.resolve("data"));
    }
  }

  private Result rounds(String cluster, String oracle, Round.Servers servers)
      throws IOException, InterruptedException {
    String prefix =
        "retso-verify-" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
    try (Workplace place = Workplace.open(cluster, oracle, prefix, Workplace.ALL_MODES)) {
      double left = settings.seconds();
      for (int number = 0; ; number++) {
        double seconds = Math.min(left, settings.roundSeconds());
        left -= seconds;
        Path directory = settings.directory().resolve("round-" + (number + 1));
        Files.createDirectories(directory);
        say(
            "Round %d: %.0f s, %d threads here and %d in each of %d processes.",
            number + 1, seconds, settings.threads(), settings.threads(), settings.processes());
        Duration patience = servers == null ? PATIENCE_WITH_GIVEN : PATIENCE;
        Round round = new Round(place, settings, number, directory, patience);
        Round.Outcome outcome = round.run(seconds, servers, new Teller());
        if (!outcome.isGood() || left < 1) {
          if (outcome.isGood() && !settings.keep()) {
            Directories.delete(directory);
          }
          return new Result(outcome.verdict(), outcome.violations(), outcome.history(), number + 1);
        }
        say(
            "  consistent: %,d committed, %,d failed, %,d unknown",
            outcome.verdict().ok(), outcome.verdict().failed(), outcome.verdict().unknown());
        if (!settings.keep()) {
          Directories.delete(directory);
        }
      }
    }
  }

  /** Says what goes on. */
  private final class Teller implements Round.Listener {
    private double lastSeconds;
    private long lastCommitted;

    @Override
    public boolean goesOn(double seconds, Tally tally, Map<String, Integer> faults) {
      say(
          "  %4.0f s  %,7.0f commits/s  %,d ok, %,d conflicts, %,d failed, %,d unknown  faults: %s",
          seconds,
          (tally.committed() - lastCommitted) / Math.max(1e-3, seconds - lastSeconds),
          tally.committed(),
          tally.conflicts(),
          tally.failed() - tally.conflicts(),
          tally.unknown(),
          faults.isEmpty() ? "none" : new TreeMap<>(faults).toString().replaceAll("[{}]", ""));
      lastSeconds = seconds;
      lastCommitted = tally.committed();
      return true;
    }

    @Override
    public void phase(String what) {
      say("  %s ...", what);
    }
  }

  private void say(String format, Object... details) {
    out.println(String.format(Locale.ROOT, format, details));
    out.flush();
  }
}
