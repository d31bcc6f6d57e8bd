package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class RecentWritesTest {
  private static final int STRIPES = 64;
  private static final int AWAKE = 1000;
  private static final long WRAP = 1L << 31;

  private final RecentWrites recent = new RecentWrites(STRIPES, AWAKE);
  private final int[] stripe = new int[1];

  private boolean mayBeWritten(int which, long start) {
    stripe[0] = which;
    return recent.mayBeWritten(stripe, 0, 1, start);
  }

  private void write(int which, long sequence) {
    stripe[0] = which;
    recent.wrote(stripe, 0, 1, sequence);
  }

  @Test
  void knowsNothingOfWhatWasWrittenWhileItSlept() {
    assertFalse(recent.isAwake(1));
    recent.wake(10);
    assertFalse(recent.knows(9, 11));
    assertTrue(recent.knows(10, 11));
    assertTrue(recent.isAwake(9 + AWAKE));
    assertFalse(recent.isAwake(10 + AWAKE));
    assertFalse(recent.knows(10, 10 + AWAKE));
    recent.wake(10 + AWAKE);
    assertFalse(recent.knows(9 + AWAKE, 11 + AWAKE));
  }

  @Test
  void certificationsKeepItAwake() {
    recent.wake(10);
    recent.wake(9 + AWAKE);
    assertTrue(recent.knows(10, 8 + 2 * AWAKE));
  }

  @Test
  void oneOfManyIsEnough() {
    recent.wake(10);
    write(5 + STRIPES, 20); // further bits do not matter
    int[] many = {1, 2, 5, 3};
    assertTrue(recent.mayBeWritten(many, 0, 4, 19));
    assertFalse(recent.mayBeWritten(many, 0, 4, 20));
    assertFalse(recent.mayBeWritten(many, 0, 2, 19));
    assertFalse(recent.mayBeWritten(many, 2, 2, 19));
  }

  @Test
  void whenItIsClearedItSleepsAndNothingLooksYoung() {
    recent.wake(10);
    long now = 3 * WRAP;
    recent.clear(now);
    assertFalse(recent.isAwake(now));
    recent.wake(now);
    assertFalse(mayBeWritten(1, now));
  }

  /** Beside a model that remembers all: over several times 2^32 sequences. */
  @Test
  void whatItLetsPassWasNotWritten() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    long[] written = new long[STRIPES];
    long now = 1;
    long answers = 0;
    long exact = 0;
    for (int i = 0; i < 3_000_000; i++) {
      now += step(random);
      int which = random.nextInt(STRIPES);
      if (random.nextInt(4) == 0) {
        if (recent.isAwake(now)) {
          write(which, now);
        }
        written[which] = now;
        continue;
      }
      if (random.nextBoolean()) {
        recent.wake(now);
      }
      long start = Math.max(0, now - 1 - random.nextInt(AWAKE));
      if (recent.knows(start, now)) {
        answers++;
        boolean maybe = mayBeWritten(which, start);
        assertTrue(maybe || written[which] <= start, "it was written at " + written[which]);
        if (start - written[which] < WRAP) {
          assertEquals(written[which] > start, maybe);
          exact++;
        }
      }
    }
    assertTrue(now > 8 * WRAP);
    assertTrue(answers > 100_000);
    assertTrue(exact > answers / 2);
  }

  private static long step(Random random) {
    return switch (random.nextInt(50_000)) {
      case 0 -> 1 + random.nextInt(Integer.MAX_VALUE);
      case 1, 2, 3, 4, 5 -> 1 + random.nextInt(2 * AWAKE);
      default -> 1 + random.nextInt(10);
    };
  }
}
