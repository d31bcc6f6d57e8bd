package io.retso.client;

import io.retso.proof.PairMac;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * Tells whether what a client says of a transaction's outcome is what the oracle told it: by the
 * receipt that came with the oracle's answer ({@link CommitResult#receipt}). It has the keys of
 * receipts, which the oracle gives to region servers alone: a process that has them can make
 * receipts, too.
 *
 * <p>A receipt is of one start timestamp and one outcome, and true for ever.
 *
 * <p>Thread-safe; has no text.
 */
@InterfaceAudience.Private
public final class Receipts {
  private static final long ABORTED = 0;

  private final List<byte[]> keys;

  /** A cipher is of one thread. */
  private final ThreadLocal<List<PairMac>> macs;

  private Receipts(List<byte[]> keys) {
    this.keys = keys;
    this.macs = ThreadLocal.withInitial(() -> this.keys.stream().map(PairMac::new).toList());
  }

  /**
   * With the keys of the oracle's answer.
   *
   * @param numbers two for each key; a key of zeros is none
   */
  public static Receipts of(long[] numbers) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < numbers.length; i += 2) {
      if ((numbers[i] | numbers[i + 1]) != 0) {
        keys.add(
            ByteBuffer.allocate(PairMac.KEY_BYTES)
                .putLong(numbers[i])
                .putLong(numbers[i + 1])
                .array());
      }
    }
    return new Receipts(List.copyOf(keys));
  }

  /**
   * What a receipt is about beside the start timestamp.
   *
   * @param commitTimestamp of a committed transaction; otherwise anything that is not positive
   */
  public static long subject(long commitTimestamp) {
    return Math.max(commitTimestamp, ABORTED);
  }

  /**
   * Whether a receipt is that of an outcome.
   *
   * @param commitTimestamp of a committed transaction; anything that is not positive says that it
   *     is aborted
   * @param receipt 0 for none, which proves nothing
   */
  public boolean prove(long start, long commitTimestamp, long receipt) {
    if (receipt == 0) {
      return false;
    }
    for (PairMac mac : macs.get()) {
      mac.put(0, start, subject(commitTimestamp));
      mac.make(1);
      if (mac.code(0) == receipt) {
        return true;
      }
    }
    return false;
  }
}
