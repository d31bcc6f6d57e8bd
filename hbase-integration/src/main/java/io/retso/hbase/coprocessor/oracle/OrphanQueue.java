package io.retso.hbase.coprocessor.oracle;

import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.layout.CleanupRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.regionserver.Region;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows with marks of transactions whose clients seem to have left them behind. After a while of
 * grace, in which most clients clean up themselves, the transactions' states are asked for, and
 * what is decided is cleaned up by the region server.
 *
 * <p>Best effort: at most {@link #CAPACITY} rows wait, more are dropped and counted; at most {@link
 * #ROUND_MAX} are done in a round, ten rounds a second. What is lost here is found again by the
 * next read, flush, compaction or sweep. One thread; {@link #offer} is thread-safe and never waits.
 */
public final class OrphanQueue implements AutoCloseable {
  public static final int CAPACITY = 10_000;
  static final int ROUND_MAX = 200;

  /** Time between the finding of a mark and its cleanup. */
  public static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long ROUND_MILLIS = 100;
  private static final Logger LOG = LoggerFactory.getLogger(OrphanQueue.class);

  /** Where transactions stand. */
  public interface Statuses {
    /**
     * Outcomes by start timestamp; those that are open are missing. A forgotten one counts as
     * aborted: its mark, if it is there <em>after</em> the answer, says so, and cleanup does
     * nothing unless it is.
     */
    Map<Long, Long> of(List<Long> starts) throws IOException;
  }

  /** A mark. */
  private static final class Orphan {
    private final Region region;
    private final byte[] row;
    private final long start;

    private Orphan(Region region, byte[] row, long start) {
      this.region = region;
      this.row = row;
      this.start = start;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Orphan that
          && region == that.region
          && start == that.start
          && Arrays.equals(row, that.row);
    }

    @Override
    public int hashCode() {
      return 31 * Arrays.hashCode(row) + Long.hashCode(start);
    }
  }

  private final Statuses statuses;
  private final ObserverMetrics metrics;
  private final LongSupplier nanoClock;

  /** Orphans and when they are due; in that order, as grace is the same for all. */
  private final Map<Orphan, Long> waiting = new LinkedHashMap<>();

  private ScheduledExecutorService executor;

  /** An empty queue, whose rounds are run by the caller unless it is started. */
  public OrphanQueue(Statuses statuses, ObserverMetrics metrics, LongSupplier nanoClock) {
    this.statuses = statuses;
    this.metrics = metrics;
    this.nanoClock = nanoClock;
  }

  /** Starts the thread. */
  void start() {
    executor =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "retso-orphans");
              thread.setDaemon(true);
              return thread;
            });
    executor.scheduleWithFixedDelay(
        this::roundLogged, ROUND_MILLIS, ROUND_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Queues a mark that was found in {@code region}. */
  public void offer(Region region, byte[] row, long start) {
    Orphan orphan = new Orphan(region, row, start);
    synchronized (waiting) {
      if (waiting.containsKey(orphan)) {
        return;
      }
      if (waiting.size() < CAPACITY) {
        waiting.put(orphan, nanoClock.getAsLong() + GRACE_NANOS);
        metrics.orphansQueued.increment();
        return;
      }
    }
    metrics.orphansDropped.increment();
  }

  /** Forgets the marks of a region that closes. */
  public void forget(Region region) {
    synchronized (waiting) {
      waiting.keySet().removeIf(orphan -> orphan.region == region);
    }
  }

  public int size() {
    synchronized (waiting) {
      return waiting.size();
    }
  }

  private void roundLogged() {
    try {
      round();
    } catch (IOException | RuntimeException e) {
      LOG.debug("some rows stay as they are until they are found again", e);
    }
  }

  /**
   * Cleans up what is due, some of it.
   *
   * @throws IOException if the oracle or a region failed; what was taken is forgotten
   */
  public void round() throws IOException {
    List<Orphan> due = takeDue();
    if (due.isEmpty()) {
      return;
    }
    Map<Long, Long> decided =
        statuses.of(due.stream().map(orphan -> orphan.start).distinct().toList());
    Map<Region, List<Mutation>> byRegion = new HashMap<>();
    for (Orphan orphan : due) {
      Long outcome = decided.get(orphan.start);
      if (outcome != null) {
        byRegion
            .computeIfAbsent(orphan.region, region -> new ArrayList<>())
            .add(new CleanupRequest(orphan.row, orphan.start, outcome).toPut());
      }
    }
    IOException failure = null;
    for (Map.Entry<Region, List<Mutation>> entry : byRegion.entrySet()) {
      try {
        entry.getKey().batchMutate(entry.getValue().toArray(new Mutation[0]));
      } catch (IOException e) {
        failure = e; // it may be closing; the others go on
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private List<Orphan> takeDue() {
    long now = nanoClock.getAsLong();
    List<Orphan> due = new ArrayList<>();
    synchronized (waiting) {
      Iterator<Map.Entry<Orphan, Long>> oldest = waiting.entrySet().iterator();
      while (oldest.hasNext() && due.size() < ROUND_MAX) {
        Map.Entry<Orphan, Long> entry = oldest.next();
        if (entry.getValue() - now > 0) {
          break;
        }
        due.add(entry.getKey());
        oldest.remove();
      }
    }
    return due;
  }

  @Override
  public void close() {
    if (executor != null) {
      executor.shutdownNow();
    }
  }
}
