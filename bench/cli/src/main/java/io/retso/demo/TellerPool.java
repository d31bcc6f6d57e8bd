package io.retso.demo;

import io.retso.cluster.ChildProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Processes of tellers, which work until they are killed. Not thread-safe. */
final class TellerPool implements AutoCloseable {
  /** Starts a process. */
  interface Starter {
    ChildProcess start(String name) throws IOException;
  }

  private record Member(String name, ChildProcess process) {}

  private final Starter starter;
  private final List<Member> members = new ArrayList<>();
  private final List<String> deaths = new ArrayList<>();
  private int started;
  private int killed;

  /** An empty pool. */
  TellerPool(Starter starter) {
    this.starter = starter;
  }

  /** Starts processes, without waiting for them. */
  void start(int processes) throws IOException {
    for (int i = 0; i < processes; i++) {
      members.add(launch());
    }
  }

  private Member launch() throws IOException {
    String name = "teller-" + ++started;
    return new Member(name, starter.start(name));
  }

  /** Kills one like {@code kill -9} and starts another one. */
  void killOne(SplittableRandom random) throws IOException {
    int victim = random.nextInt(members.size());
    kill(members.get(victim));
    members.set(victim, launch());
  }

  /** Kills all, in the middle of whatever they do. */
  void killAll() {
    members.forEach(this::kill);
  }

  /** One that is dead already was not killed: it ended by itself. */
  private void kill(Member member) {
    if (member.process.isAlive()) {
      member.process.kill();
      killed++;
    } else {
      deaths.add(member.name + " ended by itself. It said:" + member.process.lastLines());
    }
  }

  /** Whether any is left to work. */
  boolean isAnyAlive() {
    return members.stream().anyMatch(member -> member.process.isAlive());
  }

  /** How many were killed so far. */
  int killed() {
    return killed;
  }

  /** What those said that were to be killed, but had ended by themselves. */
  List<String> deaths() {
    return List.copyOf(deaths);
  }

  /** What one of them says. */
  String lastLines() {
    return members.get(0).process.lastLines();
  }

  @Override
  public void close() {
    members.forEach(member -> member.process.close());
  }
}
