package io.retso.hbase.transaction;

import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.ConflictingChange;
import io.retso.hbase.errors.ConflictingChange.Place;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.errors.TransactionException.Category;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.metrics.ManagerMeters.Outcome;
import io.retso.hbase.trace.ConflictPlace;
import io.retso.hbase.trace.TransactionTrace;
import java.util.Locale;
import java.util.Optional;

/** What the end of a transaction is called, and what learns of it. Stateless. */
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

  /** An outcome, as labels and attributes call it. */
  static String text(Outcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT);
  }

  /**
   * A transaction has ended: meters, the log of slow ones, its span and a recording learn of it.
   *
   * @param nanos since its begin
   * @param failure of its commit; null if there was none
   */
  static void tell(Shared shared, Begun tx, Outcome outcome, long nanos, Throwable failure) {
    String name = tx.options().name();
    Optional<ConflictingChange> met = met(failure);
    shared.meters().ended(name, outcome, nanos);
    if (isRefusal(failure)) {
      shared
          .meters()
          .refused(name, met.map(change -> change.changed().table().getNameAsString()).orElse(""));
    }
    if (shared.slow() != null) {
      String why = met.map(Object::toString).orElse("");
      shared.slow().ended(tx.label(), name, outcome, nanos, tx.timings(), why);
    }
    if (tx.trace() != TransactionTrace.NONE) {
      if (isRefusal(failure)) {
        tx.trace().refused(met.map(Outcomes::place).orElse(null));
      }
      tx.trace().ended(text(outcome), failure);
    }
    if (tx.recorded() != null) {
      tx.recorded().ended(outcome.name());
    }
  }

  private static ConflictPlace place(ConflictingChange met) {
    Place changed = met.changed();
    return new ConflictPlace(
        changed.table().getNameAsString(),
        changed.use().name().toLowerCase(Locale.ROOT),
        Place.shown(changed.row()),
        changed.stopRow().map(Place::shown).orElse(null),
        changed
            .family()
            .map(family -> Place.shown(family) + ":" + Place.shown(changed.qualifier().get()))
            .orElse(null),
        met.commitTimestamp());
  }

  /** Whether the oracle refused a commit for what others did. */
  private static boolean isRefusal(Throwable failure) {
    return Futures.unwrap(failure) instanceof TransactionException known
        && (known.category() == Category.CONFLICT || known.category() == Category.SERIALIZATION);
  }

  /** What a commit that was refused met; empty if that is not known. */
  private static Optional<ConflictingChange> met(Throwable failure) {
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
