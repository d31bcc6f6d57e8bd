package io.retso.log.bookkeeper;

import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.bookkeeper.client.BKException;

/** What BookKeeper's errors mean for the log, and what to do about them. */
final class BookKeeperFailure {
  private BookKeeperFailure() {}

  /**
   * Bounds an operation, whose failure becomes a {@link LogException}.
   *
   * @param what completes the sentence "cannot ..."
   */
  static <T> CompletableFuture<T> bounded(
      CompletableFuture<T> operation, Duration timeout, String what) {
    return operation
        .copy()
        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionallyCompose(e -> CompletableFuture.failedFuture(of(e, timeout, what)));
  }

  private static LogException of(Throwable e, Duration timeout, String what) {
    Throwable cause = e instanceof CompletionException ? e.getCause() : e;
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
    return of(BKException.getExceptionCode(cause, BKException.Code.ReadException), what, cause);
  }

  /**
   * Waits for an operation, for as long as {@link #bounded} lets it.
   *
   * @param what completes the sentence "cannot ..."
   * @throws LogException if it fails, or takes longer than {@code timeout}
   */
  static <T> T await(CompletableFuture<T> operation, Duration timeout, String what)
      throws LogException {
    try {
      return bounded(operation, timeout, what).get();
    } catch (ExecutionException e) {
      throw LogException.of(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LogException(Reason.UNAVAILABLE, "interrupted; could not " + what, e);
    }
  }

  /**
   * Translates one of BookKeeper's codes.
   *
   * @param what completes the sentence "cannot ..."
   */
  static LogException of(int code, String what, Throwable cause) {
    String message = "cannot " + what + ": " + BKException.getMessage(code);
    return switch (code) {
      case BKException.Code.LedgerFencedException,
          BKException.Code.UnauthorizedAccessException,
          BKException.Code.MetadataVersionException,
          // Closed by somebody else: what this server itself closes it does not append to.
          BKException.Code.LedgerClosedException ->
          new LogException(Reason.FENCED, message + "; another server took over the log", cause);
      case BKException.Code.DigestMatchException,
          BKException.Code.NoSuchEntryException,
          BKException.Code.NoSuchLedgerExistsException,
          BKException.Code.NoSuchLedgerExistsOnMetadataServerException ->
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
