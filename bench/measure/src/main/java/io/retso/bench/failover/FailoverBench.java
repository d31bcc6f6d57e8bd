package io.retso.bench.failover;

import io.retso.chaos.clients.Clients;
import io.retso.chaos.clients.ClientsPlan;
import io.retso.chaos.load.Load;
import io.retso.chaos.run.ClusterFaults;
import io.retso.chaos.run.Nemesis;
import io.retso.chaos.run.Trial;
import io.retso.cluster.nodes.Cluster;
import io.retso.cluster.nodes.Role;
import io.retso.machine.IdleShare;
import io.retso.machine.Machine;
import io.retso.report.BenchException;
import io.retso.report.ProgressLine;
import io.retso.server.BuildVersion;
import io.retso.text.ErrorText;
import io.retso.verify.clients.RunIsolation;
import io.retso.verify.faults.Fault;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.ArrayList;
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
 * not the start of the server that has failed, during which the load rests. With one oracle none
 * takes over: then it stays for a second, and the start of the server counts.
 *
 * <p>What is timed are a few clients in a process of their own. Another process makes the load, and
 * a third one has a bank whose transfers and sums are judged after each fault, unless commits are
 * to stay that are not cleaned up: then the bank's sweeps would do it.
 */
public final class FailoverBench {
  private static final long ALONE_MILLIS = 1000;
  private static final int LOAD_HEAP_MIB = 1024;
  private static final int OTHERS_HEAP_MIB = 256;

  /** Each is timed every 20 ms, all of them every 2 ms. */
  private static final Load.Plan TIMED = new Load.Plan(10, 1, 250);

  private static final int BANK_THREADS = 2;

  /** Few transactions: those of the load are to take what the machine has. */
  private static final int BANK_PAUSE_MILLIS = 40;

  private static final long UNCLEANED_AT_ONCE = 100_000;

  private static final long SERVED_MILLIS = 3000;

  /** A server that was deposed reads the log again: for so long it is waited for. */
  private static final long READY_MILLIS_MAX = 60_000;

  private static final long READY_POLL_MILLIS = 50;

  /** A warm server serves no more than this above what was served before, */
  private static final double WARMER = 1.05;

  /** and its compilers take no more than this of the processors. */
  private static final double COMPILERS_MAX = 0.05;

  private static final double FIRST_RATE = 1000;
  private static final long CALIBRATION_MILLIS = 1000;
  private static final double FASTER = 1.5;

  /** The part of the processors that must be idle at a rate below saturation. */
  private static final double IDLE_MIN = 0.3;

  private static final double SERVED_MIN = 0.95;

  /** Connections beside those of the load. */
  private static final int OTHER_CONNECTIONS = 1024;

  private final FailoverSettings settings;
  private final List<String> flags;
  private ProgressLine.Steps steps;
  private final PrintWriter out;
  private final Saves saves;
  private final long origin = System.nanoTime();
  private final String startedAt;
  private final Map<String, Object> machine = Machine.facts();

  /** Those of this run, and of the one that it goes on with. */
  private final List<Trial> trials = new ArrayList<>();

  private final List<Clients.Idle> idle = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private double asked;
  private double served;
  private double idleShare;
  private double mostServed;

  /** Servers that led or could take over when the fault before was over. */
  private int ready;

  /** Takes what is known so far, after each trial. */
  public interface Saves {
    void save(FailoverReport report) throws IOException;
  }

  /**
   * A benchmark of what is to be measured.
   *
   * @param before the report of a run that goes on; null for none
   * @param flags as given
   */
  public FailoverBench(
      FailoverSettings settings,
      FailoverReport before,
      List<String> flags,
      PrintWriter out,
      Saves saves) {
    this.settings = settings;
    this.flags = flags;
    this.out = out;
    this.saves = saves;
    this.asked = settings.load().perSecond();
    this.startedAt = before == null ? Instant.now().toString() : before.startedAt();
    if (before != null) {
      trials.addAll(before.trials());
      idle.addAll(before.idle());
      wrong.addAll(before.refused());
      asked = before.asked();
      served = before.served();
      idleShare = before.idleShare();
      mostServed = before.mostServed();
    }
  }

  private boolean isDone() {
    return idle.size() >= settings.idleTrials()
        && settings.faults().stream().allMatch(fault -> done(fault) >= settings.trials());
  }

  /** Makes a cluster, measures, and ends the cluster; unless all was measured before. */
  public FailoverReport run() throws BenchException, InterruptedException {
    if (isDone()) {
      return report();
    }
    try {
      return Cluster.during(
          settings.directory().resolve("cluster"),
          settings.counts(),
          settings.namespaces(),
          hosts -> oracleSettings(),
          0,
          line -> say("%s", line),
          cluster -> {
            idle(cluster);
            trials(cluster);
            return report();
          });
    } catch (IOException e) {
      throw new BenchException(ErrorText.of(e), e);
    }
  }

  /** Room for a million commits that are not cleaned up, and for all clients of one host. */
  private Map<String, String> oracleSettings() {
    String connections =
        Integer.toString(
            settings.load().clients() * settings.load().connections() + OTHER_CONNECTIONS);
    return Map.of(
        "rows", "4M",
        "window.timestamps", "2^23",
        "uncleaned.max", "2M",
        "connections.max", connections,
        "connections.per.host", connections);
  }

  private FailoverReport report() {
    return new FailoverReport(
        BuildVersion.text(),
        startedAt,
        flags,
        machine,
        settings.counts().text(settings.namespaces()),
        settings.load().clients(),
        settings.load().clients() * settings.load().connections(),
        asked,
        served,
        idleShare,
        mostServed,
        settings.uncleaned(),
        List.copyOf(trials),
        List.copyOf(wrong),
        List.copyOf(idle),
        settings.idleMillis(),
        FailoverResult.comparisons(settings, trials, idle));
  }

  private ClientsPlan plan(
      Cluster cluster, Load.Plan load, ClientsPlan.Work work, String name, int heapMebibytes) {
    return new ClientsPlan(
        cluster.layout().oracles(),
        load,
        work,
        settings.seed(),
        origin,
        settings.directory().resolve(name).toString(),
        heapMebibytes,
        null);
  }

  private void idle(Cluster cluster) throws IOException, InterruptedException {
    if (idle.size() >= settings.idleTrials()) {
      return;
    }
    Load.Plan none = new Load.Plan(1, 1, 0);
    try (Clients clients =
        Clients.start(
            ClusterFaults.enterClients(cluster),
            List.of(plan(cluster, none, null, "idle", OTHERS_HEAP_MIB)))) {
      while (idle.size() < settings.idleTrials()) {
        Clients.Idle one = clients.idle(settings.idleMillis());
        idle.add(one);
        say(
            "  idle %d of %d: begin after %d us, echo after %d us",
            idle.size(), settings.idleTrials(), one.begin() / 1000, one.echo() / 1000);
        saves.save(report());
      }
      clients.stop();
    }
  }

  private List<ClientsPlan> plans(Cluster cluster) {
    List<ClientsPlan> plans = new ArrayList<>();
    plans.add(plan(cluster, TIMED, null, "timed", OTHERS_HEAP_MIB));
    Load.Plan load =
        new Load.Plan(settings.load().clients(), settings.load().connections(), FIRST_RATE);
    plans.add(plan(cluster, load, null, "load", LOAD_HEAP_MIB));
    if (settings.isJudged()) {
      ClientsPlan.Work bank =
          new ClientsPlan.Work(RunIsolation.SERIALIZABLE, 0, BANK_THREADS, BANK_PAUSE_MILLIS, 1, 0);
      plans.add(plan(cluster, null, bank, "judged", OTHERS_HEAP_MIB));
    }
    return plans;
  }

  private void trials(Cluster cluster) throws IOException, InterruptedException {
    try (Clients clients = Clients.start(ClusterFaults.enterClients(cluster), plans(cluster))) {
      ClusterFaults faults =
          new ClusterFaults(cluster, () -> clients, random -> untilServed(clients), null);
      List<Fault> chosen =
          faults.all().stream().filter(f -> settings.faults().contains(f.name())).toList();
      List<String> http =
          cluster.layout().of(Role.ORACLE).stream()
              .map(node -> node.address() + ":" + Cluster.HTTP_PORT)
              .toList();
      Nemesis nemesis = new Nemesis(cluster, faults, present -> awaitReady(present, http), origin);
      clients.over();
      leaveUncleaned(clients);
      warmUp(cluster, clients);
      if (settings.unsaturated() && trials.isEmpty()) {
        asked = rateWithTimeLeft(clients);
      }
      clients.rate(asked);
      awaitReady(clients, http);
      measureServed(clients);
      say("  %,.0f of %,.0f commits/s; %.0f %% idle.", served, asked, 100 * idleShare);
      Random random = new Random(settings.seed());
      long done = chosen.stream().mapToLong(fault -> done(fault.name())).sum();
      steps = new ProgressLine(out).steps((long) settings.trials() * chosen.size() - done);
      for (int i = 0; i < settings.trials(); i++) {
        List<Fault> order = new ArrayList<>(chosen);
        Collections.shuffle(order, random);
        for (Fault fault : order) {
          if (done(fault.name()) <= i) {
            trial(nemesis, fault, clients, random);
          }
        }
      }
    }
  }

  private long done(String fault) {
    return trials.stream().filter(trial -> trial.fault().equals(fault)).count();
  }

  /** With the full load, until the machine serves no more of it than before. */
  private void warmUp(Cluster cluster, Clients clients) throws IOException, InterruptedException {
    clients.rate(settings.load().perSecond());
    Compilers compilers = new Compilers(cluster);
    double before = 0;
    double share = 1;
    long left = settings.warmUpMillis();
    boolean isWarm = false;
    for (; left > 0 && !isWarm; left -= SERVED_MILLIS) {
      double now = clients.served(SERVED_MILLIS);
      share = compilers.nextShare();
      mostServed = Math.max(mostServed, now);
      isWarm = now < WARMER * before && share < COMPILERS_MAX;
      before = now;
    }
    say(
        "  %s after %d s at the full rate: compilers take %.0f %% of the processors.",
        isWarm ? "warm" : "not warm", (settings.warmUpMillis() - left) / 1000, 100 * share);
  }

  /** Returns when all servers of the log lead or could take over, or that takes too long. */
  private void awaitReady(Clients clients, List<String> http)
      throws IOException, InterruptedException {
    Thread.sleep(settings.betweenMillis());
    long from = System.nanoTime();
    ready = clients.ready(http);
    while (ready < http.size() && System.nanoTime() - from < READY_MILLIS_MAX * 1_000_000) {
      Thread.sleep(READY_POLL_MILLIS);
      ready = clients.ready(http);
    }
  }

  private void leaveUncleaned(Clients clients) throws IOException, InterruptedException {
    for (long from = 0; from < settings.uncleaned(); from += UNCLEANED_AT_ONCE) {
      clients.leaveUncleaned(from, Math.min(UNCLEANED_AT_ONCE, settings.uncleaned() - from));
      say(
          "  %,d of %,d transactions are committed and not cleaned up",
          Math.min(settings.uncleaned(), from + UNCLEANED_AT_ONCE), settings.uncleaned());
    }
  }

  private void measureServed(Clients clients) throws IOException, InterruptedException {
    IdleShare share = new IdleShare();
    served = clients.served(SERVED_MILLIS);
    idleShare = share.next();
  }

  /** The highest rate of a series that is served, and leaves processors idle. */
  private double rateWithTimeLeft(Clients clients) throws IOException, InterruptedException {
    double rate = FIRST_RATE;
    for (double next = FIRST_RATE; ; next *= FASTER) {
      clients.rate(next);
      Thread.sleep(CALIBRATION_MILLIS);
      measureServed(clients);
      say("  calibration: %,.0f of %,.0f commits/s; %.0f %% idle", served, next, 100 * idleShare);
      boolean isTooMuch = served < SERVED_MIN * next || idleShare < IDLE_MIN;
      if (isTooMuch || next > settings.load().perSecond()) {
        return rate;
      }
      rate = next;
    }
  }

  private void trial(Nemesis nemesis, Fault fault, Clients clients, Random random)
      throws IOException, InterruptedException {
    long from = System.nanoTime();
    int before = nemesis.trials().size();
    int refused = nemesis.refused().size();
    int notOver = nemesis.notOver().size();
    boolean hasStandby = ready > 1 || settings.counts().oracles() == 1;
    String left = steps.next();
    nemesis.strike(fault, clients, random);
    wrong.addAll(nemesis.refused().subList(refused, nemesis.refused().size()));
    wrong.addAll(nemesis.notOver().subList(notOver, nemesis.notOver().size()));
    for (Trial trial : nemesis.trials().subList(before, nemesis.trials().size())) {
      trials.add(hasStandby ? trial : trial.noting("no standby was ready"));
      say(
          "  %4d of %d, %5.1f s%s  %s",
          settings.faults().stream().mapToLong(this::done).sum(),
          settings.trials() * settings.faults().size(),
          (System.nanoTime() - from) / 1e9,
          left,
          FailoverResult.line(trials.get(trials.size() - 1)));
    }
    saves.save(report());
  }

  private String untilServed(Clients clients) throws IOException, InterruptedException {
    if (settings.counts().oracles() == 1) {
      Thread.sleep(ALONE_MILLIS);
      return "for " + ALONE_MILLIS + " ms";
    }
    clients.measure();
    clients.rest();
    return "until all clients were served";
  }

  private void say(String format, Object... details) {
    out.println(String.format(Locale.ROOT, format, details));
    out.flush();
  }
}
