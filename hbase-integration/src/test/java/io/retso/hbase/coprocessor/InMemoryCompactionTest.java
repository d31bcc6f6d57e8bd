package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.TableSettings;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.CompactingMemStore;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Families whose memory HBase compacts by itself ({@code IN_MEMORY_COMPACTION}), beside flushes and
 * compactions: nothing that was committed is missed. {@code -Dretso.inmemory.policy=BASIC} for one
 * policy, {@code -Dretso.inmemory=SECONDS} for longer.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(900)
class InMemoryCompactionTest {
  private static final int ROWS = 20;
  private static final int WRITERS = 3;
  private static final int COMMITS = 300;
  private static final int SECONDS = Integer.getInteger("retso.inmemory", 0);
  private static final String POLICY = System.getProperty("retso.inmemory.policy", "BASIC");
  private static final long SEED = Long.getLong("retso.inmemory.seed", 20_260);

  /** A segment of memory is full after some transactions. */
  private static void compactOften(TableDescriptorBuilder table) {
    table.setValue(CompactingMemStore.IN_MEMORY_FLUSH_THRESHOLD_FACTOR_KEY, "0.00005");
    for (ColumnFamilyDescriptor family : table.build().getColumnFamilies()) {
      table.modifyColumnFamily(
          ColumnFamilyDescriptorBuilder.newBuilder(family)
              .setInMemoryCompaction(MemoryCompactionPolicy.valueOf(POLICY))
              .build());
    }
  }

  private RawTable t;
  private final AtomicLong commits = new AtomicLong();
  private final AtomicBoolean isOver = new AtomicBoolean();
  private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

  @Test
  void nothingIsMissed(RetsoCluster cluster) throws Exception {
    System.out.println("seed " + SEED);
    long end = System.nanoTime() + SECONDS * 1_000_000_000L;
    try (RawTable table =
        new RawTable(
            cluster, TableSettings.Cleanup.REGIONS, InMemoryCompactionTest::compactOften)) {
      t = table;
      for (int row = 0; row < ROWS; row++) {
        t.update("r" + row, "n", "0");
      }
      List<Thread> threads =
          List.of(writer(1), writer(2), writer(WRITERS), thread(() -> upkeep(new Random(SEED))));
      threads.forEach(Thread::start);
      Fixture.eventually(
          "commits",
          () -> !wrong.isEmpty() || commits.get() >= COMMITS && SECONDS == 0 || SECONDS > 0);
      while (wrong.isEmpty() && System.nanoTime() < end) {
        Thread.onSpinWait();
        Thread.sleep(100); // between two looks
      }
      isOver.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
      System.out.println(POLICY + ": " + commits + " commits");
      assertEquals(List.of(), List.copyOf(wrong));
      long sum = 0;
      long timestamp = t.snapshot();
      for (int row = 0; row < ROWS; row++) {
        sum += Long.parseLong(t.read(timestamp, "r" + row).get("n"));
      }
      assertEquals(commits.get(), sum);
      assertTrue(sum > 0);
    }
  }

  private interface Body {
    void run() throws Exception;
  }

  private Thread thread(Body body) {
    return new Thread(
        () -> {
          try {
            body.run();
          } catch (Exception | AssertionError e) {
            wrong.add(e.toString());
          }
        });
  }

  private Thread writer(int number) {
    Random random = new Random(SEED + number);
    return thread(
        () -> {
          while (!isOver.get() && wrong.isEmpty()) {
            increment("r" + random.nextInt(ROWS), random.nextInt(5) == 0);
          }
        });
  }

  private void increment(String row, boolean aborts) throws Exception {
    long start = t.oracle.begin();
    Map<String, String> seen = t.read(start, row);
    if (seen.get("n") == null) {
      wrong.add(
          row
              + " at "
              + start
              + ": "
              + seen
              + "; all cells: "
              + t.cells(row)
              + "; read again: "
              + t.read(start, row)
              + "; raw: "
              + t.raw(row));
      return;
    }
    long next = Long.parseLong(seen.get("n")) + 1;
    t.write(start, row, "n", String.valueOf(next));
    if (aborts) {
      t.oracle.abort(start);
      t.cleanUp(start, Outcome.ABORTED, row);
      return;
    }
    var outcome = t.oracle.commit(start, row.hashCode());
    if (outcome.isCommitted()) {
      commits.incrementAndGet();
      t.cleanUp(start, outcome.commitTimestamp(), row);
      t.oracle.cleanedUp(start);
    } else {
      t.cleanUp(start, Outcome.ABORTED, row);
    }
  }

  private void upkeep(Random random) throws Exception {
    while (!isOver.get() && wrong.isEmpty()) {
      for (HRegion region : t.regions()) {
        switch (random.nextInt(4)) {
          case 0 -> region.compact(false);
          case 1 -> region.compact(true);
          default -> region.flush(true);
        }
      }
      Thread.sleep(20 + random.nextInt(100)); // for something to be in memory
    }
  }
}
