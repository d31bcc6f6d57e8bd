package io.retso.client.connection;

import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.protocol.FrameType;
import io.retso.protocol.Handshake.Welcome;
import io.retso.protocol.OracleIdentity;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;

/**
 * The event loop's side of the client: takes calls from the {@link Intake}, hands them to
 * connections in frames, and watches deadlines. All methods belong to the event loop.
 *
 * <p>Every call is in exactly one place: in the intake, waiting here for a connection, or in a
 * frame that waits for its reply. A call that leaves the last of them is completed or was before,
 * and is released from the limit of outstanding calls.
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
  private final List<Slot> slots = new ArrayList<>();

  /** Calls without a frame, by type. */
  private final Map<FrameType, CallList> waiting = new EnumMap<>(FrameType.class);

  /**
   * The same in the order in which they are sent, timestamps and begins last: whoever commits and
   * begins the next transaction in one go is to get a snapshot with that commit. Replies to them
   * wait for nothing that is sent before.
   */
  private final List<CallList> sendingOrder = new ArrayList<>();

  /**
   * Calls in no hurry. They go with the next call that the oracle writes to its log, or when enough
   * of them wait, or after {@link OracleClient#LINGER}: each frame of them by itself would cost the
   * oracle a write to the log.
   */
  private final CallList late = new CallList();

  private int lateCount;

  private final long sweepNanos;
  private boolean sweepScheduled;
  private boolean closed;
  private int nextSlot;
  private long epochSeen = Long.MIN_VALUE;

  /**
   * The oracle that this client is for; null before the first has answered. Any thread reads it.
   */
  private volatile OracleIdentity oracle;

  /** Why the last attempt to connect failed; null since the last success. */
  private OracleException lastFailure;

  /** Not null: every address is incompatible, and calls fail at once until the time below. */
  private OracleException refusal;

  private long refusalEndNanos;

  Dispatcher(ClientSettings settings, ClientLoop loop, Intake<Call<?>> intake) {
    this.settings = settings;
    this.loop = loop;
    this.intake = intake;
    this.oracle = settings.expected();
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
    SplittableRandom random = new SplittableRandom(settings.seed());
    for (int i = 0; i < settings.connections(); i++) {
      slots.add(new Slot(this, settings, loop, random.split()));
    }
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
    while ((connection = nextWritable()) != null) {
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
    slots.forEach(Slot::ensureConnecting);
  }

  private boolean nothingToSend() {
    for (CallList calls : sendingOrder) {
      if (!calls.isEmpty()) {
        return false;
      }
    }
    return true;
  }

  /** The next connection in turn that is ready and has room; null if there is none. */
  private Connection nextWritable() {
    for (int i = 0; i < slots.size(); i++) {
      nextSlot = nextSlot + 1 < slots.size() ? nextSlot + 1 : 0;
      Connection connection = slots.get(nextSlot).ready();
      if (connection != null && connection.isWritable()) {
        return connection;
      }
    }
    return null;
  }

  /**
   * Why the one who answers must not be talked to; null if it may, which is remembered. The first
   * oracle that this client meets is the one that it is for, unless it was built for one.
   */
  OracleException objection(Connection asked, Welcome offer) {
    OracleIdentity expected = oracle;
    if (expected != null && !offer.oracle().isSameAs(expected)) {
      return asked.another(offer.oracle(), expected);
    }
    if (offer.epoch() < epochSeen) {
      return asked.unavailable(
          "has epoch "
              + offer.epoch()
              + ", below the one of a server met before: it was deposed, and another one leads now",
          null);
    }
    oracle = offer.oracle();
    epochSeen = offer.epoch();
    return null;
  }

  /** The oracle that this client is for; null before the first has answered. Any thread. */
  OracleIdentity oracle() {
    return oracle;
  }

  /** A connection became ready: the others, if any, are worth trying now, too. */
  void connected() {
    endDeposed();
    lastFailure = null;
    refusal = null;
    slots.forEach(Slot::ensureConnecting);
    onWake(); // what came in meanwhile shares the frames of what waited for the connection
  }

  /**
   * A leader that was deposed may not know it yet, and would begin transactions before commits that
   * its successor has acknowledged to this client.
   */
  private void endDeposed() {
    for (Slot slot : slots) {
      Connection connection = slot.ready();
      if (connection != null && connection.welcome().epoch() < epochSeen) {
        connection.end(connection.unavailable("was deposed: another oracle leads now", null));
      }
    }
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
    while ((frame = connection.pollSent()) != null) {
      Call<?> call = frame.head;
      while (call != null) {
        Call<?> next = call.next;
        call.next = null;
        if (again && !call.isDone()) {
          repeated.computeIfAbsent(call.type, type -> new CallList()).add(call);
        } else {
          intake.release(1);
          call.fail(cause.category(), cause.getMessage(), cause);
        }
        call = next;
      }
    }
    repeated.forEach((type, calls) -> waiting.get(type).addFirst(calls));
    dispatch();
  }

  /** No address leads to a compatible oracle. */
  void refuse(OracleException cause) {
    for (Slot slot : slots) {
      if (slot.ready() != null) {
        return;
      }
    }
    refusal = cause;
    refusalEndNanos = loop.nanoTime() + settings.backoffMaxNanos();
    failWaiting(cause);
  }

  private void failWaiting(OracleException cause) {
    releaseLate();
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
    for (Slot slot : slots) {
      Connection connection = slot.ready();
      if (connection == null) {
        continue;
      }
      connection.expire(nowNanos, overdue);
      if (connection.silenceNanos(nowNanos) >= settings.silenceNanosMax()) {
        connection.end(
            connection.unavailable(
                "owed replies and sent nothing for "
                    + Durations.text(settings.silenceNanosMax())
                    + "; gave up the connection",
                null));
      }
    }
    for (CallList calls : sendingOrder) {
      expireWaiting(calls, nowNanos, overdue);
    }
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
      if (call.maybeSent) {
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
        + "; check that it runs and that the addresses are right";
  }

  /** Completes every call that is outstanding or on its way in, and connects no more. */
  void close() {
    sendLate();
    closed = true;
    OracleException cause =
        new OracleException(Category.CLOSED, "the client was closed before an answer came", null);
    slots.forEach(slot -> slot.close(cause));
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
    Connection connection = nextWritable();
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
