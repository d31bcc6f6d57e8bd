package io.retso.client.call;

import io.retso.client.OracleException.Category;
import io.retso.protocol.Outcome;
import java.util.ArrayDeque;
import java.util.function.Consumer;

/**
 * Commits that the server refused for now, until they are asked again or given up. No caller
 * repeats a commit: this is the only place.
 *
 * <p>A refusal says that the server did nothing of the copy of the request that it answers. It says
 * nothing of an older copy on a connection that was given up: the server may come to read that one
 * later, and commit. So it depends on whether there may be one ({@link Call#maybeSent}) what a
 * refusal is worth:
 *
 * <ul>
 *   <li>There is none: nothing is decided. The commit is asked again as if for the first time, as
 *       long as half of its time is left: a server may let it wait for seconds before it refuses
 *       it, and what times out meanwhile would be of unknown outcome. Then it fails with {@link
 *       Category#OVERLOADED}.
 *   <li>There may be one: the commit is asked again as a repetition until its time is over. Then
 *       its outcome is unknown.
 * </ul>
 *
 * <p>Pauses grow with the age of a commit. All of them count as outstanding requests, which are
 * bounded. Event loop only.
 */
public final class RefusedCommits {
  private record Refused(Call<?> call, long outcome, long dueNanos) {}

  /** A pause is at most so much of the time-out of a request. */
  private static final int PAUSES_PER_TIMEOUT = 20;

  private final long timeoutNanos;
  private final Intake<Call<?>> intake;
  private final ArrayDeque<Refused> all = new ArrayDeque<>();

  /**
   * None.
   *
   * @param timeoutNanos of a request
   */
  public RefusedCommits(long timeoutNanos, Intake<Call<?>> intake) {
    this.timeoutNanos = timeoutNanos;
    this.intake = intake;
  }

  /** A server refused a commit, which is asked again unless that is too late. */
  public void add(Call<?> call, long outcome, long nowNanos) {
    call.wasNotSent();
    long leftNanos = call.deadlineNanos - nowNanos;
    long pauseNanos = Math.min(timeoutNanos - leftNanos, timeoutNanos / PAUSES_PER_TIMEOUT);
    Refused refused = new Refused(call, outcome, nowNanos + pauseNanos);
    if (call.maybeSent || leftNanos - pauseNanos >= timeoutNanos / 2) {
      all.add(refused);
    } else {
      fail(refused);
    }
  }

  /** Hands over those whose pause is over, and fails those whose time is. */
  public void release(long nowNanos, Consumer<Call<?>> again) {
    for (int i = all.size(); i > 0; i--) {
      Refused refused = all.poll();
      if (refused.call.isDone() || refused.call.deadlineNanos - nowNanos <= 0) {
        fail(refused);
      } else if (refused.dueNanos - nowNanos <= 0) {
        again.accept(refused.call);
      } else {
        all.add(refused);
      }
    }
  }

  /** Hands over all of them. */
  public void releaseAll(Consumer<Call<?>> sink) {
    all.forEach(refused -> sink.accept(refused.call));
    all.clear();
  }

  private void fail(Refused refused) {
    intake.release(1);
    Call<?> call = refused.call;
    call.fail(
        Category.OVERLOADED,
        "transaction " + call.start + " was not decided: " + why(refused.outcome),
        null);
  }

  private static String why(long outcome) {
    return outcome == Outcome.REFUSED_UNCLEANED
        ? "the oracle holds as many committed transactions that are not cleaned up as it can;"
            + " report clean-ups (cleanedUp), then commit again"
        : "this host commits more rows than its share while transactions of others are open; commit"
            + " again later, or give the oracle a larger map (rows)";
  }
}
