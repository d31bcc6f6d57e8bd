package io.retso.verify.check;

import io.retso.verify.history.History;
import io.retso.verify.history.Transaction;

/**
 * What a history is measured against. In each of them a reader that may be stale ({@link
 * io.retso.verify.history.Isolation#mayBeStale}) may have started before its invocation.
 */
public enum Model {
  /**
   * Every transaction reads a snapshot that holds exactly the transactions that committed before
   * some instant between its invocation and its completion, commits at a later instant before its
   * completion, and no other transaction that writes one of its keys commits in between.
   */
  STRONG_SNAPSHOT_ISOLATION,
  /**
   * Strong snapshot isolation, and more for those that were promised to be serializable: each has
   * an instant between start and commit, its place in the serial order, and what it read is exactly
   * what those before it have written. The place of the others is their commit; what they read need
   * not fit to it.
   */
  AS_PROMISED,
  /** All are serializable, whatever they were promised. */
  STRICT_SERIALIZABILITY;

  /** What a transaction of this history must be. */
  boolean isSerializable(Transaction transaction) {
    return this == STRICT_SERIALIZABILITY
        || this == AS_PROMISED && transaction.isolation().isSerializable();
  }

  /** What all transactions of a history were promised. */
  public static Model of(History history) {
    long serializable =
        history.transactions().stream().filter(t -> t.isolation().isSerializable()).count();
    if (serializable == 0) {
      return STRONG_SNAPSHOT_ISOLATION;
    }
    return serializable == history.transactions().size() ? STRICT_SERIALIZABILITY : AS_PROMISED;
  }
}
