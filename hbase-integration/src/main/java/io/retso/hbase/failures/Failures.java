package io.retso.hbase.failures;

import io.retso.client.CommitResult;
import io.retso.client.OracleException;
import io.retso.client.TransactionHandle;
import io.retso.hbase.errors.AbortedException;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.ConflictingChange;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.errors.TableChangedException;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.errors.UnknownCommitException;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.layout.ReadAttribute;
import io.retso.hbase.layout.Refusal;
import io.retso.text.ErrorText;
import io.retso.text.Text;
import java.time.Duration;

/** From failures of the oracle and of HBase to what callers see. Stateless. */
public final class Failures {
  private Failures() {}

  /** A request other than a commit failed at the oracle. */
  public static Throwable ofOracle(Throwable failure, String doing) {
    if (!(failure instanceof OracleException oracle)) {
      return failure;
    }
    if (oracle.category() == OracleException.Category.CLOSED) {
      return new IllegalStateException(
          "the transaction manager is closed; build a new one", oracle);
    }
    return new OracleUnavailableException(
        doing + " failed, nothing was decided: " + oracle.getMessage(), oracle);
  }

  /** A snapshot could not be held. */
  public static Throwable ofHold(Throwable failure, String name) {
    return failure instanceof OracleException oracle
            && oracle.category() == OracleException.Category.INVALID_REQUEST
        ? new IllegalArgumentException(oracle.getMessage(), oracle)
        : ofOracle(failure, "holding the snapshot " + name);
  }

  /** The outcome of the transaction with this handle could not be resolved. */
  public static Throwable ofResolving(
      Throwable failure, TransactionHandle handle, UnknownCommitException.Resolver resolver) {
    if (failure instanceof OracleException oracle) {
      if (oracle.category() == OracleException.Category.INVALID_REQUEST
          || oracle.category() == OracleException.Category.NOT_PERMITTED) {
        return new IllegalArgumentException(oracle.getMessage(), oracle);
      }
      if (oracle.category() == OracleException.Category.CLOSED) {
        return new IllegalStateException(
            "the transaction manager is closed: build a new one, and ask it to resolve transaction "
                + handle,
            oracle);
      }
    }
    return new UnknownCommitException(handle, failure, resolver);
  }

  /** What the transaction that started at {@code start} has read, and nothing else, is in doubt. */
  public static OracleUnavailableException ofCertification(Throwable failure, long start) {
    return new OracleUnavailableException(
        Text.of(
            "whether what transaction %s has read is serializable is unknown, as no answer of the"
                + " oracle came; it wrote nothing, so it can be run again",
            start),
        failure);
  }

  /**
   * The oracle did not commit the transaction that started at {@code start}.
   *
   * @param conflict what it met; null if that is not known
   */
  public static TransactionException ofAbort(
      long start, CommitResult.AbortReason reason, ConflictingChange conflict) {
    return switch (reason) {
      case CONFLICT -> new ConflictException(start, conflict);
      case EARLIER -> new AbortedException(start);
      case TOO_OLD ->
          new SnapshotTooOldException(
              Text.of(
                  "transaction %s is aborted: it ran for longer than the oracle remembers or"
                      + " allows; run it again, make it shorter, or give the oracle more rows, a"
                      + " larger window or a longer transaction.timeout",
                  start),
              null);
      case PIVOT, READ_ONLY, UNKNOWN_SUCCESSOR ->
          new SerializationException(
              start, SerializationException.Reason.valueOf(reason.name()), conflict);
    };
  }

  /** HBase failed to read or write for the transaction that started at {@code start}. */
  public static Throwable ofStore(Throwable cause, long start) {
    Refusal refusal = Refusal.of(cause);
    if (refusal == null) {
      return ReadAttribute.isNotAdmitted(cause)
          ? noCoprocessor(cause)
          : StoreFailures.explained(cause);
    }
    if (refusal == Refusal.NO_ORACLE) {
      return new OracleUnavailableException(
          "a region server could not ask the oracle, nothing was decided: " + ErrorText.of(cause),
          cause);
    }
    return refusal == Refusal.TABLE_CHANGED
        ? tableChanged(start, Refusal.text(cause), cause)
        : tooOld(start, cause);
  }

  /**
   * The transaction goes by settings of a table that it has no more.
   *
   * @param reason which table
   * @param cause may be null
   */
  public static TableChangedException tableChanged(long start, String reason, Throwable cause) {
    return new TableChangedException(
        Text.of(
            "transaction %s is refused, as a table has changed since it began: run it again; %s",
            start, reason),
        cause);
  }

  /**
   * A region without the coprocessor was asked for what only the coprocessor can do.
   *
   * @param cause null if the region took the request for another one, and answered that
   */
  public static TableNotPreparedException noCoprocessor(Throwable cause) {
    return new TableNotPreparedException(
        "a region that does not run ReTSO's coprocessor was asked for a part of a transaction:"
            + " ./retso hbase check TABLE names its server; set hbase.coprocessor.enabled and"
            + " hbase.coprocessor.user.enabled to true there, put hbase-integration's jar on its"
            + " class path, and restart it"
            + (cause == null ? "" : "; HBase says: " + ErrorText.of(cause)),
        cause);
  }

  /** The transaction outlived its limit. */
  public static SnapshotTooOldException tooOld(long start, Throwable cause) {
    return new SnapshotTooOldException(
        "transaction "
            + start
            + " is too old: it was aborted, or a region has purged what it would read; begin a new"
            + " one, make it shorter, or raise the oracle's transaction.timeout",
        cause);
  }

  /** The transaction outlived the time limit that the application gave it. */
  public static SnapshotTooOldException overTime(String transaction, Duration limit) {
    return new SnapshotTooOldException(
        transaction
            + " was rolled back, as it was open for longer than its time limit of "
            + limit
            + ": make it shorter, or give it more time (TransactionOptions.withTimeLimit)",
        null);
  }

  /** Says in which transaction something failed, if that has a name and it was not said yet. */
  public static <F extends Throwable> F name(F failure, String transaction) {
    if (failure != null && Futures.unwrap(failure) instanceof TransactionException known) {
      known.addTransactionName(transaction);
    }
    return failure;
  }
}
