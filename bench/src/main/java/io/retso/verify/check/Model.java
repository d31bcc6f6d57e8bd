package io.retso.verify.check;

/** What a history is measured against. */
public enum Model {
  /**
   * Every transaction reads a snapshot that holds exactly the transactions that committed before
   * some instant between its invocation and its completion, commits at a later instant before its
   * completion, and no other transaction that writes one of its keys commits in between.
   */
  STRONG_SNAPSHOT_ISOLATION,
  /** The same with both instants in one: every transaction happens at once. */
  STRICT_SERIALIZABILITY
}
