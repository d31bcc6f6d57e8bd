package io.retso.oracle;

import java.util.Arrays;

/**
 * The status of every transaction that started among the last R timestamps: a ring indexed by
 * sequence, eight bytes a timestamp, one word a transaction. It is the paper's list of open
 * transactions and its half-aborted list (section 3.1) in one place, and its memory of commit
 * timestamps by transaction.
 *
 * <pre>
 *   63                              3  2    0
 *   +--------------------------------+-------+
 *   | commit sequence (if committed) | state |
 *   +--------------------------------+-------+
 * </pre>
 *
 * <p>The slot of a commit's own timestamp, which is no transaction, remembers where serializable
 * transactions have their place, in the same 61 bits ({@link #issueCommit}):
 *
 * <pre>
 *   63                       32 31                            3  2    0
 *   +--------------------------+--------------------------------+-------+
 *   | Tc - s, in timestamps/16 | Tc - newest commit overwritten | state |
 *   +--------------------------+--------------------------------+-------+
 * </pre>
 *
 * <p>Where a commit sequence will be, an open transaction has the number of the client host that
 * began it; 0 if that is not known. It says which host waits for which, and is no part of any
 * answer.
 *
 * <p>Invariant: the window is [{@link #low}, {@link #next}), next - low &lt; R, and the slots
 * outside it are vacant: {@code next} can be taken at any time, and a transaction at {@code low}
 * can still be decided by the very timestamp that is taken then.
 *
 * <p>A sequence is <strong>finished</strong> when the low watermark may pass it: if it is {@link
 * #NO_TRANSACTION}, an aborted transaction (its cells are never visible, whether they are taken
 * back or not), or a committed one without pending marks. Open and presumed open ones are not, nor
 * committed ones with cleanup outstanding. What is finished stays finished.
 *
 * <p><strong>Swept.</strong> Commits below {@link #sweptBelow} have no marks left, whatever their
 * slots say. To sweep is therefore one assignment; the slots follow in small steps ({@link
 * #sweepOn}), and only the count of {@link #COMMITTED} lags meanwhile.
 *
 * <p>Memory is allocated once. Not thread-safe.
 */
final class TransactionWindow {
  /** Timestamps, at most: 2^28, far below the age at which rows hold commits. */
  static final int CAPACITY_MAX = 1 << 28;

  /** Timestamps, at least. */
  static final int CAPACITY_MIN = 1 << 3;

  /**
   * Not known to be issued: a slot outside the window, or a timestamp that was reserved before a
   * crash and neither committed nor aborted in the log. Its client may be alive, so it counts as
   * open.
   */
  static final int PRESUMED_OPEN = 0;

  /** No transaction started here: a commit timestamp, or one of {@link UnloggedTimestamps}. */
  static final int NO_TRANSACTION = 1;

  /** Committed, and every row cleaned up. */
  static final int COMMITTED_CLEAN = 2;

  /** Aborted, and every row cleaned up. */
  static final int ABORTED_CLEAN = 3;

  /** Started, not decided. */
  static final int OPEN = 4;

  /** Aborted, cleanup not reported: the paper's half-aborted list. */
  static final int HALF_ABORTED = 5;

  /** Committed, cleanup not reported. */
  static final int COMMITTED = 6;

  /**
   * A snapshot of serializable readers, held open by the oracle: of no transaction, and not
   * finished.
   */
  static final int SAFE_SNAPSHOT = 7;

  /** The states from here on are counted, and leave the window with some work. */
  private static final int COUNTED = OPEN;

  private static final int STATE_BITS = 3;
  private static final int STATE_MASK = (1 << STATE_BITS) - 1;

  /** Bits of the distance from a commit to the newest one that it overwrote. */
  private static final int OVERWRITTEN_BITS = 29;

  private static final int OVERWRITTEN_MASK = (1 << OVERWRITTEN_BITS) - 1;
  private static final int POSITION_SHIFT = STATE_BITS + OVERWRITTEN_BITS;

  /**
   * The word of {@link UnloggedTimestamps}: a state of commits, with the bits of none, since each
   * of those has overwritten something before it, or says nothing.
   */
  private static final long UNLOGGED = 1L << POSITION_SHIFT | NO_TRANSACTION;

  private final long[] slots;
  private final int mask;
  private final UncleanedCommits uncleaned;
  private final long[] counts = new long[STATE_MASK + 1];

  private long next = 1;
  private long low = 1;

  /** Invariant: all of [low, finished) are finished. Grows only, except by {@link #startAt}. */
  private long finished = 1;

  /** No transaction that committed below this sequence has a pending mark. Grows only. */
  private long sweptBelow;

  /** Invariant: no slot of [low, sweepCursor) is COMMITTED below {@link #sweptBelow}. */
  private long sweepCursor;

  private long forcedAborts;
  private long moves;

  /**
   * Allocates the window.
   *
   * @param capacity R, in timestamps; a power of two from {@link #CAPACITY_MIN} to {@link
   *     #CAPACITY_MAX}
   * @param uncleaned receives committed transactions that leave the window uncleaned
   */
  TransactionWindow(int capacity, UncleanedCommits uncleaned) {
    if (capacity < CAPACITY_MIN || capacity > CAPACITY_MAX || Integer.bitCount(capacity) != 1) {
      throw new IllegalArgumentException(
          "a window of "
              + capacity
              + " timestamps is not a power of two from "
              + CAPACITY_MIN
              + " to "
              + CAPACITY_MAX);
    }
    slots = new long[capacity];
    mask = capacity - 1;
    this.uncleaned = uncleaned;
  }

  /** The sequence that is issued next. */
  long next() {
    return next;
  }

  /** The oldest sequence that is remembered: the paper's T_max for everything but rows. */
  long low() {
    return low;
  }

  int capacity() {
    return slots.length;
  }

  /** Takes the next sequence and gives it a state. */
  long issue(int state) {
    long sequence = next++;
    assert slots[(int) sequence & mask] == PRESUMED_OPEN : sequence + " was issued before";
    slots[(int) sequence & mask] = state;
    if (state >= COUNTED) {
      counts[state]++;
    }
    if (next - low == slots.length) {
      leave(low++);
    }
    assert next - low < slots.length;
    return sequence;
  }

  /** Takes the next sequence for a transaction that a client host begins; see the class. */
  void open(int host) {
    slots[(int) issue(OPEN) & mask] |= (long) host << STATE_BITS;
  }

  /** Takes the next sequence for no transaction: one of {@link UnloggedTimestamps}. */
  void pass() {
    int slot = (int) next & mask;
    issue(NO_TRANSACTION);
    slots[slot] = UNLOGGED;
  }

  /** Holds a {@link #SAFE_SNAPSHOT} of the window no longer: it belongs to no transaction. */
  void release(long sequence) {
    assert state(sequence) == SAFE_SNAPSHOT;
    set(sequence, UNLOGGED >>> STATE_BITS, NO_TRANSACTION);
  }

  /**
   * Takes the next sequence for a commit, and remembers of it what {@link #positionBehind} and
   * {@link #overwrittenBehind} say. A commit that is issued otherwise, by a replay, says "unknown".
   *
   * @param positionBehind how far its serial position lies behind it, in units of the gap between
   *     timestamps
   * @param overwrittenBehind how far the newest commit that it overwrote lies behind it, at least
   *     1; a distance that is too large to keep becomes less, which is safe: it looks newer
   */
  void issueCommit(long positionBehind, int overwrittenBehind) {
    assert positionBehind >>> Integer.SIZE == 0 : "a position " + positionBehind + " behind";
    assert overwrittenBehind > 0 : "it overwrote a commit of its own time or later";
    int slot = (int) next & mask;
    long kept = Math.min(overwrittenBehind, OVERWRITTEN_MASK);
    issue(NO_TRANSACTION);
    slots[slot] |= positionBehind << POSITION_SHIFT | kept << STATE_BITS;
  }

  /** How far the newest commit that a commit overwrote lies behind it; 0 if that is not known. */
  int overwrittenBehind(long commitSequence) {
    return (int) (slots[(int) commitSequence & mask] >>> STATE_BITS) & OVERWRITTEN_MASK;
  }

  /** How far the serial position of a commit lies behind it; see {@link #issueCommit}. */
  long positionBehind(long commitSequence) {
    return slots[(int) commitSequence & mask] >>> POSITION_SHIFT;
  }

  /** A transaction leaves the window; its slot is vacant afterwards. */
  private void leave(long sequence) {
    int slot = (int) sequence & mask;
    long word = slots[slot];
    int state = (int) word & STATE_MASK;
    slots[slot] = PRESUMED_OPEN;
    if (state < COUNTED) {
      return;
    }
    counts[state]--;
    assert counts[state] >= 0;
    if (state == COMMITTED) {
      if (!isSwept(word)) {
        uncleaned.put(sequence, word >>> STATE_BITS);
        moves++;
      }
    } else if (state == OPEN) {
      forcedAborts++;
    }
  }

  /**
   * Empties the window and starts it at {@code sequence}: nothing below it can commit any more,
   * because what was committed below it is not known to the map.
   */
  void startAt(long sequence) {
    Arrays.fill(slots, PRESUMED_OPEN);
    Arrays.fill(counts, 0);
    next = sequence;
    low = sequence;
    finished = sequence;
    sweptBelow = 0;
    sweepCursor = 0;
  }

  /**
   * Moves the window forward: the sequences below {@code target} are presumed issued and open,
   * which is what their slots say, as they are vacant. A take-over does this, while all wait.
   */
  void skipTo(long target) {
    assert target >= next;
    long lowest = target - slots.length + 1;
    while (low < lowest && low < next) {
      leave(low++);
    }
    low = Math.max(low, lowest);
    next = target;
    assert next - low < slots.length;
  }

  /** Lets go of the sequences below {@code target}, if they are not gone yet. */
  void raiseLow(long target) {
    raiseLow(target, Integer.MAX_VALUE);
  }

  /**
   * Lets go of the sequences below {@code target}, or of fewer: until so many of them have moved to
   * the table of uncleaned commits.
   */
  void raiseLow(long target, int movesMax) {
    long sizeMax = (long) uncleaned.size() + movesMax;
    while (low < target && low < next && uncleaned.size() < sizeMax) {
      leave(low++);
    }
  }

  private boolean isSwept(long committedWord) {
    return committedWord >>> STATE_BITS < sweptBelow;
  }

  /**
   * A sequence below which all are finished. It is the first that is not, unless that is more than
   * {@code stepsMax} ahead of what was known: then a later call gets there.
   */
  long finished(int stepsMax) {
    long sequence = Math.max(finished, low);
    long end = Math.min(next, sequence + stepsMax);
    while (sequence < end && isFinished(slots[(int) sequence & mask])) {
      sequence++;
    }
    finished = sequence;
    assert low <= finished && finished <= next;
    return sequence;
  }

  /**
   * The first sequence from {@code from} on that is, or may be, an open transaction of another host
   * than this one; what was passed over stays decided, or this host's. A later call goes on if that
   * is more than {@code stepsMax} ahead.
   */
  long openOfOthers(long from, int host, int stepsMax) {
    long own = (long) host << STATE_BITS | OPEN;
    long sequence = Math.max(from, low);
    long end = Math.min(next, sequence + stepsMax);
    while (sequence < end) {
      long word = slots[(int) sequence & mask];
      int state = (int) word & STATE_MASK;
      if ((state == OPEN && word != own) || state == PRESUMED_OPEN) {
        break;
      }
      sequence++;
    }
    return sequence;
  }

  /**
   * Replay: everything below {@code target} was finished. What looks open there was no transaction
   * (or left the window of the writer; then it will leave this one).
   */
  void finishBelow(long target) {
    long end = Math.min(target, next);
    for (long sequence = Math.max(finished, low); sequence < end; sequence++) {
      if (state(sequence) == PRESUMED_OPEN) {
        slots[(int) sequence & mask] = NO_TRANSACTION;
      }
    }
    long reached = finished(Integer.MAX_VALUE); // so that the next call begins here
    assert reached >= end : reached + " was finished, and is not";
  }

  /**
   * Leaves what a replay of the log would have found: each transaction that began is open perhaps,
   * and so is what belongs to none, unless the log says that it is finished; of places in the
   * serial order nothing is known.
   *
   * @param told below it the log says so
   */
  void forgetUnlogged(long told) {
    for (long sequence = low; sequence < next; sequence++) {
      int slot = (int) sequence & mask;
      long word = slots[slot];
      int state = (int) word & STATE_MASK;
      boolean isOpen =
          state == OPEN || state == SAFE_SNAPSHOT || word == UNLOGGED && sequence >= told;
      if (isOpen) {
        slots[slot] = PRESUMED_OPEN;
        finished = Math.min(finished, sequence);
      } else if (state == NO_TRANSACTION) {
        slots[slot] = NO_TRANSACTION;
      }
    }
    counts[OPEN] = 0;
    counts[SAFE_SNAPSHOT] = 0;
  }

  private boolean isFinished(long word) {
    return switch ((int) word & STATE_MASK) {
      case NO_TRANSACTION, COMMITTED_CLEAN, ABORTED_CLEAN, HALF_ABORTED -> true;
      case COMMITTED -> isSwept(word);
      default -> false;
    };
  }

  /** Commits below {@code below} have no marks left. Returns false if that was known. */
  boolean sweep(long below) {
    if (below <= sweptBelow) {
      return false;
    }
    sweptBelow = below;
    sweepCursor = Math.min(sweepCursor, finished); // between them the sweep before is unfinished
    return true;
  }

  /** Takes the slots after a sweep, {@code stepsMax} of them; returns whether all are done. */
  boolean sweepOn(int stepsMax) {
    // A start lies below its commit, so nothing from sweptBelow on can be meant.
    long last = Math.min(sweptBelow, next);
    long from = Math.max(sweepCursor, low);
    long to = Math.min(last, from + stepsMax);
    for (long sequence = from; sequence < to; sequence++) {
      long word = slots[(int) sequence & mask];
      if (((int) word & STATE_MASK) == COMMITTED && isSwept(word)) {
        set(sequence, word >>> STATE_BITS, COMMITTED_CLEAN);
      }
    }
    sweepCursor = Math.max(sweepCursor, to);
    return to >= last;
  }

  boolean contains(long sequence) {
    return sequence >= low && sequence < next;
  }

  /** The state of a sequence; outside the window nothing is known of it. */
  int state(long sequence) {
    return contains(sequence) ? (int) slots[(int) sequence & mask] & STATE_MASK : PRESUMED_OPEN;
  }

  /** The commit sequence of a committed transaction within the window. */
  long commitSequence(long sequence) {
    return slots[(int) sequence & mask] >>> STATE_BITS;
  }

  /** Changes the state of a transaction within the window; a commit sequence is kept. */
  void setState(long sequence, int state) {
    set(sequence, commitSequence(sequence), state);
  }

  /** Records that a transaction within the window committed. */
  void setCommitted(long sequence, long commitSequence, boolean clean) {
    set(sequence, commitSequence, clean ? COMMITTED_CLEAN : COMMITTED);
  }

  /** Records a commit where it belongs, whether its transaction is still in the window or not. */
  void remember(long sequence, long commitSequence, boolean clean) {
    if (contains(sequence)) {
      setCommitted(sequence, commitSequence, clean);
    } else if (!clean) {
      uncleaned.put(sequence, commitSequence);
    }
  }

  private void set(long sequence, long commitSequence, int state) {
    assert contains(sequence) : sequence + " is not within the window";
    int slot = (int) sequence & mask;
    int before = (int) slots[slot] & STATE_MASK;
    counts[before]--;
    counts[state]++;
    slots[slot] = commitSequence << STATE_BITS | state;
    assert before < COUNTED || counts[before] >= 0;
    assert keepsInvariants(sequence);
  }

  /** The invariants of what lies behind the two marks of progress, for a slot that was changed. */
  private boolean keepsInvariants(long sequence) {
    long word = slots[(int) sequence & mask];
    boolean sweptCommit = ((int) word & STATE_MASK) == COMMITTED && isSwept(word);
    return (sequence >= finished || isFinished(word)) && (sequence >= sweepCursor || !sweptCommit);
  }

  /**
   * Transactions of the window in a state of {@link #OPEN} or above. While a sweep is unfinished,
   * some that are {@link #COMMITTED} have no marks left.
   */
  long count(int state) {
    return counts[state];
  }

  /** Commits that left the window for the table since the start. */
  long moves() {
    return moves;
  }

  /** Open transactions that left the window since the start. */
  long forcedAborts() {
    return forcedAborts;
  }

  /** The commit sequence of a transaction of the window if its marks may be left, otherwise 0. */
  long uncleanedCommit(long sequence) {
    long word = slots[(int) sequence & mask];
    boolean uncleanedCommit = ((int) word & STATE_MASK) == COMMITTED && !isSwept(word);
    return uncleanedCommit ? word >>> STATE_BITS : 0;
  }
}
