package io.retso.chaos.clients;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.retso.chaos.load.Successes;
import io.retso.cluster.ChildProcess;
import io.retso.cluster.ClusterException;
import io.retso.cluster.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The clients of a cluster, in processes that end with this one. Those whose answers are timed have
 * a process of their own: a collection of garbage or the hunger for processors of the others, which
 * make the load and what is judged, is no gap of the oracle. For one thread.
 */
public final class Clients implements AutoCloseable {
  /** Answers that were sent before a fault have arrived by then. */
  private static final long IN_FLIGHT_MILLIS = 150;

  private static final Duration ANSWER_MAX = Duration.ofMinutes(10);
  private static final Duration EXIT_MAX = Duration.ofSeconds(20);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final List<Child> children = new ArrayList<>();

  /** Gaps of the present fault, if they were measured while it went on; else null. */
  private Gaps measured;

  /** A {@link ClientsProcess}: commands go to it, answers come back. */
  private record Child(ClientsPlan plan, ChildProcess process) {
    static Child start(List<String> enter, ClientsPlan plan) throws IOException {
      Path directory = Files.createDirectories(Path.of(plan.directory()));
      Path file = directory.resolve("plan.json");
      JSON.writeValue(file.toFile(), plan);
      List<String> command = new ArrayList<>(enter);
      command.addAll(
          JavaCommand.of(
              List.of(
                  "-Xmx" + plan.heapMebibytes() + "m",
                  "-Dretso.log=ERROR",
                  "-Dretso.log.others=ERROR"),
              ClientsProcess.class.getName(),
              List.of(file.toString())));
      return new Child(
          plan,
          ChildProcess.startTalking("the clients", directory.resolve("clients.txt"), command));
    }

    <T> T answer(Class<T> as) throws IOException, InterruptedException {
      return JSON.readValue(process.answer(ANSWER_MAX), as);
    }

    <T> T ask(String command, Class<T> as) throws IOException, InterruptedException {
      process.send(command);
      return answer(as);
    }
  }

  private double rate;
  private boolean rests;
  private long lost;

  /**
   * A server that began to lead, as a client saw it.
   *
   * @param nanos when, of {@link System#nanoTime}
   */
  public record Leader(String address, long epoch, long nanos) {}

  /**
   * For how long nothing was answered while a fault had its effect.
   *
   * @param begin to those that are timed; of one client: to any
   * @param commit the same of commits
   * @param stoodStill for how long the process of those that are timed did not run, nanoseconds
   * @param over whether all clients were served again a minute later
   */
  public record Gaps(Successes.Gaps begin, Successes.Gaps commit, long stoodStill, boolean over) {}

  /** What a server said when it was asked to hand over. */
  record Answer(boolean done, String text) {}

  /**
   * What became of those that are judged.
   *
   * @param lost acknowledged transfers that are missing
   * @param wrong answers
   * @param what was wrong with some of them; empty if nothing
   */
  public record Books(long lost, long wrong, String what) {
    /** Nothing is wrong. */
    public static final Books GOOD = new Books(0, 0, "");
  }

  /**
   * A begin after an idle time.
   *
   * @param begin nanoseconds
   * @param echo of the same frames, answered without an oracle, after as long a time
   */
  public record Idle(long begin, long echo) {}

  private Clients() {}

  /**
   * Starts them, a process for each plan, and returns when they work.
   *
   * @param enter the words before a command that is to run on their host
   * @param plans the first one is of those that are timed; the last one with a load is that which
   *     rests, and one at most is judged
   */
  public static Clients start(List<String> enter, List<ClientsPlan> plans)
      throws IOException, InterruptedException {
    Clients clients = new Clients();
    try {
      for (ClientsPlan plan : plans) {
        clients.children.add(Child.start(enter, plan));
      }
      for (Child child : clients.children) {
        child.answer(Boolean.class);
      }
      clients.rate = clients.load().plan().load().perSecond();
      return clients;
    } catch (IOException | InterruptedException | RuntimeException e) {
      clients.close();
      throw e;
    }
  }

  private Child timed() {
    return children.get(0);
  }

  private List<Child> loads() {
    return children.stream().filter(child -> child.plan().load() != null).toList();
  }

  private Child load() {
    return loads().get(loads().size() - 1);
  }

  /** Servers that began to lead, in order; the last thousand of them. */
  public List<Leader> leaders() throws IOException, InterruptedException {
    return List.of(timed().ask(ClientsProcess.LEADERS, Leader[].class));
  }

  /** A fault begins. */
  public void fault() throws IOException, InterruptedException {
    measured = null;
    for (Child child : loads()) {
      child.ask(ClientsProcess.FAULT, Boolean.class);
    }
  }

  /** Waits until all clients are served though the fault goes on; what comes later is no gap. */
  public void measure() throws IOException, InterruptedException {
    Thread.sleep(IN_FLIGHT_MILLIS);
    measured = gaps();
  }

  /** It is over, or will be by itself: waits until all clients are served again. */
  public Gaps over() throws IOException, InterruptedException {
    if (rests) {
      rate(rate);
      rests = false;
    }
    Gaps last = gaps();
    Gaps first = measured == null ? last : measured;
    measured = null;
    return new Gaps(first.begin, first.commit, first.stoodStill, first.over && last.over);
  }

  private Gaps gaps() throws IOException, InterruptedException {
    List<Gaps> all = new ArrayList<>();
    for (Child child : loads()) {
      child.process.send(ClientsProcess.OVER);
    }
    for (Child child : loads()) {
      all.add(child.answer(Gaps.class));
    }
    return new Gaps(
        ofAll(all.stream().map(Gaps::begin).toList()),
        ofAll(all.stream().map(Gaps::commit).toList()),
        all.get(0).stoodStill,
        all.stream().allMatch(Gaps::over));
  }

  private static Successes.Gaps ofAll(List<Successes.Gaps> all) {
    return new Successes.Gaps(
        all.get(0).any(), all.stream().mapToLong(Successes.Gaps::worst).max().orElseThrow());
  }

  /** The load rests, so that servers start sooner, until {@link #over}. */
  public void rest() throws IOException, InterruptedException {
    load().ask(ClientsProcess.RATE + " 0", Boolean.class);
    rests = true;
  }

  /** Another load from now on, transactions a second. */
  public void rate(double perSecond) throws IOException, InterruptedException {
    rate = perSecond;
    load().ask(ClientsProcess.RATE + " " + perSecond, Boolean.class);
  }

  /**
   * What the load is served for a time.
   *
   * @return commits a second
   */
  public double served(long millis) throws IOException, InterruptedException {
    long before = committed();
    long from = System.nanoTime();
    Thread.sleep(millis);
    return (committed() - before) * 1e9 / (System.nanoTime() - from);
  }

  private long committed() throws IOException, InterruptedException {
    return load().ask(ClientsProcess.COMMITTED, Long.class);
  }

  /** Commits transactions that are not cleaned up, each of a row of its own: {@code from + i}. */
  public void leaveUncleaned(long from, long count) throws IOException, InterruptedException {
    load().ask(ClientsProcess.UNCLEANED + " " + from + " " + count, Boolean.class);
  }

  /** Looks for what is wrong with those that are judged, if there are any, and was not before. */
  public Books books() throws IOException, InterruptedException {
    for (Child child : children) {
      if (child.plan().work() != null) {
        Books books = child.ask(ClientsProcess.BOOKS, Books.class);
        long before = lost;
        lost = books.lost;
        return new Books(Math.max(0, lost - before), books.wrong, books.what);
      }
    }
    return Books.GOOD;
  }

  /**
   * Asks a server to hand over.
   *
   * @param http its address for HTTP
   * @return what it said
   * @throws ClusterException if it refuses
   */
  public String handOver(String http) throws IOException, InterruptedException {
    Answer answer = timed().ask(ClientsProcess.HAND_OVER + " " + http, Answer.class);
    if (!answer.done) {
      throw new ClusterException("refused: " + answer.text, null);
    }
    return answer.text;
  }

  /**
   * How many of some servers lead, or could take over.
   *
   * @param http their addresses for HTTP
   */
  public int ready(List<String> http) throws IOException, InterruptedException {
    return timed().ask(ClientsProcess.READY + " " + String.join(" ", http), Integer.class);
  }

  /** Is idle for a time, and then begins; the load's rate is to be 0. */
  public Idle idle(long millis) throws IOException, InterruptedException {
    return timed().ask(ClientsProcess.IDLE + " " + millis, Idle.class);
  }

  /**
   * Ends the work, reads everything, and ends the processes.
   *
   * @return what each came to, in the order of their plans
   */
  public List<ClientsOutcome> stop() throws IOException, InterruptedException {
    List<ClientsOutcome> outcomes = new ArrayList<>();
    for (Child child : children) {
      outcomes.add(child.ask(ClientsProcess.STOP, ClientsOutcome.class));
      child.process.stop(EXIT_MAX);
    }
    return outcomes;
  }

  /** Ends the processes, whatever they do. */
  @Override
  public void close() {
    children.forEach(child -> child.process.kill());
  }
}
