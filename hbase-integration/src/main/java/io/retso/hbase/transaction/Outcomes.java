package io.retso.hbase.transaction;

import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.ConflictingChange;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.errors.TransactionException.Category;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.metrics.ManagerMeters.Outcome;
import java.util.Optional;

/** What meters call the end of a commit. Stateless. */
final class Outcomes {
  private Outcomes() {}

  /** The outcome of a commit that was asked for; {@code failure} is null if it succeeded. */
  static Outcome ofCommit(Throwable failure) {
    if (failure == null) {
      return Outcome.COMMITTED;
    }
    if (!(Futures.unwrap(failure) instanceof TransactionException known)) {
      return Outcome.ROLLED_BACK;
    }
    return switch (known.category()) {
      case SERIALIZATION -> ofReason(((SerializationException) known).reason());
      case CONFLICT -> Outcome.CONFLICT;
      case TOO_OLD -> Outcome.TOO_OLD;
      case ABORTED -> Outcome.ABORTED;
      case UNKNOWN_OUTCOME -> Outcome.UNKNOWN;
      case ROLLBACK_ONLY,
          ORACLE_UNAVAILABLE,
          TABLE_CHANGED,
          TABLE_NOT_PREPARED,
          WRITE_SET_TOO_LARGE ->
          Outcome.ROLLED_BACK;
    };
  }

  /** Whether the oracle refused a commit for what others did. */
  static boolean isRefusal(Throwable failure) {
    return Futures.unwrap(failure) instanceof TransactionException known
        && (known.category() == Category.CONFLICT || known.category() == Category.SERIALIZATION);
  }

  /** What a commit that was refused met; empty if that is not known. */
  static Optional<ConflictingChange> met(Throwable failure) {
    Throwable known = Futures.unwrap(failure);
    if (known instanceof ConflictException conflict) {
      return conflict.conflict();
    }
    return known instanceof SerializationException refused ? refused.conflict() : Optional.empty();
  }

  private static Outcome ofReason(SerializationException.Reason reason) {
    return switch (reason) {
      case PIVOT -> Outcome.NOT_SERIALIZABLE_PIVOT;
      case READ_ONLY -> Outcome.NOT_SERIALIZABLE_READ_ONLY;
      case UNKNOWN_SUCCESSOR -> Outcome.NOT_SERIALIZABLE_UNKNOWN_SUCCESSOR;
    };
  }
}
