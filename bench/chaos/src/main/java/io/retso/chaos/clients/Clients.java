package io.retso.chaos.clients;

import io.retso.chaos.load.Successes;
import io.retso.cluster.ClusterException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The clients of a cluster, in processes that end with this one. Those whose answers are timed have
 * a process of their own: a collection of garbage or the hunger for processors of the others, which
 * make the load and what is judged, is no gap of the oracle. For one thread, except for what it
 * says of leaders.
 */
public final class Clients implements AutoCloseable {
  /** Answers that were sent before a fault have arrived by then. */
  private static final long IN_FLIGHT_MILLIS = 150;

  private final List<ClientsChild> children = new ArrayList<>();

  /** Gaps of the present fault, if they were measured while it went on; else null. */
  private Gaps measured;

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
   * @param isOver whether all clients were served again a minute later
   */
  public record Gaps(
      Successes.Gaps begin, Successes.Gaps commit, long stoodStill, boolean isOver) {}

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
        clients.children.add(new ClientsChild(enter, plan));
      }
      for (ClientsChild child : clients.children) {
        child.answer();
      }
      clients.rate = clients.load().plan().load().perSecond();
      return clients;
    } catch (IOException | InterruptedException | RuntimeException e) {
      clients.close();
      throw e;
    }
  }

  private ClientsChild timed() {
    return children.get(0);
  }

  private List<ClientsChild> loads() {
    return children.stream().filter(child -> child.plan().load() != null).toList();
  }

  private ClientsChild load() {
    return loads().get(loads().size() - 1);
  }

  /** Servers that began to lead so far, in order. */
  public List<Leader> leaders() {
    return timed().leaders();
  }

  /** A fault begins. */
  public void fault() throws IOException, InterruptedException {
    measured = null;
    for (ClientsChild child : loads()) {
      child.ask(ClientsProcess.FAULT);
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
    return new Gaps(first.begin, first.commit, first.stoodStill, first.isOver && last.isOver);
  }

  private Gaps gaps() throws IOException, InterruptedException {
    List<Gaps> all = new ArrayList<>();
    for (ClientsChild child : loads()) {
      child.send(ClientsProcess.OVER);
    }
    for (ClientsChild child : loads()) {
      String[] words = child.answer().split(" ");
      all.add(
          new Gaps(
              new Successes.Gaps(Long.parseLong(words[1]), Long.parseLong(words[2])),
              new Successes.Gaps(Long.parseLong(words[3]), Long.parseLong(words[4])),
              Long.parseLong(words[5]),
              Boolean.parseBoolean(words[6])));
    }
    return new Gaps(
        ofAll(all.stream().map(Gaps::begin).toList()),
        ofAll(all.stream().map(Gaps::commit).toList()),
        all.get(0).stoodStill,
        all.stream().allMatch(Gaps::isOver));
  }

  private static Successes.Gaps ofAll(List<Successes.Gaps> all) {
    return new Successes.Gaps(
        all.get(0).any(), all.stream().mapToLong(Successes.Gaps::worst).max().orElseThrow());
  }

  /** The load rests, so that servers start sooner, until {@link #over}. */
  public void rest() throws IOException, InterruptedException {
    load().ask(ClientsProcess.RATE + " 0");
    rests = true;
  }

  /** Another load from now on, transactions a second. */
  public void rate(double perSecond) throws IOException, InterruptedException {
    rate = perSecond;
    load().ask(ClientsProcess.RATE + " " + perSecond);
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
    return Long.parseLong(load().ask(ClientsProcess.COMMITTED).split(" ")[1]);
  }

  /** Commits transactions that are not cleaned up, each of a row of its own: {@code from + i}. */
  public void leaveUncleaned(long from, long count) throws IOException, InterruptedException {
    load().ask(ClientsProcess.UNCLEANED + " " + from + " " + count);
  }

  /** Looks for what is wrong with those that are judged, if there are any, and was not before. */
  public Books books() throws IOException, InterruptedException {
    for (ClientsChild child : children) {
      if (child.plan().work() != null) {
        String[] words = child.ask(ClientsProcess.BOOKS).split(" ", 4);
        long before = lost;
        lost = Long.parseLong(words[1]);
        return new Books(
            Math.max(0, lost - before), Long.parseLong(words[2]), words.length > 3 ? words[3] : "");
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
    String answer = timed().ask(ClientsProcess.HAND_OVER + " " + http);
    if (!answer.startsWith(ClientsProcess.DONE)) {
      throw new ClusterException(answer, null);
    }
    return answer.substring(ClientsProcess.DONE.length()).strip();
  }

  /**
   * How many of some servers lead, or could take over.
   *
   * @param http their addresses for HTTP
   */
  public int ready(List<String> http) throws IOException, InterruptedException {
    String answer = timed().ask(ClientsProcess.READY + " " + String.join(" ", http));
    return Integer.parseInt(answer.split(" ")[1]);
  }

  /** Is idle for a time, and then begins; the load's rate is to be 0. */
  public Idle idle(long millis) throws IOException, InterruptedException {
    String[] words = timed().ask(ClientsProcess.IDLE + " " + millis).split(" ");
    return new Idle(Long.parseLong(words[1]), Long.parseLong(words[2]));
  }

  /**
   * Ends the work, reads everything, and ends the processes.
   *
   * @return what each came to, in the order of their plans
   */
  public List<ClientsOutcome> stop() throws IOException, InterruptedException {
    List<ClientsOutcome> outcomes = new ArrayList<>();
    for (ClientsChild child : children) {
      outcomes.add(child.stop());
    }
    return outcomes;
  }

  /** Ends the processes, whatever they do. */
  @Override
  public void close() {
    children.forEach(ClientsChild::close);
  }
}
