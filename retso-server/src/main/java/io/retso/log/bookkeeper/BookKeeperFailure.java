package io.retso.log.bookkeeper;

import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.bookkeeper.client.BKException;

/** What BookKeeper's errors mean for the log, and what to do about them. */
final class BookKeeperFailure {
  static final long NO_LEDGER = -1;

  private BookKeeperFailure() {}

  /** Bounds an operation whose result, if it comes too late, can be left alone. */
  static <T> CompletableFuture<T> bounded(
      CompletableFuture<T> operation, Duration timeout, long ledger, String what) {
    return bounded(operation, timeout, ledger, what, late -> {});
  }

  /**
   * Bounds an operation, whose failure becomes a {@link LogException}.
   *
   * @param ledger of which it is; {@link #NO_LEDGER} if it is of none
   * @param what completes the sentence "cannot ..."
   * @param late is given a result that comes too late
   */
  static <T> CompletableFuture<T> bounded(
      CompletableFuture<T> operation,
      Duration timeout,
      long ledger,
      String what,
      Consumer<T> late) {
    CompletableFuture<T> inTime =
        new CompletableFuture<T>().orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
    operation.whenComplete(
        (result, e) -> {
          if (e != null) {
            inTime.completeExceptionally(e);
          } else if (!inTime.complete(result)) {
            late.accept(result);
          }
        });
    return inTime.exceptionallyCompose(
        e -> CompletableFuture.failedFuture(of(e, timeout, ledger, what)));
  }

  private static LogException of(Throwable e, Duration timeout, long ledger, String what) {
    Throwable cause = e instanceof CompletionException ? e.getCause() : e;
    if (cause instanceof LogException known) {
      return known;
    }
    if (cause instanceof TimeoutException) {
      return new LogException(
          Reason.UNAVAILABLE,
          "cannot "
              + what
              + " within "
              + timeout.toMillis()
              + " ms; check that the bookies and ZooKeeper answer",
          cause);
    }
    int code = BKException.getExceptionCode(cause, BKException.Code.ReadException);
    return of(code, ledger, what, cause);
  }

  /**
   * Waits for an operation, for as long as {@link #bounded} lets it.
   *
   * @param what completes the sentence "cannot ..."
   * @throws LogException if it fails, or takes longer than {@code timeout}
   */
  static <T> T await(CompletableFuture<T> operation, Duration timeout, long ledger, String what)
      throws LogException {
    try {
      return bounded(operation, timeout, ledger, what).get();
    } catch (ExecutionException e) {
      throw LogException.of(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LogException(Reason.UNAVAILABLE, "interrupted; could not " + what, e);
    }
  }

  /** What became of an append. */
  static LogException ofAppend(int code, long ledger, String what) {
    BKException cause = BKException.create(code);
    return switch (code) {
      case BKException.Code.LedgerFencedException,
          BKException.Code.UnauthorizedAccessException,
          BKException.Code.MetadataVersionException,
          // Closed by another server: what this server itself closes it does not append to.
          BKException.Code.LedgerClosedException ->
          new LogException(
              Reason.FENCED, message(code, what) + "; another server took over the log", cause);
      default -> of(code, ledger, what, cause);
    };
  }

  private static String message(int code, String what) {
    return "cannot " + what + ": " + BKException.getMessage(code);
  }

  private static LogException of(int code, long ledger, String what, Throwable cause) {
    String message = message(code, what);
    return switch (code) {
      case BKException.Code.NoSuchEntryException,
          BKException.Code.NoSuchLedgerExistsException,
          BKException.Code.NoSuchLedgerExistsOnMetadataServerException ->
          LogException.gone(ledger, message, cause);
      case BKException.Code.LedgerFencedException, BKException.Code.MetadataVersionException ->
          new LogException(
              Reason.UNAVAILABLE, message + "; another server opens it at the same time", cause);
      case BKException.Code.UnauthorizedAccessException ->
          new LogException(Reason.LOCKED, message + "; it has another password", cause);
      case BKException.Code.DigestMatchException ->
          new LogException(
              Reason.CORRUPT,
              message + "; look for failed disks and wiped directories of the bookies",
              cause);
      case BKException.Code.NotEnoughBookiesException ->
          new LogException(
              Reason.UNAVAILABLE,
              message + "; start bookies, or free space on the disks of those that are read-only",
              cause);
      default ->
          new LogException(
              Reason.UNAVAILABLE, message + "; check the bookies and ZooKeeper", cause);
    };
  }
}
