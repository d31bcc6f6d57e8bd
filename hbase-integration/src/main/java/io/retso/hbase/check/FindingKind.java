package io.retso.hbase.check;

/** What can be wrong with what is in a table. docs/operating-hbase.md has the remedies. */
public enum FindingKind {
  /** A transaction's version without mark and outcome: it is read as committed. */
  UNMARKED("unmarked", true),

  /** A committed version that the next purge takes for that of an aborted transaction. */
  LOST_COMMIT("lost-commit", true),

  /** A region adopted another outcome than the oracle's. */
  WRONG_OUTCOME("wrong-outcome", true),

  /** A cell of adopted outcomes that names what cannot be. */
  BROKEN_OUTCOMES("broken-outcomes", true),

  /** A mark of a transaction that has not begun. */
  FUTURE_MARK("future-mark", true),

  /** A version that is not below the oracle's timestamps. */
  FUTURE_VERSION("future-version", true),

  /** A tombstone whose version no transaction writes. */
  STRANGE_TOMBSTONE("strange-tombstone", true),

  /** A version that no transaction writes, in a table that is said to have no others. */
  FOREIGN_VERSION("foreign-version", true),

  /** A cell of the marks' family that is none. */
  STRANGE_MARK("strange-mark", false),

  /** A mark of a transaction that is over, which its own client does not clean up any more. */
  LEFT_OVER("left-over", false);

  private final String word;
  private final boolean danger;

  FindingKind(String word, boolean danger) {
    this.word = word;
    this.danger = danger;
  }

  /** Whether data is wrong, or will be. Otherwise something is there that does no harm. */
  public boolean isDanger() {
    return danger;
  }

  /** The kind as it is printed. */
  @Override
  public String toString() {
    return word;
  }
}
