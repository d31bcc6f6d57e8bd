package io.retso.simulator;

import java.util.PriorityQueue;
import java.util.Random;
import java.util.function.BooleanSupplier;

/**
 * Virtual time, one queue of events, one seeded source of chance. Everything of a simulated world
 * runs here, on one thread, so a seed replays exactly.
 */
public final class Simulation {
  /** A microsecond of virtual time. */
  public static final long MICROS = 1_000;

  /** A millisecond of virtual time. */
  public static final long MILLIS = 1_000_000;

  private record Event(long time, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(time, other.time);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final Random random;
  private long now;
  private long order;

  public Simulation(long seed) {
    random = new Random(seed);
  }

  /** Virtual nanoseconds since the beginning. */
  public long now() {
    return now;
  }

  public Random random() {
    return random;
  }

  /** A number from 0 (inclusive) to {@code bound} (exclusive). */
  public int below(int bound) {
    return random.nextInt(bound);
  }

  /** True once in {@code times}. */
  public boolean oneIn(int times) {
    return random.nextInt(times) == 0;
  }

  /** A delay around {@code typical}; now and then a much longer one. */
  public long delay(long typical) {
    long most = oneIn(50) ? 20 * typical : 2 * typical;
    return 1 + (long) (random.nextDouble() * most);
  }

  /** Runs {@code action} after a delay. */
  public void after(long delay, Runnable action) {
    events.add(new Event(now + delay, order++, action));
  }

  /** Runs {@code action} at a time. */
  public void at(long time, Runnable action) {
    after(Math.max(0, time - now), action);
  }

  /** Runs what happens within a time from now on. */
  public void pass(long duration) {
    long until = now + duration;
    while (!events.isEmpty() && events.peek().time <= until) {
      step();
    }
    now = Math.max(now, until);
  }

  /** Runs until a condition holds; returns whether it ever did. */
  public boolean run(BooleanSupplier done, long untilTime) {
    while (!done.getAsBoolean()) {
      if (events.isEmpty() || events.peek().time > untilTime) {
        return false;
      }
      step();
    }
    return true;
  }

  private void step() {
    Event event = events.poll();
    now = Math.max(now, event.time);
    event.action.run();
  }
}
