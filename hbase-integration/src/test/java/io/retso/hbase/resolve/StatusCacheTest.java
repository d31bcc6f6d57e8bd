package io.retso.hbase.resolve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.layout.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class StatusCacheTest {
  @Test
  void remembersDecisions() {
    StatusCache cache = new StatusCache(16);
    cache.committed(160, 320);
    cache.aborted(176);
    assertEquals(320, cache.get(160));
    assertEquals(Outcome.ABORTED, cache.get(176));
    assertEquals(Outcome.UNKNOWN, cache.get(192));
  }

  @Test
  void theYoungestStay() {
    StatusCache cache = new StatusCache(4);
    for (long start = 16; start <= 16 * 100; start += 16) {
      cache.committed(start, start + 16);
    }
    for (long start = 16; start <= 16 * 100; start += 16) {
      assertEquals(start > 16 * 96 ? start + 16 : Outcome.UNKNOWN, cache.get(start));
    }
    cache.aborted(16); // older than all that are there
    assertEquals(Outcome.UNKNOWN, cache.get(16));
  }

  @Test
  void mostOfTheCapacityIsUsed() {
    StatusCache cache = new StatusCache(1 << 12);
    for (long start = 16; start <= 16 << 11; start += 16) {
      cache.aborted(start);
    }
    int found = 0;
    for (long start = 16; start <= 16 << 11; start += 16) {
      found += cache.get(start) == Outcome.ABORTED ? 1 : 0;
    }
    assertTrue(found > 0.9 * (1 << 11), found + " of " + (1 << 11) + " in a cache of twice that");
  }

  @Test
  void refusesWhatCannotBe() {
    StatusCache cache = new StatusCache(16);
    assertThrows(IllegalArgumentException.class, () -> cache.committed(160, 160));
    assertThrows(IllegalArgumentException.class, () -> cache.committed(160, 161));
    assertThrows(IllegalArgumentException.class, () -> cache.aborted(161));
    assertThrows(IllegalArgumentException.class, () -> new StatusCache(3));
  }

  /** Threads write and read through sixteen places: whatever is found belongs to its key. */
  @Test
  void racingThreadsNeverMixEntries() throws Exception {
    StatusCache cache = new StatusCache(16);
    int threads = 4;
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Long>> found = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int seed = i;
        found.add(executor.submit(() -> race(cache, new Random(seed))));
      }
      long hits = 0;
      for (Future<Long> future : found) {
        hits += future.get();
      }
      assertTrue(hits > 0, "nothing was ever found");
    } finally {
      executor.shutdownNow();
    }
  }

  private static long race(StatusCache cache, Random random) {
    long hits = 0;
    for (int i = 0; i < 300_000; i++) {
      long start = 16L * (1 + random.nextInt(200) + i / 1000);
      boolean aborted = (start & 16) == 0;
      if (random.nextBoolean()) {
        if (aborted) {
          cache.aborted(start);
        } else {
          cache.committed(start, 3 * start);
        }
      } else {
        long value = cache.get(start);
        if (value != Outcome.UNKNOWN) {
          assertEquals(aborted ? Outcome.ABORTED : 3 * start, value);
          hits++;
        }
      }
    }
    return hits;
  }
}
