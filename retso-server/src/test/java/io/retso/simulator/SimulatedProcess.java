package io.retso.simulator;

import io.retso.simulator.SimulatedLedgers.Party;
import io.retso.simulator.SimulatedLedgers.Way;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A process on a machine of its own: whether it lives and is awake, what its clocks show, and which
 * others it is cut off from.
 */
abstract class SimulatedProcess implements SimulatedLedgers.Process {
  /**
   * Clocks go so much faster than the world's: packets and disks are as slow for a server as in a
   * bad network, and what it waits for in seconds does not make a world long.
   */
  static final int CLOCK_SPEED = 80;

  /** Clocks of two servers differ by at most one percent in rate. */
  private static final double DRIFT_MAX = 0.005;

  private final World world;
  private final Simulation simulation;
  private final Map<Party, Map<Way, Long>> cutOffUntil = new EnumMap<>(Party.class);
  private final Map<Way, long[]> cutOffFromBookieUntil = new EnumMap<>(Way.class);
  private final double clockRate;
  private long clockMillis;
  private boolean alive = true;
  private long lastTask;
  private long pausedUntil;
  private long disturbedUntil;

  /** For how long its monotonic clock stood still, and until when at last. */
  private long slept;

  private long sleptUntil = -World.ASLEEP_MAX;
  private long setBackAt = -World.ASLEEP_MAX;

  /**
   * Makes one that is awake.
   *
   * @param clockMillis what its wall clock shows at the beginning of the world
   */
  SimulatedProcess(World world, long clockMillis) {
    this.world = world;
    this.simulation = world.simulation();
    this.clockMillis = clockMillis;
    double drift = simulation.oneIn(2) ? 1 : simulation.random().nextDouble();
    clockRate = CLOCK_SPEED * (1 + (simulation.oneIn(2) ? drift : -drift) * DRIFT_MAX);
    for (Party party : Party.values()) {
      cutOffUntil.put(party, new EnumMap<>(Way.class));
    }
    for (Way way : Way.values()) {
      cutOffFromBookieUntil.put(way, new long[SimulatedLedgers.BOOKIES]);
    }
  }

  @Override
  public final boolean isAlive() {
    return alive;
  }

  /** kill -9: from one moment to the next. */
  void die() {
    alive = false;
  }

  // Time.

  /** Its monotonic clock, which goes at a rate of its own, and not while its machine sleeps. */
  final long nanos() {
    return (long) ((simulation.now() - slept) * clockRate);
  }

  /** Its wall clock. */
  final long wallMillis() {
    return clockMillis + CLOCK_SPEED * simulation.now() / Simulation.MILLIS;
  }

  /** Its wall clock is set forward or back, by a little or by hours. */
  final void setClock(long byMillis) {
    if (byMillis < 0) {
      if (simulation.now() - sleptUntil < World.ASLEEP_MAX) {
        return; // a machine that slept and whose clock is set back at once is excused
      }
      setBackAt = simulation.now();
    }
    clockMillis += byMillis;
    world.counted(byMillis > 0 ? "clocks set forward" : "clocks set back");
  }

  /** SIGSTOP, and SIGCONT after a while: nothing of this process happens in between. */
  final void pause(long duration) {
    pausedUntil = Math.max(pausedUntil, simulation.now() + duration);
    disturbed(duration);
    world.counted("pauses");
  }

  /** Its machine sleeps: nothing happens, either, and the monotonic clock stands still. */
  final void sleep(long duration) {
    if (pausedUntil > simulation.now() || simulation.now() - setBackAt < World.ASLEEP_MAX) {
      return;
    }
    pause(duration);
    slept += duration;
    sleptUntil = pausedUntil;
    world.counted("sleeps");
  }

  /** Runs an action of this process, once it is not paused, if it is alive then. */
  @Override
  public final void whenAwake(Runnable action) {
    if (pausedUntil > simulation.now()) {
      simulation.at(pausedUntil, () -> whenAwake(action));
    } else if (alive) {
      action.run();
    }
  }

  final boolean isAwake() {
    return alive && pausedUntil <= simulation.now();
  }

  /** Runs a task on its thread, behind those before. */
  final void execute(Runnable task) {
    lastTask = Math.max(lastTask, simulation.now() + simulation.delay(World.TASK_DELAY));
    simulation.at(lastTask, () -> whenAwake(task));
  }

  // Others.

  /** Those that it is cut off from hear nothing of it, nor it of them, until a time. */
  final void cutOff(Party party, long duration) {
    cutOff(party, Way.IN, duration);
    cutOff(party, Way.OUT, duration);
    world.counted("cut off from " + party);
  }

  /** Cuts it off in one direction. */
  final void cutOff(Party party, Way way, long duration) {
    cutOffUntil.get(party).merge(way, simulation.now() + duration, Math::max);
    disturbed(duration);
  }

  /** From one bookie. */
  final void cutOff(int bookie, Way way, long duration) {
    long[] until = cutOffFromBookieUntil.get(way);
    until[bookie] = Math.max(until[bookie], simulation.now() + duration);
    disturbed(duration);
  }

  /** It may not do what it should within a time. */
  final void disturbed(long duration) {
    disturbedUntil = Math.max(disturbedUntil, simulation.now() + duration);
  }

  /** Whether it could do what it should for so long. */
  final boolean isUndisturbedFor(long duration) {
    return simulation.now() - disturbedUntil >= duration;
  }

  final boolean isCutOff() {
    return Stream.of(Party.values()).anyMatch(this::isCutOff);
  }

  final boolean isCutOff(Party party) {
    return cutOffUntil.get(party).values().stream().anyMatch(until -> until > simulation.now());
  }

  @Override
  public final long cutOffUntil(Party party, Way way) {
    return cutOffUntil.get(party).getOrDefault(way, 0L);
  }

  @Override
  public final long cutOffUntil(int bookie, Way way) {
    return cutOffFromBookieUntil.get(way)[bookie];
  }
}
