package io.retso.security;

import io.retso.proof.PairMac;
import java.util.Arrays;
import java.util.List;

/**
 * Makes and checks tickets: the proof that a client began a transaction. A ticket is the code
 * ({@link PairMac}) of the start timestamp and its owner. Nothing is kept for a transaction, and
 * every server that has the secret comes to the same ticket.
 *
 * <p>Of one thread. Allocates nothing after construction.
 */
public final class Tickets {
  /** An owner that has not identified itself: then the ticket is its bearer's. */
  public static final long ANYBODY = 0;

  /** What their keys are for: see {@link ClusterSecret#keys}. */
  public static final String PURPOSE = "ticket";

  /** The first one makes tickets; all check them. */
  private final PairMac[] macs;

  private long refused;

  /**
   * Makes one for keys of 16 bytes each.
   *
   * @param keys the first makes tickets, all check them; at least one
   */
  public Tickets(List<byte[]> keys) {
    if (keys.isEmpty()) {
      throw new IllegalArgumentException("tickets need a key");
    }
    macs = keys.stream().map(PairMac::new).toArray(PairMac[]::new);
  }

  /**
   * Makes the tickets of neighbouring start timestamps.
   *
   * @param first start timestamp
   * @param step to the next one
   * @param owner the client that began them
   * @param tickets has them from {@code from} on, {@code count} of them
   */
  public void make(long first, long step, long owner, long[] tickets, int from, int count) {
    for (int done = 0; done < count; done += PairMac.PAIRS_MAX) {
      int some = Math.min(PairMac.PAIRS_MAX, count - done);
      for (int i = 0; i < some; i++) {
        macs[0].put(i, first + (done + i) * step, owner);
      }
      macs[0].make(some);
      for (int i = 0; i < some; i++) {
        tickets[from + done + i] = macs[0].code(i);
      }
    }
  }

  /**
   * Looks whether tickets are those of their start timestamps. One that was made for {@link
   * #ANYBODY} is its bearer's, also if that has identified itself since.
   *
   * @param owner the client that is to have begun them
   * @param wrong has for each of them whether its ticket is wrong
   * @return how many are wrong
   */
  public int check(long[] starts, long[] tickets, long owner, boolean[] wrong, int count) {
    int wrongs = 0;
    for (int done = 0; done < count; done += PairMac.PAIRS_MAX) {
      int some = Math.min(PairMac.PAIRS_MAX, count - done);
      Arrays.fill(wrong, done, done + some, true);
      int right = find(starts, tickets, owner, wrong, done, some);
      if (right < some && owner != ANYBODY) {
        right += find(starts, tickets, ANYBODY, wrong, done, some);
      }
      wrongs += some - right;
    }
    refused += wrongs;
    return wrongs;
  }

  /** How many were wrong since the start. */
  public long refused() {
    return refused;
  }

  /** Finds those that are right, of those that were wrong so far; returns how many. */
  private int find(
      long[] starts, long[] tickets, long owner, boolean[] wrong, int from, int count) {
    int found = 0;
    for (int key = 0; key < macs.length && found < count; key++) {
      for (int i = 0; i < count; i++) {
        macs[key].put(i, starts[from + i], owner);
      }
      macs[key].make(count);
      for (int i = 0; i < count; i++) {
        if (wrong[from + i] && tickets[from + i] == macs[key].code(i)) {
          wrong[from + i] = false;
          found++;
        }
      }
    }
    return found;
  }
}
