package io.retso.client.call;

import io.retso.client.CommitRequest;
import io.retso.client.Conflict;
import io.retso.client.Conflict.Kind;
import io.retso.client.OracleException;
import io.retso.client.UnknownOutcomeException;
import io.retso.protocol.FrameType;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One request and the future of its answer, in one object.
 *
 * <p>The final fields are written by the caller and published by the intake's queue; the others
 * belong to the event loop.
 *
 * @param <T> the answer
 */
public class Call<T> extends CompletableFuture<T> {
  public static final long[] NO_ROWS = {};

  /** The loop looks at deadlines ten times a second. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  public final FrameType type;

  /** Start timestamp of the transaction in question; 0 if there is none. */
  final long start;

  /** Its ticket; of a status query the reader's start timestamp. */
  final long ticket;

  /** Rows of a COMMIT. */
  final long[] rows;

  /** All that a COMMIT_READS says; null for others. */
  final CommitRequest request;

  /** Whether it is a commit that asks how long its steps took. */
  final boolean asksSteps;

  public final long deadlineNanos;

  /** Whether it goes at once, instead of with others that do. */
  public final boolean urgent;

  /** The next in the {@link CallList} or {@link SentFrame} that holds this call. */
  Call<?> next;

  /**
   * Whether the request may have reached the server. Once true it is false again only if the server
   * says that it did nothing of the only frame that ever carried it.
   */
  boolean maybeSent;

  /** What {@link #maybeSent} was before the last copy: whether an older one may be under way. */
  boolean maybeSentBefore;

  /**
   * A request.
   *
   * @param start 0 if it is about no transaction
   * @param urgent whether it goes at once
   */
  public Call(
      FrameType type, long start, long ticket, long[] rows, long deadlineNanos, boolean urgent) {
    this(type, start, ticket, rows, null, false, deadlineNanos, urgent);
  }

  /** A commit. */
  public Call(CommitRequest request, long deadlineNanos) {
    this(
        request.isPlain() ? FrameType.COMMIT : FrameType.COMMIT_READS,
        request.transaction().startTimestamp(),
        request.transaction().ticket(),
        request.isPlain() ? request.writes() : NO_ROWS,
        request.isPlain() ? null : request,
        request.asksSteps(),
        deadlineNanos,
        true);
  }

  private Call(
      FrameType type,
      long start,
      long ticket,
      long[] rows,
      CommitRequest request,
      boolean asksSteps,
      long deadlineNanos,
      boolean urgent) {
    this.type = type;
    this.start = start;
    this.ticket = ticket;
    this.rows = rows;
    this.request = request;
    this.asksSteps = asksSteps;
    this.deadlineNanos = deadlineNanos;
    this.urgent = urgent;
  }

  /** The rows and granules that a commit names; 0 for others. */
  int ids() {
    return request == null ? rows.length : (int) request.ids();
  }

  /** Whether there is an id at a place, from 0 on, among those of all lists of a commit. */
  boolean isPlace(int place) {
    return place >= 0 && place < ids();
  }

  /** The id at such a place, and which list has it. */
  Conflict.Id id(int place) {
    if (request == null) {
      return new Conflict.Id(Kind.WRITE, rows[place]);
    }
    int at = place;
    for (Kind kind : Kind.values()) { // in the order of the lists
      long[] ids = request.ids(kind);
      if (at < ids.length) {
        return new Conflict.Id(kind, ids[at]);
      }
      at -= ids.length;
    }
    throw new IndexOutOfBoundsException(place);
  }

  /** Completes with a value of this call's type; the caller knows it from {@link #type}. */
  @SuppressWarnings("unchecked")
  void answer(Object value) {
    complete((T) value);
  }

  /**
   * The answer, waiting for it; not on the event loop. That one sees to the deadline, unless a
   * callback blocks it: then this thread does, {@value #PATIENCE_NANOS} ns later.
   *
   * @param nanos until the deadline
   */
  public T await(long nanos) {
    try {
      return get(nanos + PATIENCE_NANOS, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      completeExceptionally(stopped(e)); // unless the answer comes at this moment
      return await(0);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof OracleException failure) {
        throw rethrown(failure);
      }
      throw new IllegalStateException("a call failed in an unexpected way", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      String message = "interrupted while waiting for the oracle's answer";
      if (type.isCommit()) {
        throw unknown(message, e);
      }
      throw new OracleException(OracleException.Category.INTERRUPTED, message, e);
    }
  }

  private OracleException stopped(TimeoutException cause) {
    String message =
        "no answer in time, and the client's event loop does not run: a callback blocks it; take"
            + " long work out of it with thenApplyAsync and an executor of your own";
    return type.isCommit() // it may have been sent: the loop knows
        ? unknown(message, cause)
        : new OracleException(OracleException.Category.TIMEOUT, message, cause);
  }

  private UnknownOutcomeException unknown(String message, Throwable cause) {
    return new UnknownOutcomeException(
        start, message + "; call abort with its handle to resolve the outcome", cause);
  }

  /** This failure with the stack of the calling thread, and the first one as its cause. */
  private static OracleException rethrown(OracleException failure) {
    return failure instanceof UnknownOutcomeException unknown
        ? new UnknownOutcomeException(unknown.startTimestamp(), unknown.getMessage(), unknown)
        : new OracleException(failure.category(), failure.getMessage(), failure);
  }

  /** Whether the request may have reached the server. */
  public boolean maybeSent() {
    return maybeSent;
  }

  /** The server did nothing of the copy that was sent last: it is as before that was sent. */
  void wasNotSent() {
    maybeSent = maybeSentBefore;
  }

  /** Whether a failure must leave open if the transaction was committed. */
  boolean outcomeIsOpen() {
    return type.isCommit() && maybeSent;
  }

  /** Fails; a commit that may have reached the server fails with an unknown outcome. */
  public void fail(OracleException.Category category, String message, Throwable cause) {
    if (outcomeIsOpen()) {
      completeExceptionally(
          new UnknownOutcomeException(
              start,
              "the outcome of transaction "
                  + start
                  + " is unknown: "
                  + message
                  + "; call abort with its handle to learn its commit timestamp, or to make sure"
                  + " that it never commits",
              cause));
    } else {
      completeExceptionally(new OracleException(category, message, cause));
    }
  }
}
