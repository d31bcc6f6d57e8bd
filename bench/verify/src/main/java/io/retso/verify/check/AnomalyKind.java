package io.retso.verify.check;

/**
 * Names of what can be wrong, after Berenson et al. (1995), Adya (1999) and Kingsbury and Alvaro
 * (Elle, 2020). A cycle whose name ends in {@code -realtime} needs the order of real time.
 */
public enum AnomalyKind {
  INTERNAL("internal", "a transaction contradicts its own reads or appends"),
  GARBAGE_READ("garbage-read", "a read has a value that was never appended"),
  ABORTED_READ("G1a", "aborted read: a read has a value of a transaction that failed"),
  INTERMEDIATE_READ("G1b", "intermediate read: a read has a part of a transaction's appends"),
  DUPLICATE("duplicate", "a list has a value twice"),
  INCOMPATIBLE_ORDER("incompatible-order", "two reads show the same appends in different orders"),
  LOST_APPEND("lost-append", "an acknowledged append is missing in the last read of its key"),
  TIMESTAMP("timestamp", "the oracle's timestamps contradict what was read"),
  G0("G0", "write cycle"),
  G0_REALTIME("G0-realtime", "writes against the order of real time"),
  G1C("G1c", "circular information flow"),
  G1C_REALTIME("G1c-realtime", "information from the future"),
  G_SINGLE("G-single", "a read that misses something its snapshot must have"),
  G_SINGLE_REALTIME("G-single-realtime", "a stale read"),
  G_NONADJACENT("G-nonadjacent", "snapshots that no order of commits explains"),
  G_NONADJACENT_REALTIME(
      "G-nonadjacent-realtime", "snapshots that no order of commits in real time explains"),
  G2_ITEM("G2-item", "no serial order, such as write skew"),
  G2_ITEM_REALTIME("G2-item-realtime", "no serial order in real time");

  private final String label;
  private final String meaning;

  AnomalyKind(String label, String meaning) {
    this.label = label;
    this.meaning = meaning;
  }

  /** Its name in the literature. */
  public String label() {
    return label;
  }

  /** What it is, in a few words. */
  public String meaning() {
    return meaning;
  }
}
