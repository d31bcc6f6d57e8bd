package io.retso.security;

import io.retso.client.Receipts;
import io.retso.proof.PairMac;
import io.retso.protocol.Outcome;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Makes receipts: the proof that the oracle has decided a transaction so. A receipt is the code
 * ({@link PairMac}) of the start timestamp and the outcome; region servers that have the keys check
 * it ({@link Receipts}). It leaves with the outcome, when that is durable.
 *
 * <p>Of one thread. Allocates nothing after construction; has no text.
 */
public final class ReceiptMaker {
  /** What their keys are for: see {@link ClusterSecret#keys}. */
  public static final String PURPOSE = "receipt";

  private final PairMac mac;
  private final long[] keys;

  /**
   * Makes one for keys of 16 bytes each.
   *
   * @param keys the first makes receipts; all are given to region servers, two at most
   */
  public ReceiptMaker(List<byte[]> keys) {
    this.mac = new PairMac(keys.get(0));
    this.keys = keys.stream().flatMapToLong(ReceiptMaker::numbers).toArray();
  }

  private static LongStream numbers(byte[] key) {
    ByteBuffer bytes = ByteBuffer.wrap(key);
    return LongStream.of(bytes.getLong(), bytes.getLong());
  }

  /** The i-th number of the keys, two for each; 0 behind the last. */
  public long key(int i) {
    return i < keys.length ? keys[i] : 0;
  }

  /**
   * Makes receipts behind outcomes.
   *
   * @param outcomes {@link Outcome}s of {@code count} transactions, and behind them as many places,
   *     which get 0 where the oracle does not know that it was decided so
   */
  public void make(long[] starts, long[] outcomes, int count) {
    for (int from = 0; from < count; from += PairMac.PAIRS_MAX) {
      int some = Math.min(PairMac.PAIRS_MAX, count - from);
      for (int i = 0; i < some; i++) {
        mac.put(i, starts[from + i], Receipts.subject(outcomes[from + i]));
      }
      mac.make(some);
      for (int i = 0; i < some; i++) {
        outcomes[count + from + i] = isKnown(outcomes[from + i]) ? mac.code(i) : 0;
      }
    }
  }

  /**
   * A commit from below the window is too old because its client says that it never asked before.
   * If it did, and lies, the transaction may be committed and forgotten.
   */
  private static boolean isKnown(long outcome) {
    return Outcome.isCommitted(outcome)
        || Outcome.isAborted(outcome) && outcome != Outcome.ABORTED_TOO_OLD;
  }
}
