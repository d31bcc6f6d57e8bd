package io.retso.simulator;

import io.retso.client.Hold;
import io.retso.client.OracleClient;
import io.retso.client.OracleException.Category;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Holds one snapshot after the other, reads rows in it while windows pass and servers change, and
 * renews it. Some are left alone, to end when their time is over.
 */
final class Holder {
  private static final long SELDOM = 5 * Simulation.MILLIS;
  private static final int ROUNDS_MAX = 150;
  private static final int WINDOWS_MAX = 5;
  private static final Duration LONG = Duration.ofDays(1);
  private static final Duration SHORT = Duration.ofSeconds(1);

  /** Longer than a short one lasts, beside what a server does not count. */
  private static final long SURELY_OVER = 1_500 * Simulation.MILLIS;

  private final World world;
  private final Simulation simulation;
  private final SimulatedClient client;
  private final String prefix;
  private int taken;

  /** The one that is held, and the rows that were read in it. */
  private long snapshot;

  private final Set<Long> seen = new TreeSet<>();
  private int windows;
  private int rounds;

  Holder(World world, int number) {
    this.world = world;
    this.simulation = world.simulation();
    this.client = new SimulatedClient(world);
    this.prefix = "holder-" + number + "-";
  }

  void run() {
    later(this::take);
  }

  private void later(Runnable step) {
    simulation.after(simulation.delay(SELDOM), step);
  }

  private void take() {
    if (world.isDraining()) {
      return;
    }
    boolean isAbandoned = simulation.oneIn(6);
    String name = prefix + ++taken;
    History.Known known = client.known();
    long asked = simulation.now();
    client.ask(
        oracle -> oracle.holdAsync(name, isAbandoned ? SHORT : LONG),
        (held, e) -> {
          if (e != null) {
            // Whether it is held is not known, or there are too many.
            mustBeHarmless(e, Category.OVERLOADED);
            removeStrays();
            return;
          }
          world.operation();
          world.history().held(held, known);
          snapshot = held;
          if (isAbandoned) {
            simulation.at(asked + SHORT.toNanos(), () -> world.history().letGo(held));
            leave(held);
          } else {
            begin();
          }
        });
  }

  private void mustBeHarmless(Throwable e, Category orElse) {
    Category category = SimulatedClient.category(e);
    Violation.unless(
        category == Category.TIMEOUT || category == Category.UNAVAILABLE || category == orElse,
        () -> "a request about a held snapshot failed with " + e);
    world.counted("held snapshots: " + category);
  }

  /** Asks until there is an answer. */
  private <T> void insist(Function<OracleClient, CompletableFuture<T>> request, Consumer<T> to) {
    client.ask(
        request,
        (value, e) -> {
          if (e == null) {
            world.operation();
            to.accept(value);
          } else {
            mustBeHarmless(e, Category.TIMEOUT);
            insist(request, to);
          }
        });
  }

  /** Ends those of this holder that it does not know of. */
  private void removeStrays() {
    insist(
        OracleClient::holdsAsync,
        held -> {
          for (Hold hold : held) {
            if (hold.name().startsWith(prefix)) {
              world.counted("strays released");
              world.history().letGo(hold.timestamp()); // perhaps one that was left alone
              insist(oracle -> oracle.releaseAsync(hold.timestamp()), was -> {});
            }
          }
          run();
        });
  }

  private void begin() {
    seen.clear();
    rounds = 0;
    windows = simulation.below(WINDOWS_MAX);
    step();
  }

  private void step() {
    boolean isOver = world.isDraining() || rounds++ >= ROUNDS_MAX || windowsPassed() > windows;
    if (isOver) {
      release();
    } else if (simulation.oneIn(5)) {
      insist(
          oracle -> oracle.renewAsync(snapshot),
          isHeld -> {
            Violation.unless(isHeld, () -> snapshot + " is held, and could not be renewed");
            later(this::step);
          });
    } else {
      long row = world.anyRow();
      new RowReader(
              world,
              client,
              row,
              snapshot,
              version -> {
                seen.add(row);
                later(this::step);
              })
          .run();
    }
  }

  private void release() {
    world.counted(windowsPassed() > 1 ? "held over windows" : "held within a window");
    world.history().order().safeReader(snapshot, seen);
    world.history().letGo(snapshot);
    insist(oracle -> oracle.releaseAsync(snapshot), was -> run());
  }

  private long windowsPassed() {
    return (world.history().newestSeen() - snapshot) / world.sizes().windowSpan();
  }

  private void leave(long abandoned) {
    simulation.after(
        SURELY_OVER,
        () ->
            insist(
                oracle -> oracle.renewAsync(abandoned),
                isHeld -> {
                  world.counted(isHeld ? "held after a take-over" : "held until its time was over");
                  insist(oracle -> oracle.releaseAsync(abandoned), was -> {});
                }));
    run();
  }
}
