package io.retso.verify.check;

/** Why one transaction comes before another. */
public enum Relation {
  /** The second one's append comes after the first one's. */
  WW,
  /** The second one read what the first one appended. */
  WR,
  /** The first one read a version that the second one's append follows: it had not happened. */
  RW,
  /** The first one completed before the second one was invoked. */
  RT,
  /** Not between transactions: from a start to its commit, or a stretch of a shared edge. */
  INNER;

  /** As a member of a set of relations. */
  int bit() {
    return 1 << ordinal();
  }
}
