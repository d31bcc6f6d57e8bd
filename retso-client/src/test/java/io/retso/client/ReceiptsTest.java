package io.retso.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.proof.PairMac;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class ReceiptsTest {
  private static final long[] KEYS = {1, 2, 3, 4};

  private static long receipt(int key, long start, long subject) {
    byte[] bytes =
        ByteBuffer.allocate(PairMac.KEY_BYTES)
            .putLong(KEYS[2 * key])
            .putLong(KEYS[2 * key + 1])
            .array();
    PairMac mac = new PairMac(bytes);
    mac.put(0, start, subject);
    mac.make(1);
    return mac.code(0);
  }

  @Property(tries = 200)
  void eachBitCounts(
      @ForAll long start,
      @ForAll @LongRange(min = 1) long commit,
      @ForAll @IntRange(max = 1) int key,
      @ForAll @IntRange(max = 62) int bit) {
    Receipts receipts = Receipts.of(KEYS);
    long receipt = receipt(key, start, commit);
    assertTrue(receipts.prove(start, commit, receipt));
    assertFalse(receipts.prove(start ^ 1L << bit, commit, receipt));
    assertFalse(receipts.prove(start, commit ^ 1L << bit, receipt));
    assertFalse(receipts.prove(start, commit, receipt ^ 1L << bit));
    assertFalse(receipts.prove(start, -1, receipt));
  }

  @Test
  void allNumbersThatAreNoCommitSayAborted() {
    long receipt = receipt(0, 16, 0);
    for (long aborted : List.of(0L, -1L, -13L)) {
      assertTrue(Receipts.of(KEYS).prove(16, aborted, receipt));
    }
    assertFalse(Receipts.of(KEYS).prove(16, 32, receipt));
  }

  /** A process that knows that there is no key could work it out. */
  @Test
  void aKeyOfZerosIsNone() {
    PairMac known = new PairMac(new byte[PairMac.KEY_BYTES]);
    known.put(0, 16, 32);
    known.make(1);
    assertFalse(Receipts.of(new long[4]).prove(16, 32, known.code(0)));
    Receipts one = Receipts.of(new long[] {1, 2, 0, 0});
    assertFalse(one.prove(16, 32, known.code(0)));
    assertTrue(one.prove(16, 32, receipt(0, 16, 32)));
    assertFalse(one.prove(16, 32, 0));
  }

  @Test
  void manyThreadsAskAtOnce() {
    Receipts receipts = Receipts.of(KEYS);
    List<Long> made = IntStream.range(1, 100).mapToObj(i -> receipt(1, i, i)).toList();
    AtomicInteger proved = new AtomicInteger();
    List<Thread> threads =
        IntStream.range(0, 4)
            .mapToObj(
                thread ->
                    new Thread(
                        () -> {
                          for (int i = 1; i < 100; i++) {
                            proved.addAndGet(receipts.prove(i, i, made.get(i - 1)) ? 1 : 0);
                          }
                        }))
            .toList();
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    assertEquals(4 * 99, proved.get());
  }
}
