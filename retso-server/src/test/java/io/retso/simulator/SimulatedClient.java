package io.retso.simulator;

import io.retso.client.CommitRequest;
import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.TransactionHandle;
import io.retso.client.TransactionStatus;
import io.retso.client.connection.SimulatedLoop;
import io.retso.front.TestTickets;
import io.retso.protocol.FrameType;
import io.retso.protocol.Outcome;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * A client process: the production client, and the answers that its callers get, as numbers of
 * {@link Outcome}.
 */
final class SimulatedClient {
  /** The answer about a commit that certainly never reached a server. */
  static final long NOT_SENT = Long.MIN_VALUE;

  private static final String BALANCER = "balancer:1";
  private static final long CONNECT_TIMEOUT = 5 * Simulation.MILLIS;

  private final World world;
  private final Simulation simulation;
  private final OracleClient oracle;
  private final Supplier<SimulatedServer> balancer;
  private final Set<Link> links = new LinkedHashSet<>();
  private boolean alive = true;

  /** The highest number of a server that answered. */
  private long met;

  SimulatedClient(World world) {
    this(world, world.simulation().oneIn(3) ? null : world.cluster()::anyLeader);
  }

  /**
   * Makes a client.
   *
   * @param balancer sends it to a server, or to none (null), and it can reach no other; null for a
   *     client that reaches all
   */
  SimulatedClient(World world, Supplier<SimulatedServer> balancer) {
    this.world = world;
    this.balancer = balancer;
    this.simulation = world.simulation();
    long timeout = (10 + simulation.below(100)) * Simulation.MILLIS;
    int connections = simulation.oneIn(3) ? 2 : 1;
    oracle =
        new Loop()
            .client(
                isBehindBalancer() ? List.of(BALANCER) : world.cluster().addresses(),
                connections,
                timeout,
                CONNECT_TIMEOUT,
                simulation.random().nextLong());
  }

  private final class Loop extends SimulatedLoop {
    @Override
    public long nanoTime() {
      return simulation.now();
    }

    @Override
    public void execute(Runnable task) {
      schedule(task, simulation.delay(World.TASK_DELAY));
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
      simulation.after(delayNanos, () -> ifAlive(task));
    }

    @Override
    protected void connect(End end) {
      simulation.after(simulation.delay(World.NETWORK_DELAY), () -> ifAlive(() -> arrive(end)));
    }

    private void arrive(End end) {
      boolean toBalancer = end.address().equals(BALANCER);
      if (isBehindBalancer() && !toBalancer) {
        schedule(() -> end.unreachable("no answer"), 40 * CONNECT_TIMEOUT);
        return;
      }
      SimulatedServer server = toBalancer ? balancer.get() : world.cluster().at(end.address());
      if (server == null) {
        end.unreachable("nobody listens");
      } else if (server.isCutOff(SimulatedLedgers.Party.CLIENTS)) {
        schedule(() -> end.unreachable("no answer"), CONNECT_TIMEOUT);
      } else {
        Link link = new Link(world, SimulatedClient.this, end, server);
        links.add(link);
        end.opened(link);
      }
    }
  }

  private void ifAlive(Runnable task) {
    if (alive) {
      task.run();
    }
  }

  boolean isAlive() {
    return alive;
  }

  /** It can reach one server at a time, and does not choose which. */
  boolean isBehindBalancer() {
    return balancer != null;
  }

  /** Breaks its connections. */
  void cut() {
    List.copyOf(links).forEach(Link::cut);
  }

  void forget(Link link) {
    links.remove(link);
  }

  /** A server answered. */
  void met(long number) {
    met = Math.max(met, number);
  }

  /**
   * Makes a request; what fails without harm is asked again.
   *
   * @param start the transaction that it is about; of a sweep, its timestamp
   * @param reader the reader's start, of a status query
   * @param request of a commit, whose type is COMMIT whether it names reads or not
   */
  void call(FrameType type, long start, long reader, CommitRequest request, LongConsumer answered) {
    History.Known known = known();
    request(type, start, reader, request)
        .whenComplete(
            // An event of its own: a future would swallow what the judge throws.
            (value, e) ->
                simulation.after(
                    0,
                    () ->
                        ifAlive(
                            () -> {
                              if (e == null || type == FrameType.COMMIT || isUnknown(e)) {
                                world.operation();
                                long outcome = e == null ? number(type, value) : numberOf(e);
                                judge(type, start, reader, outcome, known);
                                answered.accept(outcome);
                              } else {
                                mustBeHarmless(type, e);
                                call(type, start, reader, request, answered);
                              }
                            })));
  }

  /** Makes a request of the client's own interface; the answer, or the failure, is an event. */
  <T> void ask(Function<OracleClient, CompletableFuture<T>> request, BiConsumer<T, Throwable> to) {
    request
        .apply(oracle)
        .whenComplete((value, e) -> simulation.after(0, () -> ifAlive(() -> to.accept(value, e))));
  }

  /** What is known now, to judge by it a timestamp that is asked for now. */
  History.Known known() {
    History history = world.history();
    return new History.Known(history.newestCommitKnown(), history.newestSeen(), met);
  }

  void begin(LongConsumer answered) {
    call(FrameType.BEGIN, 0, 0, null, answered);
  }

  void timestamp(LongConsumer answered) {
    call(FrameType.TIMESTAMP, 0, 0, null, answered);
  }

  private CompletableFuture<?> request(
      FrameType type, long start, long reader, CommitRequest request) {
    return switch (type) {
      case BEGIN -> oracle.beginAsync();
      case COMMIT -> oracle.commitAsync(request);
      case STATUS -> oracle.statusAsync(start, reader);
      case ABORT -> oracle.abortAsync(handle(start));
      case CLEANED ->
          simulation.oneIn(2)
              ? oracle.cleanedUpAsync(handle(start))
              : oracle.cleanedUpLater(handle(start));
      case SWEPT -> oracle.sweptAsync(handle(start));
      case WATERMARK -> oracle.lowWatermarkAsync();
      case TIMESTAMP -> oracle.timestampAsync();
      case SAFE -> oracle.safeSnapshotAsync();
      default -> throw new AssertionError(type);
    };
  }

  /** The handle of a transaction that this client or another one began. */
  static TransactionHandle handle(long start) {
    return TransactionHandle.of(start, TestTickets.of(start));
  }

  private static long number(FrameType type, Object value) {
    return switch (type) {
      case BEGIN -> ((TransactionHandle) value).startTimestamp();
      case TIMESTAMP, SAFE, WATERMARK -> (Long) value;
      case COMMIT, ABORT -> number((CommitResult) value);
      case STATUS -> number((TransactionStatus) value);
      case CLEANED, SWEPT -> Outcome.DONE;
      default -> throw new AssertionError(type);
    };
  }

  private static long number(CommitResult result) {
    if (result.isCommitted()) {
      return result.commitTimestamp();
    }
    return switch (result.abortReason()) {
      case CONFLICT -> Outcome.ABORTED_CONFLICT;
      case TOO_OLD -> Outcome.ABORTED_TOO_OLD;
      case EARLIER -> Outcome.ABORTED;
      case PIVOT -> Outcome.ABORTED_PIVOT;
      case READ_ONLY -> Outcome.ABORTED_READ_ONLY;
      case UNKNOWN_SUCCESSOR -> Outcome.ABORTED_UNKNOWN_SUCCESSOR;
    };
  }

  private static long number(TransactionStatus status) {
    return switch (status.state()) {
      case COMMITTED -> status.commitTimestamp();
      case OPEN -> Outcome.OPEN;
      case ABORTED -> Outcome.ABORTED;
      case RETRY -> Outcome.RETRY;
    };
  }

  static OracleException.Category category(Throwable e) {
    if (e instanceof OracleException failure) {
      return failure.category();
    }
    throw new Violation("a call failed with " + e);
  }

  private static boolean isUnknown(Throwable e) {
    return category(e) == OracleException.Category.UNKNOWN_OUTCOME;
  }

  /** What a caller of commit or abort is to make of a failure. */
  private long numberOf(Throwable e) {
    return switch (category(e)) {
      case UNKNOWN_OUTCOME -> Outcome.UNKNOWN;
      case OVERLOADED -> Outcome.REFUSED_UNCLEANED;
      case UNAVAILABLE -> NOT_SENT;
      case TIMEOUT,
          INVALID_REQUEST,
          NOT_PERMITTED,
          NOT_AUTHENTICATED,
          INCOMPATIBLE,
          CLOSED,
          INTERRUPTED ->
          throw new Violation("a commit failed with " + e);
    };
  }

  private void mustBeHarmless(FrameType type, Throwable e) {
    boolean harmless =
        category(e) == OracleException.Category.TIMEOUT
            || category(e) == OracleException.Category.UNAVAILABLE;
    Violation.unless(harmless, () -> type + " failed with " + e);
    world.counted("calls that failed: " + category(e));
  }

  private void judge(FrameType type, long start, long reader, long outcome, History.Known known) {
    History history = world.history();
    switch (type) {
      case BEGIN, TIMESTAMP -> {
        history.mustSee(type, outcome, known);
        if (type == FrameType.BEGIN) {
          history.begun(outcome);
        } else {
          history.timestamp(outcome);
        }
      }
      case COMMIT, STATUS, ABORT -> history.answered(start, reader, outcome);
      case SAFE -> history.timestamp(outcome);
      default -> {}
    }
  }

  void die() {
    alive = false;
    cut();
  }
}
