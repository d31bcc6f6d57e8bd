package io.retso.verify.clients;

import io.retso.cluster.ChildProcess;
import io.retso.cluster.ClusterException;
import io.retso.text.ErrorText;
import io.retso.verify.lists.Findings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Clients as processes of their own; one that is killed is replaced.
 *
 * <p>At each start it is tested that the process reads the same clock as this one, since their
 * histories are put in order by it ({@link io.retso.verify.run.HistoryMerge}).
 *
 * <p>Thread-safe.
 */
public final class ClientPool implements AutoCloseable {
  private record Member(ClientPlan plan, ChildProcess process, long startedNanos) {}

  /** More than a client takes to find out that one of its threads hangs. */
  private static final Duration PATIENCE = Client.JOIN_MAX.plusSeconds(15);

  private final Supplier<ClientPlan> plans;
  private final Path directory;
  private final Findings findings;
  private final Class<?> mainClass;
  private final Duration patience;
  private final List<Member> members = new ArrayList<>();

  /** Why the run went on with fewer clients. */
  private final List<String> missing = new ArrayList<>();

  /**
   * An empty pool.
   *
   * @param plans for one client more
   * @param directory for what the processes print
   * @param findings gets those that fail
   */
  public ClientPool(Supplier<ClientPlan> plans, Path directory, Findings findings) {
    this(plans, directory, findings, ClientProcess.class, PATIENCE);
  }

  /** A pool with another main class, and this long for all to end. */
  public ClientPool(
      Supplier<ClientPlan> plans,
      Path directory,
      Findings findings,
      Class<?> mainClass,
      Duration patience) {
    this.plans = plans;
    this.directory = directory;
    this.findings = findings;
    this.mainClass = mainClass;
    this.patience = patience;
  }

  /** Starts clients, and waits until they work. */
  public synchronized void start(int count) throws IOException, InterruptedException {
    for (int i = 0; i < count; i++) {
      members.add(launch());
    }
    for (Member member : members) {
      awaitReady(member);
    }
  }

  private Member launch() throws ClusterException {
    ClientPlan plan = plans.get();
    Path ready = directory.resolve("client-" + plan.number() + ".ready");
    List<String> arguments = new ArrayList<>(List.of(ready.toString()));
    arguments.addAll(plan.toArguments());
    long now = System.nanoTime();
    ChildProcess process =
        ChildProcess.start(
            "client " + plan.number(),
            directory.resolve("client-" + plan.number() + ".out"),
            ready,
            List.of("-Xmx256m"),
            mainClass.getName(),
            arguments);
    return new Member(plan, process, now);
  }

  private static void awaitReady(Member member) throws IOException, InterruptedException {
    long child = Long.parseLong(Files.readString(member.process.awaitReady()));
    long now = System.nanoTime();
    if (child - member.startedNanos < 0 || now - child < 0) {
      throw new ClusterException(
          String.format(
              Locale.ROOT,
              "processes of this machine have different clocks: a child started at %d, read %d"
                  + " and was ready at %d. Their histories cannot be put in order; use --clients 0",
              member.startedNanos,
              child,
              now),
          null);
    }
  }

  /** Kills a client like {@code kill -9} and starts another one. */
  public synchronized String killOne(Random random) throws IOException, InterruptedException {
    if (members.isEmpty()) {
      throw new IOException("there are no client processes");
    }
    int victim = random.nextInt(members.size());
    Member before = members.get(victim);
    reportIfDead(before);
    before.process.kill();
    members.remove(victim);
    Member after = replacement(before);
    members.add(after);
    return "client " + before.plan.number() + " killed, client " + after.plan.number() + " started";
  }

  private Member replacement(Member before) throws IOException, InterruptedException {
    Member after = null;
    try {
      after = launch();
      awaitReady(after);
      return after;
    } catch (IOException | InterruptedException e) {
      if (after != null) {
        after.process.kill();
      }
      missing.add(
          "client " + before.plan.number() + " was killed and not replaced: " + ErrorText.of(e));
      throw e;
    }
  }

  /** Why clients that were killed could not be replaced; empty if all were. */
  public synchronized List<String> missing() {
    return List.copyOf(missing);
  }

  private boolean reportIfDead(Member member) {
    boolean isDead = !member.process.isAlive();
    if (isDead) {
      report(member, "ended by itself");
    }
    return isDead;
  }

  private void report(Member member, String what) {
    findings.violation(
        "client " + member.plan.number() + " " + what + ". It said:" + member.process.lastLines());
  }

  /** Lets every client finish its transactions; reports those that did not, or ended before. */
  @Override
  public synchronized void close() {
    List<Member> alive = members.stream().filter(member -> !reportIfDead(member)).toList();
    alive.forEach(member -> member.process.askToEnd());
    long deadline = System.nanoTime() + patience.toNanos();
    for (Member member : alive) {
      long left = Math.max(0, deadline - System.nanoTime());
      OptionalInt exitCode = member.process.stop(Duration.ofNanos(left));
      if (exitCode.isEmpty()) {
        report(member, "did not end within " + patience.toSeconds() + " s and was killed");
      } else if (exitCode.getAsInt() != 0) {
        report(member, "ended with exit code " + exitCode.getAsInt());
      }
    }
    members.clear();
  }
}
