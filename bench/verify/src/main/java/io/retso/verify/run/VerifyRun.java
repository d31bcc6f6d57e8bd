package io.retso.verify.run;

import io.retso.admin.FirstContact;
import io.retso.admin.NoHBaseException;
import io.retso.admin.RootCause;
import io.retso.cluster.ClusterException;
import io.retso.cluster.Directories;
import io.retso.cluster.LocalCluster;
import io.retso.hbase.errors.TransactionException;
import io.retso.verify.check.Verdict;
import io.retso.verify.clients.ClusterAccess;
import io.retso.verify.clients.RunIsolation;
import io.retso.verify.clients.Work;
import io.retso.verify.faults.FaultCounts;
import io.retso.verify.faults.FaultOrder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

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
   * @param obstacles why the run says nothing about the store, with remedies
   * @param history the file with its history, as it was recorded
   * @param rounds how many there were
   */
  public record Result(
      Verdict verdict, List<String> violations, List<String> obstacles, Path history, int rounds) {
    /** Whether the store was seen to do something wrong. */
    public boolean isWrong() {
      return !verdict.isConsistent() || !violations.isEmpty();
    }

    /** Whether it was tested, and nothing is wrong. */
    public boolean isGood() {
      return !isWrong() && obstacles.isEmpty();
    }
  }

  private static final Duration TRANSACTION_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** A user's own oracle may have the default transaction.timeout, ten minutes. */
  private static final Duration PATIENCE_WITH_GIVEN = Duration.ofMinutes(15);

  private static final int REGION_SERVERS = 2;

  private final RunSettings settings;
  private final PrintWriter out;

  private VerifyRun(RunSettings settings, PrintWriter out) {
    this.settings = settings;
    this.out = out;
  }

  /**
   * Runs, and reports how it goes.
   *
   * @throws ClusterException if the cluster cannot be started, or the given one not be used
   * @throws IOException if the run does not get to its end
   */
  public static Result run(RunSettings settings, PrintWriter out)
      throws IOException, InterruptedException {
    return new VerifyRun(settings, out).run();
  }

  private Result run() throws IOException, InterruptedException {
    say("Seed %d. Everything is written to %s.", settings.seed(), settings.directory());
    String prefix =
        "retso-verify-" + Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
    if (settings.given().isPresent()) {
      ClusterAccess given = settings.given().get();
      try (DropAtExit exit = DropAtExit.of(given, prefix, out);
          RunTables place = exit.open(() -> open(given, prefix))) {
        return rounds(place, null);
      }
    }
    say("Starting an oracle, a master and %d region servers ...", REGION_SERVERS);
    Path directory = settings.directory().resolve("cluster");
    LocalCluster.Builder builder =
        LocalCluster.in(directory)
            .regionServers(REGION_SERVERS)
            .hbaseHeapMb(768)
            .oracleHeapMb(384)
            .set("zookeeper.session.timeout", "8000")
            .oracleFlags(
                "--rows=1M",
                "--window-timestamps=2^20",
                "--uncleaned-max=200k",
                "--transaction-timeout=" + TRANSACTION_TIMEOUT.toSeconds() + "s");
    Optional<Path> keys = Optional.empty();
    if (settings.secured()) {
      keys = Optional.of(builder.secured());
    }
    try (LocalCluster cluster = builder.start()) {
      var configuration = cluster.configuration();
      String key =
          configuration.get("hbase.zookeeper.quorum")
              + ":"
              + configuration.get("hbase.zookeeper.property.clientPort")
              + ":"
              + configuration.get("zookeeper.znode.parent", "/hbase");
      try (RunTables place =
          RunTables.open(
              new ClusterAccess(key, cluster.oracle(), keys),
              prefix,
              RunTables.modes(settings.isolation()))) {
        return rounds(place, new ProcessFaults(cluster));
      } finally {
        say("Stopping the cluster ...");
      }
    } finally {
      Directories.delete(directory.resolve("data"));
    }
  }

  /** Connects to what may be anything, or nothing. */
  private RunTables open(ClusterAccess given, String prefix) throws IOException {
    try {
      FirstContact.make(given.configuration(), "--cluster");
    } catch (NoHBaseException e) {
      throw new ClusterException(e.getMessage(), e);
    }
    try {
      return RunTables.open(given, prefix, RunTables.modes(settings.isolation()));
    } catch (TransactionException e) {
      throw new ClusterException(e.getMessage(), e);
    } catch (IOException e) {
      throw new ClusterException(
          "HBase, by way of ZooKeeper at "
              + given.cluster()
              + ", does not make tables for transactions: "
              + RootCause.of(e)
              + "; check that its master and region servers have ReTSO on their class path, and"
              + " that you may create tables",
          e);
    }
  }

  private Result rounds(RunTables place, Round.Servers servers)
      throws IOException, InterruptedException {
    double left = settings.seconds();
    double more = settings.secondsMax() - left;
    Work work = Work.NONE;
    FaultCounts faults = new FaultCounts();
    FaultOrder faultOrder = new FaultOrder(settings.seed());
    for (int number = 0; ; number++) {
      double seconds = Math.min(left, settings.roundSeconds());
      left -= seconds;
      Path directory = settings.directory().resolve("round-" + (number + 1));
      Files.createDirectories(directory);
      say(
          "Round %d: %.0f s, %.0f s after it; %d threads here and %d in each of %d processes.",
          number + 1, seconds, left, settings.threads(), settings.threads(), settings.processes());
      Duration patience = servers == null ? PATIENCE_WITH_GIVEN : PATIENCE;
      Round round = new Round(place, settings, number, directory, patience, faultOrder);
      Round.Outcome outcome = round.run(seconds, servers, new Teller());
      work = work.plus(outcome.work());
      say(
          "  %,d committed with appends; tokens were found %,d times and moved %,d times",
          outcome.work().commits(), outcome.work().looks(), outcome.work().moves());
      say(
          "  of transactions that overlapped and missed an append of each other, both committed %,d"
              + " times, and one was refused %,d times",
          outcome.work().skewed(), outcome.work().refused());
      say("  a stranger was refused %,d times", outcome.strange());
      if (outcome.notBelieved() > 0) {
        say("  regions did not believe %,d outcomes that were made up", outcome.notBelieved());
      }
      faults.add(outcome.faults(), outcome.never());
      if (left < 1 && more >= 1 && !faults.waiting().isEmpty()) {
        left = Math.min(more, settings.roundSeconds());
        more -= left;
      }
      if (!outcome.isGood() || left < 1) {
        faults.lines().forEach(line -> say("%s", line));
        List<String> obstacles = new ArrayList<>(outcome.obstacles());
        obstacles.addAll(work.tooLittle());
        Result result =
            new Result(
                outcome.verdict(), outcome.violations(), obstacles, outcome.history(), number + 1);
        if (result.isGood() && !settings.keep()) {
          Directories.delete(directory);
        }
        return result;
      }
      say(
          "  consistent: %,d committed, %,d failed, %,d unknown",
          outcome.verdict().ok(), outcome.verdict().failed(), outcome.verdict().unknown());
      if (!settings.keep()) {
        Directories.delete(directory);
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
          "  %4.0f s  %,7.0f commits/s  %,d ok, %,d conflicts,%s %,d failed, %,d unknown  faults:"
              + " %s",
          seconds,
          (tally.committed() - lastCommitted) / Math.max(1e-3, seconds - lastSeconds),
          tally.committed(),
          tally.conflicts(),
          settings.isolation() == RunIsolation.SNAPSHOT
              ? ""
              : String.format(Locale.ROOT, " %,d refused,", tally.refused()),
          tally.failed() - tally.conflicts() - tally.refused(),
          tally.unknown(),
          FaultCounts.text(faults));
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
