package io.retso.verify.check;

import io.retso.verify.check.Snapshots.Observation;
import io.retso.verify.history.Transaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The order of one key's versions, as far as it was read: the longest list. Under any model here
 * the versions of a key are prefixes of one list, so every other read is a prefix of it.
 */
final class VersionOrder {
  private final long key;
  private final List<Observation> reads = new ArrayList<>();
  private final List<Transaction> unseen = new ArrayList<>();
  private final Set<Long> seen = new HashSet<>();
  private Observation longest;
  private Observation last;
  private Transaction[] writers;
  private int[] writerBefore;

  VersionOrder(long key) {
    this.key = key;
  }

  long key() {
    return key;
  }

  /** Snapshots that are prefixes of the order. */
  List<Observation> reads() {
    return reads;
  }

  /** The longest list that was read, or null. */
  Observation longest() {
    return longest;
  }

  int length() {
    return longest == null ? 0 : longest.length();
  }

  /** The read of a committed transaction, not a stale one, that was invoked last; or null. */
  Observation last() {
    return last;
  }

  /** Values in the order. */
  Set<Long> seen() {
    return seen;
  }

  /** Committed transactions with an append that is not in the order: they come after all of it. */
  List<Transaction> unseen() {
    return unseen;
  }

  /** Where a list leaves the order: -1 if it does not. */
  int divergence(Observation read) {
    if (longest == null) {
      return -1;
    }
    int common = Math.min(read.length(), longest.length());
    return Arrays.mismatch(read.list(), 0, common, longest.list(), 0, common);
  }

  /** Takes a list that is a prefix of the order, or the order of it. */
  void add(Observation read) {
    reads.add(read);
    if (longest == null || read.length() > longest.length()) {
      longest = read;
    }
  }

  /**
   * Remembers the read that began last; only those are asked that certainly committed and must see
   * what had completed.
   */
  void noteLast(Observation read) {
    if (read.reader().outcome() == Transaction.Outcome.COMMITTED
        && !read.reader().isolation().mayBeStale()
        && (last == null || read.reader().invoked() > last.reader().invoked())) {
      last = read;
    }
  }

  /**
   * Sets the writers of the order: one for each run of appends of one transaction.
   *
   * @param writers in the order
   * @param writerBefore for each length of a prefix, the index of the last writer in it, or -1
   */
  void setWriters(Transaction[] writers, int[] writerBefore) {
    this.writers = writers;
    this.writerBefore = writerBefore;
  }

  /** The transactions that wrote the versions, in the order. */
  Transaction[] writers() {
    return writers;
  }

  /** The index of the writer of what a snapshot shows last, or -1 if it is empty. */
  int writerOf(Observation read) {
    return writerBefore[read.length()];
  }
}
