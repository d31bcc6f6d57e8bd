package io.retso.workload;

/** Why a store refused a transaction. */
public enum Reason {
  /** Another one that was concurrent wrote, locked or changed the same row. */
  CONFLICT,
  /** It took longer than the store remembers. */
  TOO_OLD,
  /** ReTSO: it was aborted before its commit was decided, for a reason that is not known. */
  ABORTED,
  /** ReTSO: it would have come between two others without a place in the serial order. */
  PIVOT,
  /** ReTSO: what it read has no place in the serial order, and it wrote nothing. */
  READ_ONLY,
  /** ReTSO: something that it read has changed, and the order of the changes is not known. */
  UNKNOWN_SUCCESSOR,
  /** PostgreSQL: a dangerous structure, found by its serializable snapshot isolation. */
  DANGEROUS,
  /** Two transactions waited for each other's locks. */
  DEADLOCK,
  /** PostgreSQL: its memory for locks, and for what was read, is full. */
  OUT_OF_MEMORY;

  /** Whether the transaction was refused for what it read: no row was written by two. */
  public boolean isCertification() {
    return this == PIVOT || this == READ_ONLY || this == UNKNOWN_SUCCESSOR || this == DANGEROUS;
  }
}
