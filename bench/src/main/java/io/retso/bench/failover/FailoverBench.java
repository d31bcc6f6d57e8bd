package io.retso.bench.failover;

import io.retso.bench.machine.Machine;
import io.retso.bench.report.BenchException;
import io.retso.chaos.clients.Clients;
import io.retso.chaos.clients.ClientsOutcome;
import io.retso.chaos.clients.ClientsPlan;
import io.retso.chaos.load.Load;
import io.retso.chaos.load.Successes;
import io.retso.chaos.run.ClusterFaults;
import io.retso.chaos.run.Nemesis;
import io.retso.chaos.run.Trial;
import io.retso.cluster.nodes.Cluster;
import io.retso.server.BuildVersion;
import io.retso.verify.faults.Fault;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

/**
 * Lets servers of a cluster fail, one at a time, under a constant load, and measures for how long
 * clients get no answers.
 *
 * <p>A fault stays until all clients are served again, so what is measured is the fail-over, and
 * not the start of the server that has failed, which takes the processor from the others. With one
 * oracle nobody takes over: then it stays for a second, and the start of the server counts.
 */
public final class FailoverBench {
  private static final long ALONE_MILLIS = 1000;
  private static final int CLIENTS_HEAP_MIB = 1024;

  /** Room for a million commits that nobody cleans up. */
  private static final Map<String, String> ORACLE_SETTINGS =
      Map.of("rows", "4M", "window.timestamps", "2^23", "uncleaned.max", "2M");

  private final FailoverSettings settings;
  private final PrintWriter out;
  private final long origin = System.nanoTime();
  private double served;

  /** Of what is to be measured. */
  public FailoverBench(FailoverSettings settings, PrintWriter out) {
    this.settings = settings;
    this.out = out;
  }

  /**
   * Makes a cluster, measures, and ends the cluster.
   *
   * @param flags as given
   */
  public FailoverReport run(List<String> flags) throws BenchException, InterruptedException {
    String startedAt = Instant.now().toString();
    Map<String, Object> machine = Machine.facts();
    List<Clients.Idle> idle = new ArrayList<>();
    Nemesis nemesis;
    try {
      nemesis =
          Cluster.during(
              settings.directory().resolve("cluster"),
              settings.counts(),
              settings.namespaces(),
              ORACLE_SETTINGS,
              0,
              line -> say("%s", line),
              cluster -> {
                idle(cluster, idle);
                return trials(cluster);
              });
    } catch (IOException e) {
      throw new BenchException(e.getMessage(), e);
    }
    List<String> wrong = new ArrayList<>(nemesis.refused());
    wrong.addAll(nemesis.notOver());
    return new FailoverReport(
        BuildVersion.text(),
        startedAt,
        flags,
        machine,
        settings.counts().text(settings.namespaces()),
        settings.load().clients(),
        settings.load().clients() * settings.load().connections(),
        settings.load().perSecond(),
        served,
        settings.uncleaned(),
        nemesis.trials(),
        wrong,
        idle,
        settings.idleMillis(),
        FailoverText.comparisons(settings, nemesis.trials(), idle));
  }

  private ClientsPlan plan(Cluster cluster, Load.Plan load, String name) {
    return new ClientsPlan(
        cluster.layout().oracles(),
        load,
        null,
        settings.seed(),
        origin,
        settings.directory().resolve(name).toString());
  }

  private void idle(Cluster cluster, List<Clients.Idle> idle)
      throws IOException, InterruptedException {
    if (settings.idleTrials() == 0) {
      return;
    }
    try (Clients clients =
        Clients.start(
            ClusterFaults.enterClients(cluster),
            plan(cluster, new Load.Plan(1, 1, 0), "idle"),
            CLIENTS_HEAP_MIB)) {
      for (int i = 0; i < settings.idleTrials(); i++) {
        idle.add(clients.idle(settings.idleMillis()));
      }
      clients.stop();
    }
  }

  private Nemesis trials(Cluster cluster) throws IOException, InterruptedException {
    try (Clients clients =
        Clients.start(
            ClusterFaults.enterClients(cluster),
            plan(cluster, settings.load(), "load"),
            CLIENTS_HEAP_MIB)) {
      ClusterFaults faults =
          new ClusterFaults(cluster, () -> clients, random -> untilServed(clients), null);
      List<Fault> chosen =
          faults.all().stream().filter(f -> settings.faults().contains(f.name())).toList();
      Nemesis nemesis = new Nemesis(faults, origin);
      clients.over();
      if (settings.uncleaned() > 0) {
        say("  committing %,d transactions that nobody cleans up ...", settings.uncleaned());
        clients.leaveUncleaned(settings.uncleaned());
      }
      Thread.sleep(settings.warmUpMillis());
      Random random = new Random(settings.seed());
      for (int i = 0; i < settings.trials(); i++) {
        List<Fault> order = new ArrayList<>(chosen);
        Collections.shuffle(order, random);
        for (Fault fault : order) {
          trial(nemesis, fault, clients, random);
        }
      }
      ClientsOutcome outcome = clients.stop();
      served = median(outcome.commits().counts()) * 1000.0 / Successes.STEP_MILLIS;
      return nemesis;
    }
  }

  private void trial(Nemesis nemesis, Fault fault, Clients clients, Random random)
      throws IOException, InterruptedException {
    int before = nemesis.trials().size();
    nemesis.strike(fault, clients, random);
    for (Trial trial : nemesis.trials().subList(before, nemesis.trials().size())) {
      say(
          "  %-24s no begin for %6.0f ms, no commit for %6.0f ms (%s)",
          trial.fault(), trial.beginGap(), trial.commitGap(), trial.what());
    }
    Thread.sleep(settings.settleMillis());
  }

  private String untilServed(Clients clients) throws IOException, InterruptedException {
    if (settings.counts().oracles() == 1) {
      Thread.sleep(ALONE_MILLIS);
      return "for " + ALONE_MILLIS + " ms";
    }
    clients.measure();
    return "until all clients were served";
  }

  /** Of steps in which something was answered. */
  private static double median(int[] counts) {
    int[] sorted = Arrays.stream(counts).filter(count -> count > 0).sorted().toArray();
    return sorted.length == 0 ? 0 : sorted[sorted.length / 2];
  }

  private void say(String format, Object... details) {
    out.println(String.format(Locale.ROOT, format, details));
    out.flush();
  }
}
