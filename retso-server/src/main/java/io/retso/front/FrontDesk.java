package io.retso.front;

import io.retso.log.LogException;
import io.retso.member.Front;
import io.retso.protocol.Authentication.Level;
import io.retso.protocol.Limits;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import io.retso.security.AccessControl;
import io.retso.security.Role;
import io.retso.sequencer.Sequencer;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where all {@link Conversation}s of a server meet its sequencer: it ends bursts, lets replies go
 * when the log is durable, and lets frames wait while the log has no room.
 *
 * <p>A server begins as a standby, which has no sequencer and refuses requests. It may {@link
 * #lead} and {@link #follow} in turn, as often as it is to: conversations go on, and each client is
 * told.
 *
 * <p><strong>What a deposed server answers.</strong> When it ceases to lead, a reply that waits for
 * the log may be about something that is in the log, and that its successor knows, or not: the
 * server cannot tell, and must not guess. So the reply is dropped, and the client told to ask the
 * next leader (a commit is asked with the flag of a repetition, and gets its one outcome). Frames
 * that were not taken were not decided, which the client is told, too.
 *
 * <p>It has no thread: the network's event loop calls it, and so does a simulator. Every method
 * belongs to the sequencer's thread.
 */
public final class FrontDesk implements Front {
  /**
   * Hears how long requests took, from their arrival to the moment their reply left, and turns of
   * the loop. On the sequencer's thread.
   */
  public interface Latencies {
    /** Does not care. */
    Latencies IGNORED = new Latencies() {};

    /** So many replies of the log lane left after about so many nanoseconds. */
    default void decided(long nanos, int replies) {}

    /** So many replies of the fast lane (timestamps) left at once. */
    default void atOnce(int replies) {}

    /**
     * A turn of the loop is over; a loop that measures its turns reports them.
     *
     * @param nanos that it took
     * @param cpuNanos at most this much was processor time of its thread
     */
    default void turn(long nanos, long cpuNanos) {}
  }

  /** Hears that the server can go on no longer. */
  public interface Owner {
    /** The log failed: nothing that is held may leave. */
    void logFailed(LogException cause);

    /** An error in this server: nothing at all may leave any more. */
    void stopped(Throwable cause);
  }

  /**
   * Settings.
   *
   * @param oracle which oracle this is, known before the first HELLO
   * @param nanoClock monotonic time
   * @param access the names of clients and what they may do, known before the first HELLO, too
   */
  public record Settings(
      Supplier<OracleIdentity> oracle,
      LongSupplier nanoClock,
      Latencies latencies,
      Bounds bounds,
      AccessControl access) {}

  /**
   * Bounds of the work that is done at a time; a simulator gives small ones.
   *
   * @param requestsMax requests of one frame
   * @param rowsMax ids of one request
   * @param turnUnits rows, timestamps and requests of one client host in a part of a turn of the
   *     loop, after which the others have theirs, and of all of them; the last frame may exceed it
   * @param protectedNanos how long an open transaction is safe from other hosts' haste, at least
   */
  public record Bounds(int requestsMax, int rowsMax, int turnUnits, long protectedNanos) {
    /** What a server uses: a turn of a host is about a millisecond. */
    public static final Bounds USUAL =
        new Bounds(Limits.FRAME_REQUESTS_MAX, Limits.TRANSACTION_IDS_MAX, 1 << 14, 10_000_000_000L);
  }

  /** The thread that it runs on, which works in turns: it reads what is readable, and goes on. */
  public interface Loop {
    /** Runs a task when everything that is readable now has been read. */
    void atEndOfTurn(Runnable task);

    /** Runs a task after everything that is readable then has been read once more. */
    void inNextTurn(Runnable task);
  }

  /** A client whose last ping is older is not heard: some twenty pings of a standby were missed. */
  private static final long HEARD_NANOS_MAX = 2_000_000_000;

  private final Settings settings;
  private final Loop loop;
  private final Owner owner;
  private final List<Conversation> burst = new ArrayList<>();
  private final List<Conversation> held = new ArrayList<>();
  private final List<Conversation> waitingForLog = new ArrayList<>();
  private final Set<Conversation> waitingForOthers = new LinkedHashSet<>();
  private final Runnable endOfBurst = this::endOfBurst;
  private final Set<Conversation> conversations = new LinkedHashSet<>();
  private final Turns turns;
  private ServerRole role = ServerRole.UNKNOWN;

  /** These three are null in a standby. */
  private Sequencer sequencer;

  private RequestHandler handler;
  private FairUse fairUse;
  private CompletableFuture<Void> drained = new CompletableFuture<>();
  private boolean burstScheduled;
  private boolean draining;
  private boolean stopped;

  /** The sequencer's thread, since the first call that matters; {@code assert} only. */
  private Thread thread;

  /** Makes the front desk of a standby that knows no leader. */
  public FrontDesk(Settings settings, Loop loop, Owner owner) {
    this.settings = settings;
    this.loop = loop;
    this.owner = owner;
    turns = new Turns(settings.bounds().turnUnits(), loop::inNextTurn);
  }

  /**
   * From now on this server leads, and has requests carried out. All clients are told.
   *
   * @param theSequencer started by the caller in the same task, before or after this
   * @param itsRole that of a leader
   */
  @Override
  public void lead(Sequencer theSequencer, ServerRole itsRole) {
    if (sequencer != null || !itsRole.leads()) {
      throw new IllegalStateException("a leader cannot become " + itsRole);
    }
    Bounds bounds = settings.bounds();
    long now = settings.nanoClock().getAsLong();
    sequencer = theSequencer;
    fairUse = new FairUse(theSequencer.oracle(), bounds.protectedNanos(), now);
    handler = new RequestHandler(theSequencer, fairUse, settings);
    tell(itsRole);
  }

  /**
   * From now on this server is a standby; if it was one, what it knows of the others has changed.
   * The sequencer of a leader is stopped: it appends nothing and answers nothing any more. Replies
   * that it holds are dropped, and all clients are told. A {@link #drain} that had stopped this
   * server is over.
   *
   * <p>To be called by a task of its own, not from within a call of the sequencer or the desk.
   *
   * @param itsRole that of a standby
   */
  @Override
  public void follow(ServerRole itsRole) {
    assert isOnItsThread();
    if (itsRole.leads()) {
      throw new IllegalArgumentException("a standby cannot be " + itsRole);
    }
    boolean wasLeader = sequencer != null;
    List<Conversation> waiting = new ArrayList<>(draining ? conversations : waitingForLog);
    if (wasLeader) {
      sequencer.stop();
      sequencer = null;
      handler = null;
      fairUse = null;
      turns.forgetAccounts();
      held.clear();
      waitingForLog.clear();
      waitingForOthers.clear();
    }
    if (draining) {
      drained.complete(null); // nothing is held any more
      drained = new CompletableFuture<>();
      draining = false;
    }
    tell(itsRole); // first: clients that know that it is a standby ask it no more
    if (wasLeader) {
      conversations.forEach(Conversation::dropReplies);
    }
    waiting.forEach(Conversation::tryAgain);
  }

  /**
   * What is known of the members has changed, but not which server leads; clients are told.
   *
   * @param itsRole that of a leader if this server leads
   */
  @Override
  public void update(ServerRole itsRole) {
    if (itsRole.leads() != isLeading()) {
      throw new IllegalStateException("this server " + (isLeading() ? "leads" : "is a standby"));
    }
    tell(itsRole);
  }

  private void tell(ServerRole changed) {
    assert isOnItsThread();
    role = changed;
    List.copyOf(conversations).forEach(conversation -> conversation.tell(changed));
  }

  /**
   * Begins to speak with a client.
   *
   * @param host the client's: conversations of equal hosts have one share of the server's work
   */
  public Conversation open(Transport transport, Object host) {
    Conversation conversation = new Conversation(this, transport, host);
    conversations.add(conversation);
    return conversation;
  }

  /** Whether a client of this name is connected, and said HELLO or sent a ping lately. */
  @Override
  public boolean hears(String clientName) {
    return heardMembers().anyMatch(clientName::equals);
  }

  /**
   * The names of clients of which it is proved that they are members, and that are heard; empty
   * where clients need not identify themselves, as that proves nothing.
   */
  @Override
  public Optional<Set<String>> provedStandbys() {
    return settings.access().authentication() == Level.REQUIRED
        ? Optional.of(heardMembers().collect(Collectors.toSet()))
        : Optional.empty();
  }

  private Stream<String> heardMembers() {
    long now = settings.nanoClock().getAsLong();
    return conversations.stream()
        .filter(
            conversation ->
                conversation.hello() != null
                    && conversation.identity().has(Role.MEMBER)
                    && now - conversation.heardNanos() < HEARD_NANOS_MAX)
        .map(conversation -> conversation.hello().clientName());
  }

  private boolean isOnItsThread() {
    thread = thread == null ? Thread.currentThread() : thread;
    return Thread.currentThread() == thread;
  }

  // For conversations.

  Settings settings() {
    return settings;
  }

  /** What identifies clients and says what they may do. */
  public AccessControl access() {
    return settings.access();
  }

  /** What this server says of itself. */
  ServerRole role() {
    return role;
  }

  boolean isLeading() {
    return sequencer != null;
  }

  /** That of a leader. */
  Sequencer sequencer() {
    return sequencer;
  }

  /** See {@link io.retso.oracle.StatusOracle#moves}. */
  long moves() {
    return sequencer == null ? 0 : sequencer.oracle().moves();
  }

  Turns turns() {
    return turns;
  }

  RequestHandler handler() {
    return handler;
  }

  /** The conversation has replies to send, or handed in requests, in this turn. */
  void joinBurst(Conversation conversation) {
    assert isOnItsThread();
    burst.add(conversation);
    if (!burstScheduled) {
      burstScheduled = true;
      loop.atEndOfTurn(endOfBurst);
    }
  }

  /** The conversation has replies that wait for the log. */
  void holds(Conversation conversation) {
    assert isOnItsThread();
    held.add(conversation);
  }

  /** The conversation has frames that the log has no room for. */
  void waitForLog(Conversation conversation) {
    waitingForLog.add(conversation);
  }

  /** Whether a host is to leave timestamps to others. */
  boolean mustWait(ClientShare share, int timestamps) {
    return fairUse.mustWait(share.account, timestamps, turns.hosts());
  }

  /** Whether a host is to leave the map's rows to others for now. */
  boolean mustWaitWithRows(ClientShare share, int rows) {
    return fairUse.mustWaitWithRows(share.account, rows, turns.hosts());
  }

  /** Whether a commit that began to wait for others at a time is to be refused. */
  boolean isOverdue(long sinceNanos) {
    return fairUse.isOverdue(sinceNanos, settings.nanoClock().getAsLong());
  }

  /** The conversation has put off what its host must wait for; {@link #tick} looks again. */
  void waitForOthers(Conversation conversation) {
    waitingForOthers.add(conversation);
  }

  /** Time passes; to be called some ten times a second. */
  public void tick() {
    assert isOnItsThread();
    if (sequencer == null) {
      return;
    }
    long now = settings.nanoClock().getAsLong();
    long hosts = waitingForOthers.stream().map(Conversation::share).distinct().count();
    fairUse.tick(now, (int) hosts);
    sequencer.releaseSafeSnapshots(now);
    sequencer.expireHeld(now);
    List<Conversation> resumed = new ArrayList<>(waitingForOthers);
    waitingForOthers.clear();
    resumed.forEach(Conversation::tryStartsAgain);
  }

  /** Keeps the log going; to be called every {@value Sequencer#TICK_MILLIS} ms. */
  public void beat() {
    if (!stopped && sequencer != null) {
      sequencer.tick();
    }
  }

  void forget(Conversation conversation) {
    conversations.remove(conversation);
    waitingForOthers.remove(conversation);
    held.remove(conversation);
    waitingForLog.remove(conversation);
    burst.remove(conversation);
    finishDraining();
  }

  private void endOfBurst() {
    burstScheduled = false;
    if (stopped) {
      return;
    }
    try {
      assert isOnItsThread();
      turns.endTurn();
      for (int i = 0; i < burst.size(); i++) { // it may grow: what is sent makes room for more
        burst.get(i).endOfBurst();
      }
      burst.clear();
      if (sequencer != null) {
        fairUse.endTurn();
        sequencer.flush();
      }
      finishDraining();
    } catch (RuntimeException | Error e) {
      stop(e);
    }
  }

  @Override
  public void durable(long position) {
    if (stopped) {
      return;
    }
    for (int i = held.size() - 1; i >= 0; i--) {
      if (!held.get(i).release(position, sequencer.released())) {
        held.remove(i);
      }
    }
    if (!waitingForLog.isEmpty()) {
      List<Conversation> resumed = new ArrayList<>(waitingForLog);
      waitingForLog.clear();
      resumed.forEach(Conversation::tryAgain);
    }
    finishDraining();
  }

  @Override
  public void failed(LogException cause) {
    if (!stopped) {
      owner.logFailed(cause);
    }
  }

  /**
   * Ends the server because of an error of its own (fail-stop): the oracle's state may be ahead of
   * the log, and half changed. Nothing is decided, appended to the log or answered any more; what
   * was answered before is in the log.
   */
  public void stop(Throwable cause) {
    if (stopped) {
      return;
    }
    stopped = true;
    if (sequencer != null) {
      sequencer.stop();
    }
    owner.stopped(cause);
  }

  /** Whether nothing may be answered any more. */
  public boolean isStopped() {
    return stopped;
  }

  /** Whether no frame is taken any more. */
  public boolean isClosing() {
    return draining || stopped;
  }

  /**
   * Takes no more frames, for good or until {@link #follow}.
   *
   * @return completes when every reply that is held has left, and the log has where timestamps end,
   *     or when this is a standby; never if the log hangs
   */
  @Override
  public CompletableFuture<Void> drain() {
    draining = true;
    finishDraining();
    return drained;
  }

  private void finishDraining() {
    if (draining && burst.isEmpty()) {
      // The log gets its end behind what is held: that leaves with it at the latest.
      boolean isLogged = sequencer == null || sequencer.durable() >= sequencer.finish();
      if (isLogged && held.isEmpty()) {
        drained.complete(null);
      }
    }
  }
}
