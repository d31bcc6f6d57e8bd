package io.retso.chaos.load;

import java.util.Arrays;

/**
 * When requests of one kind were answered. Times are of {@link System#nanoTime}. Thread-safe.
 *
 * <p>Memory: 12 bytes for each tenth of a second, and 16 for each client.
 */
public final class Successes {
  /** Length of a step of the timeline. */
  public static final int STEP_MILLIS = 100;

  private static final long STEP_NANOS = STEP_MILLIS * 1_000_000L;

  private final long origin;
  private final long[] lastOfClient;
  private final long[] gapOfClient;
  private int[] counts = new int[1024];
  private float[] slowest = new float[1024];
  private int steps;
  private long total;
  private long last;
  private long gap;

  /**
   * Begins to count.
   *
   * @param origin when the first step of the timeline begins
   */
  public Successes(int clients, long origin) {
    this.origin = origin;
    this.lastOfClient = new long[clients];
    this.gapOfClient = new long[clients];
    reset(System.nanoTime());
  }

  /**
   * For how long nothing was answered, at most.
   *
   * @param any to no client, nanoseconds
   * @param worst to the client that fared worst
   */
  public record Gaps(long any, long worst) {}

  /**
   * The past in steps.
   *
   * @param counts answers in each step
   * @param slowestMillis the longest that one of these took
   */
  public record Steps(int[] counts, float[] slowestMillis) {}

  /** A request of a client was answered just now. */
  public synchronized void add(int client, long asked, long now) {
    gap = Math.max(gap, now - last);
    last = now;
    gapOfClient[client] = Math.max(gapOfClient[client], now - lastOfClient[client]);
    lastOfClient[client] = now;
    int step = (int) Math.max(0, (now - origin) / STEP_NANOS);
    if (step >= counts.length) {
      counts = Arrays.copyOf(counts, Math.max(step + 1, 2 * counts.length));
      slowest = Arrays.copyOf(slowest, counts.length);
    }
    steps = Math.max(steps, step + 1);
    counts[step]++;
    total++;
    slowest[step] = Math.max(slowest[step], (now - asked) / 1e6f);
  }

  /** Looks at gaps anew from now on. */
  public synchronized void reset(long now) {
    last = now;
    gap = 0;
    Arrays.fill(lastOfClient, now);
    Arrays.fill(gapOfClient, 0);
  }

  /** The longest gaps between answers since the last reset. */
  public synchronized Gaps gaps() {
    return new Gaps(gap, Arrays.stream(gapOfClient).max().orElse(0));
  }

  /** Whether each client got an answer later than this. */
  public synchronized boolean allSince(long time) {
    return Arrays.stream(lastOfClient).allMatch(answer -> answer - time > 0);
  }

  /** Answers so far. */
  public synchronized long total() {
    return total;
  }

  /** All steps so far. */
  public synchronized Steps steps() {
    return new Steps(Arrays.copyOf(counts, steps), Arrays.copyOf(slowest, steps));
  }
}
