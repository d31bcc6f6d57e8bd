package io.retso.chaos.run;

import io.retso.chaos.clients.Clients;
import io.retso.chaos.clients.ClientsOutcome;
import io.retso.chaos.clients.ClientsPlan;
import io.retso.chaos.load.Successes;
import io.retso.cluster.ClusterException;
import io.retso.cluster.SecuredFiles;
import io.retso.cluster.nodes.Cluster;
import io.retso.cluster.nodes.Role;
import io.retso.machine.Machine;
import io.retso.server.BuildVersion;
import io.retso.verify.VerdictText;
import io.retso.verify.check.AnomalyKind;
import io.retso.verify.check.Checker;
import io.retso.verify.check.Model;
import io.retso.verify.check.Verdict;
import io.retso.verify.faults.Fault;
import io.retso.verify.faults.FaultOrder;
import io.retso.verify.history.History;
import io.retso.verify.history.HistoryReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * Workloads on a cluster of oracles while faults happen to it, in rounds: at the end of each the
 * history is judged, and the next one begins with new lists, so a run may last for hours.
 */
public final class ChaosRun {
  private static final double ROUND_SECONDS_MAX = 120;
  private static final int PAUSE_MILLIS_MIN = 300;
  private static final int PAUSE_MILLIS_MAX = 2000;
  private static final int EFFECT_MILLIS_MIN = 300;
  private static final int EFFECT_MILLIS_MAX = 3000;
  private static final int LIST_THREADS = 4;
  private static final int BANK_PAUSE_MILLIS = 4;
  private static final int BANK_THREADS = 4;
  private static final int LIST_MAX = 60;
  private static final int GENERATIONS_PER_ROUND = 1_000_000;
  private static final int TIMED_HEAP_MIB = 256;
  private static final int WORK_HEAP_MIB = 768;
  private static final int BOOKIE_DISK_MIB = 512;

  /** Small, as a machine has many of them. */
  private static final Map<String, String> ORACLE_SETTINGS =
      Map.of(
          "rows", "1M",
          "window.timestamps", "2^20",
          "uncleaned.max", "200k",
          "transaction.timeout", "10s");

  private final ChaosSettings settings;
  private final PrintWriter out;
  private final long origin = System.nanoTime();
  private final Random random;
  private final FaultOrder order;
  private final List<ChaosReport.Round> rounds = new ArrayList<>();
  private final List<ChaosReport.Led> leaders = new ArrayList<>();
  private final Timeline begins = new Timeline();
  private final Timeline commits = new Timeline();

  /** They are in the cluster's directory and go with it; null if no client is asked for one. */
  private SecuredFiles keys;

  private ChaosRun(ChaosSettings settings, PrintWriter out) {
    this.settings = settings;
    this.out = out;
    this.random = new Random(settings.seed());
    this.order = new FaultOrder(settings.seed());
  }

  /**
   * Makes a cluster, runs, and ends the cluster.
   *
   * @param flags as given, for the report
   * @throws ClusterException if the cluster cannot be started
   * @throws IOException if the run does not get to its end
   */
  public static ChaosReport run(ChaosSettings settings, List<String> flags, PrintWriter out)
      throws IOException, InterruptedException {
    return new ChaosRun(settings, out).run(flags);
  }

  private void say(String format, Object... details) {
    out.println(String.format(Locale.ROOT, format, details));
    out.flush();
  }

  private ChaosReport run(List<String> flags) throws IOException, InterruptedException {
    String startedAt = Instant.now().toString();
    Map<String, Object> machine = Machine.facts();
    say("Seed %d. Everything is written to %s.", settings.seed(), settings.directory());
    Nemesis nemesis =
        Cluster.during(
            settings.directory().resolve("cluster"),
            settings.counts(),
            settings.namespaces(),
            this::settingsOf,
            settings.namespaces() ? BOOKIE_DISK_MIB : 0,
            line -> say("%s", line),
            this::rounds);
    return new ChaosReport(
        BuildVersion.text(),
        startedAt,
        flags,
        machine,
        settings.seed(),
        settings.counts().text(settings.namespaces()),
        settings.load().perSecond(),
        rounds,
        nemesis.trials(),
        nemesis.refused(),
        leaders,
        begins.steps(),
        commits.steps());
  }

  private Map<String, String> settingsOf(List<String> hosts) throws IOException {
    if (!settings.secured()) {
      return ORACLE_SETTINGS;
    }
    keys = SecuredFiles.make(settings.directory().resolve("cluster"), "required", hosts);
    Map<String, String> all = new HashMap<>(ORACLE_SETTINGS);
    all.putAll(keys.ofMembers());
    return all;
  }

  private Nemesis rounds(Cluster cluster) throws IOException, InterruptedException {
    List<Clients> present = new ArrayList<>();
    ClusterFaults faults =
        new ClusterFaults(cluster, () -> present.get(0), ChaosRun::last, settings.otherBuild());
    List<Fault> chosen = new ArrayList<>(faults.all());
    chosen.removeIf(f -> !settings.faults().isEmpty() && !settings.faults().contains(f.name()));
    if (chosen.isEmpty()) {
      throw new ClusterException(
          "this cluster can have none of these faults; it can have "
              + String.join(", ", faults.all().stream().map(Fault::name).toList()),
          null);
    }
    Nemesis nemesis = new Nemesis(cluster, faults, clients -> {}, origin);
    double left = settings.seconds();
    for (int number = 0; left > 0; number++) {
      double seconds = Math.min(left, ROUND_SECONDS_MAX);
      left -= seconds;
      round(cluster, number, seconds, nemesis, chosen, present);
    }
    return nemesis;
  }

  private void round(
      Cluster cluster,
      int number,
      double seconds,
      Nemesis nemesis,
      List<Fault> chosen,
      List<Clients> present)
      throws IOException, InterruptedException {
    say("Round %d: %.0f s.", number + 1, seconds);
    Path directory = settings.directory().resolve("round-" + (number + 1));
    int before = nemesis.notOver().size();
    try (Clients clients =
        Clients.start(ClusterFaults.enterClients(cluster), plans(cluster, number, directory))) {
      present.clear();
      present.add(clients);
      clients.over();
      long deadline = System.nanoTime() + (long) (seconds * 1e9);
      while (System.nanoTime() < deadline) {
        Thread.sleep(PAUSE_MILLIS_MIN + random.nextInt(PAUSE_MILLIS_MAX - PAUSE_MILLIS_MIN));
        int trials = nemesis.trials().size();
        nemesis.next(order, chosen, clients, random);
        nemesis.trials().stream().skip(trials).forEach(this::say);
      }
      say("  reading everything ...");
      List<ClientsOutcome> outcomes = clients.stop();
      begins.add(outcomes.get(0).begins());
      commits.add(outcomes.get(0).commits());
      ClientsOutcome outcome = outcomes.get(1);
      outcomes.get(0).leaders().forEach(leader -> led(cluster, leader));
      List<String> violations = new ArrayList<>(outcome.violations());
      violations.addAll(nemesis.notOver().subList(before, nemesis.notOver().size()));
      judge(directory, outcome, violations);
    }
  }

  private void say(Trial trial) {
    say(
        "  %5.0f of %.0f s  %s: %s; no begin for %.0f ms, no commit for %.0f ms",
        trial.from(),
        settings.seconds(),
        trial.fault(),
        trial.what(),
        trial.beginGap(),
        trial.commitGap());
  }

  /** One plan for the clients whose answers are timed, and one for those that are judged. */
  private List<ClientsPlan> plans(Cluster cluster, int number, Path directory) {
    long seed = settings.seed() + 1_000_003L * number;
    ClientsPlan.Work work =
        new ClientsPlan.Work(
            settings.isolation(),
            LIST_THREADS,
            BANK_THREADS,
            BANK_PAUSE_MILLIS,
            LIST_MAX,
            number * GENERATIONS_PER_ROUND);
    List<String> oracles = cluster.layout().oracles();
    String timed = directory.resolve("timed").toString();
    String keysDirectory = keys == null ? null : keys.directory().toString();
    return List.of(
        new ClientsPlan(
            oracles, settings.load(), null, seed, origin, timed, TIMED_HEAP_MIB, keysDirectory),
        new ClientsPlan(
            oracles, null, work, seed, origin, directory.toString(), WORK_HEAP_MIB, keysDirectory));
  }

  private static String last(Random random) throws InterruptedException {
    int millis = EFFECT_MILLIS_MIN + random.nextInt(EFFECT_MILLIS_MAX - EFFECT_MILLIS_MIN);
    Thread.sleep(millis);
    return "for " + millis + " ms";
  }

  private void led(Cluster cluster, Clients.Leader leader) {
    boolean isNew = leaders.isEmpty() || leaders.get(leaders.size() - 1).epoch() < leader.epoch();
    cluster.layout().of(Role.ORACLE).stream()
        .filter(node -> isNew && node.endpoint().equals(leader.address()))
        .forEach(
            node ->
                leaders.add(
                    new ChaosReport.Led(
                        node.name(), leader.epoch(), (leader.nanos() - origin) / 1e9)));
  }

  /** A good history is not kept. */
  private void judge(Path directory, ClientsOutcome outcome, List<String> violations)
      throws IOException {
    Path file = directory.resolve("history.edn");
    History history = HistoryReader.read(file).history();
    Verdict verdict = Checker.check(history, Model.of(history));
    ChaosReport.Round round =
        new ChaosReport.Round(
            verdict.ok(),
            verdict.unknown(),
            outcome.bank().acknowledged(),
            outcome.bank().audits(),
            outcome.bank().lost()
                + verdict.anomalyCounts().getOrDefault(AnomalyKind.LOST_APPEND, 0),
            verdict.anomalyTotal(),
            violations,
            VerdictText.of(verdict, verdict.ok() > 0));
    rounds.add(round);
    out.print(round.verdict().indent(2));
    round.violations().forEach(violation -> say("  VIOLATION: %s", violation));
    if (round.isGood()) {
      Files.delete(file);
    } else {
      say("  The history is in %s; check it again with retso verify --history.", file);
    }
  }

  /** Steps of rounds, one over the other. */
  private static final class Timeline {
    private int[] counts = {};
    private float[] slowest = {};

    void add(Successes.Steps steps) {
      int length = Math.max(counts.length, steps.counts().length);
      counts = Arrays.copyOf(counts, length);
      slowest = Arrays.copyOf(slowest, length);
      for (int i = 0; i < steps.counts().length; i++) {
        counts[i] += steps.counts()[i];
        slowest[i] = Math.max(slowest[i], steps.slowestMillis()[i]);
      }
    }

    Successes.Steps steps() {
      return new Successes.Steps(counts, slowest);
    }
  }
}
