package io.retso.client.connection;

import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.client.OracleMembers;
import io.retso.client.call.Call;
import io.retso.client.call.CallList;
import io.retso.client.call.Intake;
import io.retso.client.call.Refusals;
import io.retso.client.call.RefusedCommits;
import io.retso.client.call.SentFrame;
import io.retso.protocol.FrameType;
import io.retso.protocol.OracleIdentity;
import io.retso.text.Addresses;
import io.retso.text.Durations;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The event loop's side of the client: takes calls from the {@link Intake}, hands them to
 * connections in frames, and watches deadlines. All methods belong to the event loop.
 *
 * <p>Every call is in exactly one place: in the intake, waiting here for a connection, in a frame
 * that waits for its reply, or among the {@link RefusedCommits}. A call that leaves the last of
 * them is completed or was before, and is released from the limit of outstanding calls.
 */
final class Dispatcher {
  private static final FrameType[] TYPES = FrameType.values();

  /** Deadlines are checked every so many fractions of the time-out. */
  private static final int SWEEPS_PER_TIMEOUT = 20;

  /** Calls in no hurry wait for one another, this many at most. */
  private static final int LATE_MAX = 64;

  private static final long SWEEP_NANOS_MIN = 1_000_000;
  private static final long SWEEP_NANOS_MAX = 100_000_000;

  private final ClientSettings settings;
  private final ClientLoop loop;
  private final Intake<Call<?>> intake;
  private final Members members;

  /** Calls without a frame, by type. */
  private final Map<FrameType, CallList> waiting = new EnumMap<>(FrameType.class);

  /**
   * These calls in the order in which they are sent, timestamps and begins last: a caller that
   * commits and begins the next transaction in one go is to get a snapshot with that commit.
   * Replies to them wait for nothing that is sent before.
   */
  private final List<CallList> sendingOrder = new ArrayList<>();

  /**
   * Calls in no hurry. They go with the next call that the oracle writes to its log, or when enough
   * of them wait, or after {@link OracleClient#LINGER}: each frame of them by itself would cost the
   * oracle a write to the log.
   */
  private final CallList late = new CallList();

  private int lateCount;

  private final RefusedCommits refused;
  private final long sweepNanos;
  private boolean sweepScheduled;
  private boolean closed;

  /** Why the last attempt to connect failed; null since the last success. */
  private OracleException lastFailure;

  /** Not null: every address is incompatible, and calls fail at once until the time below. */
  private OracleException refusal;

  private long refusalEndNanos;

  Dispatcher(ClientSettings settings, ClientLoop loop, Intake<Call<?>> intake) {
    this.settings = settings;
    this.loop = loop;
    this.intake = intake;
    this.refused = new RefusedCommits(settings.requestTimeoutNanos(), intake);
    this.sweepNanos =
        Math.min(
            SWEEP_NANOS_MAX,
            Math.max(SWEEP_NANOS_MIN, settings.requestTimeoutNanos() / SWEEPS_PER_TIMEOUT));
    for (FrameType type : TYPES) {
      CallList calls = new CallList();
      waiting.put(type, calls);
      if (type != FrameType.BEGIN && type != FrameType.TIMESTAMP) {
        sendingOrder.add(calls);
      }
    }
    sendingOrder.add(waiting.get(FrameType.TIMESTAMP));
    sendingOrder.add(waiting.get(FrameType.BEGIN));
    members = new Members(this, settings, loop);
  }

  Intake<Call<?>> intake() {
    return intake;
  }

  /** The intake's wake-up: all that is queued goes out with one flush. */
  void onWake() {
    assert loop.inLoop();
    intake.drainTo(this::enqueue);
    dispatch();
  }

  /** Calls in no hurry waited for others long enough. */
  void onLinger() {
    intake.linger(this::enqueue);
    releaseLate();
    dispatch();
  }

  private void enqueue(Call<?> call) {
    if (call.urgent) {
      waiting.get(call.type).add(call);
    } else {
      late.add(call);
      lateCount++;
    }
  }

  private void releaseLate() {
    Call<?> call;
    while ((call = late.poll()) != null) {
      waiting.get(call.type).add(call);
    }
    lateCount = 0;
  }

  /** Whether calls in no hurry have company, or are enough; otherwise {@link #onLinger} comes. */
  private boolean lateMayGo() {
    return lateCount >= Math.min(LATE_MAX, 1 + settings.outstandingMax() / 4) || goesToLog();
  }

  private boolean goesToLog() {
    for (FrameType type : TYPES) {
      if (type.isLogged() && !waiting.get(type).isEmpty()) {
        return true;
      }
    }
    return false;
  }

  /** Sends what waits, as far as connections take it. */
  void dispatch() {
    if (closed) {
      return;
    }
    if (lateMayGo()) {
      releaseLate();
    }
    if (nothingToSend()) {
      return;
    }
    scheduleSweep();
    Connection connection;
    while ((connection = members.nextWritable()) != null) {
      long nowNanos = loop.nanoTime();
      for (CallList calls : sendingOrder) {
        Refusals.refuse(calls, connection.welcome(), intake);
        connection.send(calls, nowNanos);
      }
      connection.flush();
      if (nothingToSend()) {
        return;
      }
    }
    if (refusal != null && refusalEndNanos - loop.nanoTime() > 0) {
      failWaiting(refusal);
      return;
    }
    refusal = null;
    members.ensureConnecting();
  }

  private boolean nothingToSend() {
    for (CallList calls : sendingOrder) {
      if (!calls.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /** The oracle that this client is for; null before the first has answered. Any thread. */
  OracleIdentity oracle() {
    return members.oracle();
  }

  /** What is known of the members. Any thread. */
  OracleMembers observed() {
    return members.observed();
  }

  /** There is a leader. */
  void connected() {
    lastFailure = null;
    refusal = null;
    onWake(); // what came in meanwhile shares the frames of what waited for the leader
  }

  /**
   * A connection ended. What it owed is sent again on the next one, except when the server broke
   * the protocol: then the same requests might break it again.
   */
  void lost(Connection connection, OracleException cause) {
    lastFailure = cause;
    boolean again = !closed && cause.category() != Category.INCOMPATIBLE;
    Map<FrameType, CallList> repeated = new EnumMap<>(FrameType.class);
    SentFrame frame;
    while ((frame = connection.lanes().poll()) != null) {
      CallList calls = repeated.computeIfAbsent(frame.type, type -> new CallList());
      takeCalls(frame, again ? calls : null, cause);
    }
    repeated.forEach((type, calls) -> waiting.get(type).addFirst(calls));
    dispatch();
  }

  /** A server sent a frame back, because another one leads: that one is asked. */
  void repeat(SentFrame frame) {
    CallList calls = new CallList();
    takeCalls(frame, calls, null);
    waiting.get(frame.type).addFirst(calls);
    dispatch();
  }

  /** A server refused a commit for now: it is asked again after a while. */
  void refused(Call<?> call, long outcome) {
    refused.add(call, outcome, loop.nanoTime());
  }

  /** Takes the calls out of a frame: those that wait for an answer go on in a list, or fail. */
  private void takeCalls(SentFrame frame, CallList live, OracleException cause) {
    frame.takeCalls(
        call -> {
          if (live != null && !call.isDone()) {
            live.add(call);
            return;
          }
          intake.release(1);
          if (!call.isDone()) {
            call.fail(cause.category(), cause.getMessage(), cause);
          }
        });
  }

  /** No address leads to a compatible oracle. */
  void refuse(OracleException cause) {
    refusal = cause;
    refusalEndNanos = loop.nanoTime() + settings.backoffMaxNanos();
    failWaiting(cause);
  }

  private void failWaiting(OracleException cause) {
    releaseLate();
    refused.releaseAll(this::enqueue);
    for (CallList calls : sendingOrder) {
      Call<?> call;
      while ((call = calls.poll()) != null) {
        intake.release(1);
        call.fail(cause.category(), cause.getMessage(), cause);
      }
    }
  }

  private void scheduleSweep() {
    if (!sweepScheduled) {
      sweepScheduled = true;
      loop.schedule(this::sweep, sweepNanos);
    }
  }

  private void sweep() {
    sweepScheduled = false;
    if (closed) {
      return;
    }
    long nowNanos = loop.nanoTime();
    String overdue =
        "no answer within "
            + Durations.text(settings.requestTimeoutNanos())
            + "; is the oracle overloaded or its log slow? Otherwise raise requestTimeout";
    members.ready().forEach(connection -> connection.lanes().expire(nowNanos, overdue));
    members.endSilent(nowNanos);
    for (CallList calls : sendingOrder) {
      expireWaiting(calls, nowNanos, overdue);
    }
    refused.release(nowNanos, this::enqueue);
    dispatch();
    if (intake.outstanding() > 0) {
      scheduleSweep();
    }
  }

  private void expireWaiting(CallList calls, long nowNanos, String overdue) {
    if (calls.isEmpty()) {
      return;
    }
    String unreachable = unreachable();
    CallList live = new CallList();
    Call<?> call;
    while ((call = calls.poll()) != null) {
      if (!call.isDone() && call.deadlineNanos - nowNanos > 0) {
        live.add(call);
        continue;
      }
      intake.release(1);
      if (call.maybeSent()) {
        call.fail(Category.TIMEOUT, overdue, lastFailure);
      } else {
        call.fail(Category.UNAVAILABLE, unreachable, lastFailure);
      }
    }
    calls.addFirst(live);
  }

  private String unreachable() {
    String addresses =
        settings.addresses().stream().map(Addresses::text).collect(Collectors.joining(", "));
    return "no oracle at "
        + addresses
        + " took the request within "
        + Durations.text(settings.requestTimeoutNanos())
        + (lastFailure == null ? "" : " (" + lastFailure.getMessage() + ")")
        + members.standbys()
        + "; check that it runs and that the addresses are right";
  }

  /** Completes every call that is outstanding or on its way in, and connects no more. */
  void close() {
    sendLate();
    closed = true;
    OracleException cause =
        new OracleException(Category.CLOSED, "the client was closed before an answer came", null);
    members.close(cause);
    failWaiting(cause);
    // A caller that passed the intake's door before it closed is a few instructions from its queue.
    while (intake.outstanding() > 0) {
      intake.drainTo(this::enqueue);
      failWaiting(cause);
      Thread.onSpinWait();
    }
  }

  /** What was in no hurry goes now, if it can: later the oracle would not learn it for minutes. */
  private void sendLate() {
    intake.drainTo(this::enqueue);
    releaseLate();
    Connection connection = members.nextWritable();
    if (connection == null) {
      return;
    }
    for (CallList calls : sendingOrder) {
      CallList unhurried = new CallList();
      CallList others = new CallList();
      Call<?> call;
      while ((call = calls.poll()) != null) {
        (call.urgent ? others : unhurried).add(call);
      }
      connection.send(unhurried, loop.nanoTime());
      calls.addFirst(others);
      calls.addFirst(unhurried); // what did not fit
    }
    connection.flush();
  }
}
