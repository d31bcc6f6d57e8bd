package io.retso.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.CommitRequest;
import io.retso.protocol.FrameType;
import io.retso.protocol.Outcome;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/**
 * A leader is paused, another server takes over and commits, and the first one goes on: with what
 * it was asked meanwhile by a client that knows of the commit, and with what it is asked then.
 */
class PausedLeaderTest {
  private static final int WORLDS = 40;

  /** A transaction may be too old when what is held is decided, as worlds are tiny. */
  private static final int ATTEMPTS = 20;

  private static final long ROW = 7;

  /** For the other one to miss it and to take over, with a lease to wait for. */
  private static final long LONG_ENOUGH = 50 * Simulation.MILLIS;

  private static final long PATIENCE = 2_000 * Simulation.MILLIS;

  /** Worlds in which the first leader went on before another one took over. */
  private int tooSlow;

  private World world;
  private Simulation simulation;

  /** Waits until another server leads than the one that did; empty if none does in time. */
  private Optional<SimulatedServer> awaitLeaderAfter(SimulatedServer before) {
    SimulatedServer[] leader = new SimulatedServer[1];
    boolean isAnother =
        simulation.run(
            () -> {
              leader[0] = world.cluster().leader();
              return leader[0] != null && leader[0] != before;
            },
            simulation.now() + PATIENCE);
    return isAnother ? Optional.of(leader[0]) : Optional.empty();
  }

  /** Waits for an answer. */
  private long await(Consumer<LongConsumer> request) {
    long[] answer = new long[1];
    boolean[] answered = {false};
    request.accept(
        value -> {
          answer[0] = value;
          answered[0] = true;
        });
    assertTrue(simulation.run(() -> answered[0], simulation.now() + PATIENCE), "no answer");
    return answer[0];
  }

  @Test
  void itAnswersNothingThatDoesNotSeeTheCommit() {
    int wentOn = 0;
    for (long seed = 1; seed <= WORLDS; seed++) {
      wentOn += run(seed) ? 1 : 0;
    }
    assertTrue(wentOn > WORLDS / 5, "the first leader hardly ever went on: " + wentOn);
    assertTrue(tooSlow < WORLDS / 10, "the other one was too slow too often: " + tooSlow);
  }

  /** Returns whether the first leader lived on. */
  private boolean run(long seed) {
    world = new World(seed, 2, UnaryOperator.identity());
    simulation = world.simulation();
    world.registry().run();
    world.cluster().addresses().forEach(world.cluster()::start);
    SimulatedServer first = awaitLeaderAfter(null).orElseThrow();
    SimulatedServer[] wanted = {first};
    Supplier<SimulatedServer> balancer =
        () -> wanted[0].isServing() ? wanted[0] : world.cluster().leader();
    SimulatedClient old = new SimulatedClient(world, balancer);
    long reader = await(old::begin);

    first.pause(LONG_ENOUGH);
    Optional<SimulatedServer> second = awaitLeaderAfter(first);
    if (second.isEmpty()) {
      assertTrue(first.isServing(), "seed " + seed + ": nobody leads");
      tooSlow++;
      return false;
    }
    wanted[0] = second.get();
    SimulatedClient client = new SimulatedClient(world, balancer);
    long writer = 0;
    long commit = Outcome.UNKNOWN;
    for (int i = 0; i < ATTEMPTS && !Outcome.isCommitted(commit); i++) {
      long start = await(client::begin);
      CommitRequest request = CommitRequest.of(SimulatedClient.handle(start)).withWrites(ROW);
      commit = await(then -> client.call(FrameType.COMMIT, start, 0, request, then));
      writer = start;
    }
    assertTrue(Outcome.isCommitted(commit), "seed " + seed + " commits nothing");

    long[] begun = new long[1];
    old.begin(answer -> begun[0] = answer);
    boolean[] awake = {false};
    first.whenAwake(() -> awake[0] = true);
    simulation.run(() -> awake[0] || !first.isAlive(), simulation.now() + PATIENCE);
    assertTrue(await(old::begin) > commit, "begin");
    assertTrue(await(old::timestamp) > commit, "extend");
    long asked = writer;
    assertEquals(
        commit, await(then -> old.call(FrameType.STATUS, asked, reader, null, then)), "query");
    assertTrue(simulation.run(() -> begun[0] != 0, simulation.now() + PATIENCE), "begin, before");
    assertTrue(begun[0] > commit, "begin, asked while it was paused");
    return awake[0];
  }
}
