package io.retso.verify.run;

import io.retso.cluster.ChildProcess;
import io.retso.cluster.ClusterException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Clients as processes of their own; one that is killed is replaced.
 *
 * <p>At each start it is tested that the process reads the same clock as this one, since their
 * histories are put in order by it ({@link HistoryMerge}).
 *
 * <p>Thread-safe.
 */
final class ClientPool implements AutoCloseable {
  private record Member(ClientPlan plan, ChildProcess process, long startedNanos) {}

  private final Supplier<ClientPlan> plans;
  private final Path directory;
  private final List<Member> members = new ArrayList<>();

  /**
   * An empty pool.
   *
   * @param plans for one client more
   * @param directory for what the processes print
   */
  ClientPool(Supplier<ClientPlan> plans, Path directory) {
    this.plans = plans;
    this.directory = directory;
  }

  /** Starts clients, and waits until they work. */
  synchronized void start(int count) throws IOException, InterruptedException {
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
            ClientProcess.class.getName(),
            arguments);
    return new Member(plan, process, now);
  }

  private static void awaitReady(Member member) throws IOException, InterruptedException {
    long child = Long.parseLong(Files.readString(member.process.awaitReady()));
    long now = System.nanoTime();
    if (child - member.startedNanos < 0 || now - child < 0) {
      throw new ClusterException(
          String.format(
              "processes of this machine have different clocks: a child started at %d, read %d"
                  + " and was ready at %d. Their histories cannot be put in order; use --clients 0",
              member.startedNanos, child, now),
          null);
    }
  }

  /** Kills a client like {@code kill -9} and starts another one. */
  synchronized String killOne(Random random) throws IOException, InterruptedException {
    if (members.isEmpty()) {
      throw new IOException("there are no client processes: --clients is 0");
    }
    int victim = random.nextInt(members.size());
    Member before = members.get(victim);
    before.process.kill();
    Member after = launch();
    members.set(victim, after);
    awaitReady(after);
    return "client " + before.plan.number() + " killed, client " + after.plan.number() + " started";
  }

  /** What processes say that ended by themselves; empty if all is well. */
  synchronized List<String> deaths() {
    return members.stream()
        .filter(member -> !member.process.isAlive())
        .map(
            member ->
                "client "
                    + member.plan.number()
                    + " ended by itself. It said:"
                    + member.process.lastLines())
        .toList();
  }

  /** Lets every client finish its transactions. */
  @Override
  public synchronized void close() {
    members.parallelStream().forEach(member -> member.process.close());
  }
}
