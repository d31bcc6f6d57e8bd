package io.retso.verify.lists;

import io.retso.verify.history.Isolation;
import io.retso.verify.history.TimestampPair;
import java.io.IOException;
import java.util.List;

/**
 * A store of lists with transactions: what the workload runs against and the checker judges. Used
 * by many threads; a transaction by one.
 */
public interface ListStore {

  /**
   * Begins a transaction.
   *
   * @param isolation what it is promised; if that is for readers, it is one
   * @param readOnly whether it says at once that it will not write
   */
  ListTransaction begin(Isolation isolation, boolean readOnly) throws IOException;

  /**
   * What became of a transaction in doubt.
   *
   * @param isCommitted whether it is committed; otherwise it never will be
   * @param timestamps its timestamps
   */
  record Resolved(boolean isCommitted, TimestampPair timestamps) {}

  /** One transaction. */
  interface ListTransaction {
    /** Its timestamps as far as they are known. */
    TimestampPair timestamps();

    /**
     * Does something.
     *
     * @return what its reads saw, in the order of its steps
     * @throws IOException if it failed; the transaction is to be rolled back
     * @throws Violation if the store contradicts itself
     */
    List<long[]> run(Action action) throws IOException, Violation;

    /**
     * Commits.
     *
     * @throws CommitFailure if it did not, or that is not known
     */
    void commit() throws CommitFailure;

    /** Rolls back. */
    void rollback() throws IOException;

    /**
     * How it ended after all, if its commit failed with {@link CommitFailure.Kind#UNKNOWN}: whether
     * it is committed. Afterwards it is decided.
     *
     * @throws IOException if that cannot be found out
     */
    Resolved resolve() throws IOException;
  }

  /** Why a transaction could not be committed. */
  final class CommitFailure extends Exception {
    private static final long serialVersionUID = 1;

    /** What it means. */
    public enum Kind {
      /** Another transaction got ahead. */
      CONFLICT,
      /** It is not committed, as no serial order might explain it. */
      REFUSED,
      /** It is not committed, for another reason. */
      FAILED,
      /** It may or may not be committed. */
      UNKNOWN
    }

    private final Kind kind;

    public CommitFailure(Kind kind, Throwable cause) {
      super(cause.toString(), cause);
      this.kind = kind;
    }

    public Kind kind() {
      return kind;
    }
  }

  /** Something that no correct store does, whatever fails; seen without the checker. */
  final class Violation extends Exception {
    private static final long serialVersionUID = 1;

    public Violation(String what) {
      super(what);
    }
  }
}
