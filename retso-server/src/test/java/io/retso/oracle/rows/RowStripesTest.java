package io.retso.oracle.rows;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RowStripesTest {
  private static final int STRIPES = 1 << 5;
  private static final int ROWS = 40;
  private static final long WRAP = 1L << 31;

  private final RowStripes stripes = new RowStripes(STRIPES);
  private final long[] row = new long[1];
  private final int[] place = new int[1];

  private void locate(long id) {
    row[0] = id;
    stripes.locate(row, 0, 1, place);
  }

  private boolean mayBeWritten(long id, long start) {
    locate(id);
    return stripes.mayBeWritten(row, place, 0, 1, (int) start);
  }

  private void write(long id, long sequence) {
    locate(id);
    stripes.wrote(row, place, 0, 1, (int) sequence);
  }

  private void read(long id, long sequence) {
    locate(id);
    stripes.setRead(place, 0, 1, (int) sequence);
  }

  private int readAt(long id) {
    locate(id);
    return stripes.read(place[0]);
  }

  @Test
  void eachStripeHasAPlaceAndANumber() {
    Set<Integer> places = new HashSet<>();
    Set<Integer> numbers = new HashSet<>();
    for (int id = 1; id < 1000; id++) {
      locate(id);
      places.add(place[0]);
      numbers.add(RowStripes.stripe(place[0]));
      assertTrue(RowStripes.stripe(place[0]) < STRIPES);
    }
    assertEquals(STRIPES, places.size());
    assertEquals(STRIPES, numbers.size());
  }

  @Test
  void positionsGrowOnly() {
    read(7, 20);
    read(7, 10);
    place[0] = -1;
    stripes.setRead(place, 0, 1, 30);
    assertEquals(20, readAt(7));
  }

  @Test
  void whatIsReadNowIsTheHighestPosition() {
    int[] others = {1, 2, 3};
    locate(7);
    int[] places = {others[0], place[0], others[2]};
    read(7, 20);
    stripes.setReadNow(places, 1, 2, 30);
    assertEquals(30, readAt(7));
    assertEquals(0, stripes.read(others[0]));
    assertEquals(0, stripes.read(others[2]));
  }

  /** Sequences are compared by their low bits, so what is kept of old ones must age. */
  @Test
  void whatWasWrittenLongAgoIsNeverNews() {
    write(5, 10);
    for (long now = 10; now <= 3 * WRAP; now += 1 << 20) {
      stripes.age((int) now);
      assertFalse(mayBeWritten(5, now), "at " + now);
    }
  }

  @Test
  void oneOfManyIsEnough() {
    write(5, 20);
    long[] many = {1, 2, 5, 3};
    int[] places = new int[4];
    stripes.locate(many, 0, 4, places);
    assertTrue(stripes.mayBeWritten(many, places, 0, 4, 19));
    assertFalse(stripes.mayBeWritten(many, places, 0, 4, 20));
    assertFalse(stripes.mayBeWritten(many, places, 0, 2, 19));
    assertFalse(stripes.mayBeWritten(many, places, 2, 2, 19));
  }

  @Test
  void rowZeroHasAName() {
    write(0, 20);
    assertTrue(mayBeWritten(CommittedMap.named(0), 19));
    assertTrue(mayBeWritten(0, 19));
  }

  /** After that all names of a line are one and the same, which may be that of a row. */
  @Test
  void clearedLinesHaveNoName() {
    stripes.clear(7);
    write(7, 20);
    assertTrue(mayBeWritten(7, 19));
    assertFalse(mayBeWritten(7, 20));
  }

  @Test
  void whatIsForgottenCountsAsNow() {
    read(3, 20);
    long now = 3 * WRAP - 5;
    stripes.clear((int) now);
    for (int id = 0; id < ROWS; id++) {
      assertEquals((int) now, readAt(id));
      assertEquals((int) now, stripes.past().newest(id % STRIPES));
      assertEquals((int) now, stripes.past().previous(id % STRIPES));
      assertTrue(mayBeWritten(id, now - 1));
      assertFalse(mayBeWritten(id, now));
    }
  }

  /** Beside a model that remembers all: over several times 2^32 sequences. */
  @Test
  void whatItLetsPassWasNotWritten() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    long[] written = new long[ROWS];
    long now = 1;
    long passed = 0;
    for (int i = 0; i < 2_000_000; i++) {
      now += step(random);
      stripes.age((int) now);
      int id = random.nextInt(ROWS);
      if (random.nextInt(8) == 0) {
        write(id, now);
        written[id] = now;
        continue;
      }
      long start = Math.max(0, now - 1 - random.nextInt(100));
      boolean maybe = mayBeWritten(id, start);
      assertTrue(maybe || written[id] <= start, "it was written at " + written[id]);
      passed += maybe ? 0 : 1;
    }
    assertTrue(now > 8 * WRAP);
    assertTrue(passed > 500_000, passed + " rows were let pass");
  }

  private static long step(Random random) {
    return switch (random.nextInt(50_000)) {
      case 0 -> 1 + random.nextInt(Integer.MAX_VALUE);
      case 1, 2, 3, 4, 5 -> 1 + random.nextInt(2_000);
      default -> 1 + random.nextInt(10);
    };
  }

  @Test
  void threeRowsOfALineAreToldApart() {
    long[] sameLine = new long[4];
    int found = 0;
    for (long id = 1; found < sameLine.length; id++) {
      locate(id);
      if (RowStripes.stripe(place[0]) < 8) {
        sameLine[found++] = id;
      }
    }
    for (int i = 0; i < 3; i++) {
      write(sameLine[i], 10 + i);
    }
    assertFalse(mayBeWritten(sameLine[0], 10));
    assertFalse(mayBeWritten(sameLine[3], 0), "nobody wrote it");
    write(sameLine[3], 20);
    assertTrue(mayBeWritten(sameLine[0], 9), "it has no name now");
    assertFalse(mayBeWritten(sameLine[0], 10), "the first of them gave way");
    assertFalse(mayBeWritten(sameLine[1], 11));
    assertTrue(mayBeWritten(sameLine[1], 10));
  }

  /** Over several times 2^32 sequences nothing old ever looks younger than it is by 2^30. */
  @Test
  void nothingOldBecomesYoungAgain() {
    Random random = new Random(1);
    long[] readAt = new long[ROWS];
    long time = 1;
    for (int i = 0; i < 100_000; i++) {
      time += 1 + random.nextInt(1 << 18);
      int now = (int) time;
      stripes.age(now);
      int id = random.nextInt(8);
      if (i % 64 == 0) {
        read(id, time - 1);
        readAt[id] = time - 1;
        stripes.past().add(id, now - 1);
      }
      long held = Math.min(time - Arrays.stream(readAt).max().orElse(0), CommittedMap.AGE_MAX);
      assertTrue(now - readAt(id) >= held, "read");
      assertTrue(now - readAt(100 + id) > 0, "hardly ever read");
      assertTrue(now - stripes.past().previous(id) > 0, "past");
      assertTrue(now - stripes.past().newest(8 + id) > 0, "never written in the past");
      assertTrue(now - stripes.past().previous(8 + id) > 0, "nor before");
    }
    assertTrue(time > 2L << 32);
  }
}
