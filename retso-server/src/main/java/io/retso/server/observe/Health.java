package io.retso.server.observe;

import io.retso.member.Member;
import java.util.Locale;
import java.util.function.Supplier;

/** Whether the server leads, or is a standby that could take over; if not, why. Thread-safe. */
public final class Health {
  /** More than this behind the clock is reported: a pause of the process or of the log is less. */
  public static final long CLOCK_LAG_MILLIS_MAX = 60_000;

  /** Where the server is in its life. */
  enum State {
    STARTING,
    SERVING,
    STOPPING,
    FAILED
  }

  /**
   * What is said to a caller that asks.
   *
   * @param reason why it does not serve; if it does, a warning or empty
   */
  record Verdict(boolean serving, String status, String reason) {}

  private record Phase(State state, String reason) {}

  /** A log or a thread that is silent for so long is not healthy, whatever it says later. */
  private static final long SILENCE_NANOS_MAX = 5_000_000_000L;

  private volatile Phase phase = new Phase(State.STARTING, "the log is being recovered");

  private volatile String trouble = "";

  /** What is said of a server that serves, or is ready to, if nothing else is. */
  private volatile Supplier<String> warning = () -> "";

  public void serving() {
    phase = new Phase(State.SERVING, "");
  }

  /** A clean shutdown; a failure before it remains the reason. */
  public synchronized void stopping() {
    if (phase.state != State.FAILED) {
      phase = new Phase(State.STOPPING, "the server is shutting down");
    }
  }

  public synchronized void failed(String reason) {
    phase = new Phase(State.FAILED, reason);
  }

  /** Judges the figures of a moment. */
  Verdict judge(Figures figures, long silentNanos) {
    Phase now = phase;
    if (now.state != State.SERVING) {
      return new Verdict(false, now.state.name().toLowerCase(Locale.ROOT), now.reason);
    }
    if (silentNanos > SILENCE_NANOS_MAX) {
      return new Verdict(
          false, "stuck", "the oracle's thread has not answered for " + seconds(silentNanos));
    }
    if (!figures.member.leads()) {
      return standby(figures.member);
    }
    if (!figures.sequencer.stalledBy.isEmpty()) {
      String why = trouble.isEmpty() ? figures.sequencer.stalledBy : trouble;
      return new Verdict(false, "stalled", why + "; the server goes on by itself once it can");
    }
    if (figures.oldestOutstandingNanos > SILENCE_NANOS_MAX) {
      return new Verdict(
          false,
          "stuck",
          "the log has not acknowledged an entry for " + seconds(figures.oldestOutstandingNanos));
    }
    if (figures.clockLagMillis > CLOCK_LAG_MILLIS_MAX) {
      return new Verdict(
          true,
          "serving",
          "timestamps are "
              + figures.clockLagMillis / 1_000
              + " s behind the clock; if it is wrong, set it right");
    }
    return new Verdict(true, "serving", warning.get());
  }

  /** Has something said of a server that is well; asked each time, empty for nothing. */
  public void warn(Supplier<String> text) {
    warning = text;
  }

  /** Why the log cannot be used, and what to do, if it is so at some moment. */
  public void trouble(String text) {
    trouble = text;
  }

  private Verdict standby(Member.View member) {
    if (member.trouble() != null) {
      String why = trouble.isEmpty() ? member.trouble().getMessage() : trouble;
      return new Verdict(false, "standby", why);
    }
    boolean isReady = member.isReady();
    return new Verdict(isReady, "standby", isReady ? warning.get() : "it reads the log");
  }

  private static String seconds(long nanos) {
    return nanos / 1_000_000_000 + " s";
  }
}
