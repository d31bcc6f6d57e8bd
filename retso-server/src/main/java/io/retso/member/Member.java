package io.retso.member;

import io.retso.log.LedgerLog;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.LogTail;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Limits;
import io.retso.protocol.ServerRole;
import io.retso.sequencer.Recovery;
import io.retso.sequencer.Sequencer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One of the servers that share a log: it follows the log as a standby, takes over when the leader
 * seems to be gone, leads until it is deposed or hands over, and is a standby again.
 *
 * <pre>
 *   STANDBY --(suspicion, rank)--&gt; TAKING_OVER --(fenced, replayed)--&gt; LEADING
 *      ^                               |  lost the race                   |
 *      +-------------------------------+----(deposed, handed over)--------+
 * </pre>
 *
 * <p>Its oracle lives as long as the process; each term of leadership has a sequencer of its own.
 *
 * <p>It has no timer: its owner calls {@link #tick} every {@value Sequencer#TICK_MILLIS} ms. All
 * methods belong to the thread of {@link LedgerLog.Threads#writer}, but for {@link #view}.
 */
public final class Member implements AutoCloseable {
  /** What a member is doing. */
  public enum State {
    STANDBY,
    TAKING_OVER,
    LEADING,
    /** It failed for good, or was closed. */
    ENDED
  }

  /**
   * Settings.
   *
   * @param address where clients and other members reach it, {@code host:port}
   * @param httpAddress where operators reach it
   * @param log of which the leader is {@code address}
   * @param firstTimestamp where the timestamps of an empty log begin
   */
  public record Settings(
      String address, String httpAddress, LedgerLog.Settings log, LongSupplier firstTimestamp) {}

  /**
   * A moment of a member.
   *
   * @param epoch the newest one that it knows; 0 for none
   * @param leader that epoch's leader's address; empty if it is not known
   * @param serves it leads, or is a ready standby of a leader that it has heard
   * @param isReady it has read the log
   * @param entriesBehind entries that it knows of and has not applied
   * @param takeOvers of this member, since it began
   * @param transactions commits that it has replayed since it last began to read the log
   * @param trouble why it cannot read the log or take it over; null if it can
   */
  public record View(
      State state,
      long epoch,
      String leader,
      boolean serves,
      boolean isReady,
      long entriesBehind,
      long takeOvers,
      long transactions,
      List<Roster.Entry> members,
      LogException trouble) {
    /** A leader without a log that others could read. */
    public static View alone(long epoch) {
      return new View(State.LEADING, epoch, "", true, true, 0, 1, 0, List.of(), null);
    }

    /** Whether it leads. */
    public boolean leads() {
      return state == State.LEADING;
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(Member.class);

  /** A standby that has read nothing for so long is not ready: it cannot reach the log. */
  private static final long READ_NANOS_MAX = TimeUnit.SECONDS.toNanos(3);

  /** After handing over it leaves the others so much time to take over. */
  private static final long HAND_OVER_NANOS = TimeUnit.SECONDS.toNanos(3);

  /** A leader whose log hangs while it hands over goes without a word. */
  private static final long DRAIN_NANOS_MAX = TimeUnit.SECONDS.toNanos(2);

  private final Settings settings;
  private final LedgerStore store;
  private final LedgerLog.Threads threads;
  private final Executor executor;
  private final Recovery recovery;
  private final Roster roster;
  private final LeaderWatch watch;
  private final Front front;
  private final Term.Maker terms;
  private final Suspicion suspicion = new Suspicion();
  private final Sequencer.Replies replies = new TermReplies();

  private State state = State.STANDBY;

  /** The next term, or that in which it leads. */
  private Term term;

  /** Of a leader. */
  private LedgerLog log;

  private LogTail tail;
  private CompletableFuture<Void> polled;

  /** The tail has shown everything that there was at some moment. */
  private boolean looked;

  private long readNanos;

  /** The catalog is read before a take-over. */
  private boolean looking;

  private boolean knowsEpoch;
  private long epoch;
  private String leader = "";

  /** The last position when this epoch was first followed: what is behind it is of its leader. */
  private long positionBefore;

  private ServerRole role = ServerRole.UNKNOWN;
  private long takeOvers;

  /** Why the log could not be read lately; null if it could. */
  private LogException readTrouble;

  /** Why it could not be written or taken over, as long as nobody leads. */
  private LogException leadTrouble;

  /** Completes when this leader has handed over; null if it does not. */
  private CompletableFuture<Void> handingOver;

  private long handingOverSince;
  private volatile View view;

  /**
   * Makes a standby that has read nothing.
   *
   * @param oracle empty; that of which {@code terms} make sequencers
   * @param threads the writer's executor must end the process if a task throws
   */
  public Member(
      Settings settings,
      LedgerStore store,
      LedgerLog.Threads threads,
      StatusOracle oracle,
      Term.Maker terms,
      Front front,
      Roster roster,
      LeaderWatch watch) {
    this.settings = settings;
    this.store = store;
    this.threads = threads;
    this.executor = threads.writer();
    this.recovery = new Recovery(oracle);
    this.terms = terms;
    this.front = front;
    this.roster = roster;
    this.watch = watch;
    prepare();
    look(now());
  }

  private long now() {
    return threads.nanoClock().getAsLong();
  }

  private void prepare() {
    term = terms.next(replies);
    tail = new LogTail(store, threads, settings.log(), recovery);
    polled = null;
    looked = false;
    readNanos = now();
  }

  /** Time passes: reads on, looks for the leader, and takes over if it is to. */
  public void tick() {
    long now = now();
    suspicion.tick(now);
    switch (state) {
      case STANDBY -> standBy(now);
      case LEADING -> leadOn(now);
      case TAKING_OVER, ENDED -> {}
    }
    look(now);
  }

  /** What it is at the moment; from any thread. */
  public View view() {
    return view;
  }

  /** Notes what it is for others: clients, members, and those who ask. */
  private void look(long now) {
    boolean leads = state == State.LEADING;
    boolean isReady = leads || isReady(now);
    long behind = leads ? 0 : tail.entriesBehind();
    List<Roster.Entry> members = roster.members();
    view =
        new View(
            state,
            epoch,
            leader,
            leads || state == State.STANDBY && isReady && isHeard() && !suspects(now),
            isReady,
            behind,
            takeOvers,
            recovery.transactions(),
            members,
            leadTrouble == null ? readTrouble : leadTrouble);
    if (state != State.ENDED) {
      roster.publish(new Roster.Entry(settings.address(), settings.httpAddress(), isReady, behind));
      ServerRole changed = role(members);
      if (!changed.equals(role)) {
        role = changed;
        front.update(changed);
      }
    }
  }

  private ServerRole role(List<Roster.Entry> members) {
    boolean leads = state == State.LEADING;
    List<String> addresses = new ArrayList<>();
    addresses.add(settings.address());
    members.forEach(member -> addresses.add(member.address()));
    boolean isKnown = leads || !isOwn(leader) && ServerRole.isAddress(leader);
    return new ServerRole(
        leads,
        epoch,
        "",
        isKnown ? leader : "",
        addresses.stream().distinct().limit(Limits.MEMBERS_MAX).toList());
  }

  private boolean isOwn(String address) {
    return address.equals(settings.address());
  }

  // The standby.

  private boolean isReady(long now) {
    return looked && tail.isWarm() && now - readNanos < READ_NANOS_MAX;
  }

  private void standBy(long now) {
    CompletableFuture<Void> polling = tail.poll();
    if (polling != polled) {
      polled = polling;
      LogTail reader = tail;
      boolean wasWarm = tail.isWarm();
      then(
          polling,
          (read, failure) -> {
            if (reader == tail && state == State.STANDBY) {
              read(wasWarm, failure);
            }
          });
    }
    follow(tail.catalog(), now);
    if (isHeard() && !suspects(now)) {
      suspicion.heard(now);
      leadTrouble = null;
    }
    if (!looking && looked && suspicion.isDue(suspects(now), rank(), now)) {
      lookAndTakeOver();
    }
  }

  private void read(boolean wasWarm, LogException failure) {
    if (failure != null) {
      readTrouble = troubleOf(failure);
      return;
    }
    readTrouble = null;
    if (!looked) {
      positionBefore = recovery.lastPosition();
    }
    looked = tail.isWarm() || !wasWarm; // otherwise it was too slow, and begins again
    readNanos = now();
  }

  /** Epochs only grow; what was read late says nothing. */
  private void follow(LedgerStore.Content catalog, long now) {
    if (catalog == null || knowsEpoch && catalog.epoch() <= epoch || catalog.epoch() < epoch) {
      return;
    }
    suspicion.follows(catalog.epoch(), now);
    knowsEpoch = true;
    epoch = catalog.epoch();
    leader = catalog.leader();
    positionBefore = recovery.lastPosition();
    watch.watch(isOwn(leader) || !ServerRole.isAddress(leader) ? "" : leader);
    LOG.info("follows epoch {}, led by {}", epoch, leader.isEmpty() ? "nobody" : leader);
  }

  /** The leader that is followed has appended something. */
  private boolean isHeard() {
    return looked && recovery.lastPosition() > positionBefore;
  }

  private boolean suspects(long now) {
    if (!looked) {
      return false;
    }
    // Its own address says that it led in an earlier life, unless two servers have the same one.
    boolean nobodyLeads = epoch == 0 || isOwn(leader) && !isHeard();
    return nobodyLeads
        || recovery.hasEnded() && isHeard()
        || watch.isGone()
        || readTrouble == null && silentNanos(now) > Suspicion.SILENCE_NANOS;
  }

  /** If this member cannot read the log, it is not the leader that is silent. */
  private long silentNanos(long now) {
    return Math.min(tail.silentNanos(), suspicion.silentNanos(now));
  }

  /** How many of those that are ready are to try before. */
  private int rank() {
    List<String> candidates =
        roster.members().stream()
            .filter(Roster.Entry::isReady)
            .map(Roster.Entry::address)
            .filter(address -> isOwn(address) || !address.equals(leader))
            .toList();
    int own = candidates.indexOf(settings.address());
    return own < 0 ? candidates.size() : own;
  }

  /** Somebody else may have taken over by now. */
  private void lookAndTakeOver() {
    looking = true;
    then(
        store.readCatalog(),
        (found, failure) -> {
          looking = false;
          if (state != State.STANDBY) {
            return;
          }
          if (failure != null) {
            suspicion.attempted(now());
            leadTrouble = troubleOf(failure);
          } else if (found.epoch() != epoch) {
            follow(found.content(), now());
          } else {
            takeOver();
          }
        });
  }

  // The take-over.

  /** Takes over whoever leads. */
  void takeOver() {
    LOG.info("takes over from epoch {}, led by {}", epoch, leader.isEmpty() ? "nobody" : leader);
    state = State.TAKING_OVER;
    suspicion.attempted(now());
    then(
        tail.takeOver(term.listener()),
        (taken, failure) -> {
          if (state != State.TAKING_OVER) {
            if (taken != null) {
              taken.close();
            }
          } else if (failure == null) {
            lead(taken);
          } else {
            state = State.STANDBY;
            leadTrouble = troubleOf(failure);
          }
        });
  }

  private void lead(LedgerLog taken) {
    log = taken;
    try {
      recovery.finish(settings.firstTimestamp().getAsLong());
    } catch (LogException e) {
      end(e);
      return;
    }
    long last = recovery.lastPosition();
    suspicion.follows(taken.epoch(), now());
    epoch = taken.epoch();
    leader = settings.address();
    watch.watch("");
    readTrouble = null;
    leadTrouble = null;
    takeOvers++;
    state = State.LEADING;
    role = role(roster.members());
    front.lead(term.sequencer(), role);
    if (recovery.hasWriter()) {
      term.sequencer().startBehind(term.begin(taken, last), last, taken.fencedNanos());
    } else {
      term.sequencer().start(term.begin(taken, last), last);
    }
    LOG.info("leads in epoch {}", epoch);
  }

  // The leader.

  private void leadOn(long now) {
    suspicion.heard(now);
    if (handingOver != null && now - handingOverSince > DRAIN_NANOS_MAX) {
      handedOver();
    }
  }

  /** Of the sequencer that leads. */
  private final class TermReplies implements Sequencer.Replies {
    @Override
    public void durable(long position) {
      front.durable(position);
    }

    /** In a task of its own: the sequencer is in the middle of something. */
    @Override
    public void failed(LogException cause) {
      executor.execute(() -> deposed(cause));
    }
  }

  private void deposed(LogException cause) {
    if (state == State.LEADING) {
      LOG.warn("no longer leads in epoch {}: {}", epoch, cause.getMessage());
      leadTrouble = troubleOf(cause);
      if (state == State.LEADING) {
        stepDown();
      }
    }
  }

  /** The oracle may be ahead of the log: it is emptied, and the log read again. */
  private void stepDown() {
    log.close();
    log = null;
    state = State.STANDBY;
    role = role(roster.members());
    front.follow(role);
    recovery.restart();
    knowsEpoch = false;
    prepare();
    if (handingOver != null) {
      CompletableFuture<Void> done = handingOver;
      handingOver = null;
      done.complete(null);
    }
  }

  /**
   * Hands over to a standby that is ready: nothing is taken any more, the log gets its end.
   *
   * @return completes when this member is a standby; fails with an {@link IllegalStateException}
   *     that says why, if it does not hand over
   */
  public CompletableFuture<Void> handOver() {
    if (state != State.LEADING) {
      return refused("this server does not lead; " + role.whoLeads());
    }
    Optional<Roster.Entry> next = successor();
    if (next.isEmpty()) {
      return refused("no standby is ready to take over");
    }
    if (handingOver == null) {
      LOG.info("hands over to {}", next.get().address());
      handingOver = new CompletableFuture<>();
      handingOverSince = now();
      then(
          front.drain(),
          (drained, failure) -> {
            if (handingOver != null && state == State.LEADING) {
              handedOver();
            }
          });
    }
    return handingOver;
  }

  private void handedOver() {
    suspicion.holdOff(now(), HAND_OVER_NANOS);
    stepDown();
  }

  private static CompletableFuture<Void> refused(String why) {
    return CompletableFuture.failedFuture(new IllegalStateException(why));
  }

  /** The first of the others that are ready. */
  private Optional<Roster.Entry> successor() {
    return roster.members().stream()
        .filter(member -> member.isReady() && !isOwn(member.address()))
        .findFirst();
  }

  // Failures.

  /**
   * What another attempt does not mend ends the server.
   *
   * @return the failure if it may pass; null if that is not to be waited for
   */
  private LogException troubleOf(LogException failure) {
    LOG.debug("the log", failure);
    switch (failure.reason()) {
      case CORRUPT, LOST, TOO_LARGE -> end(failure);
      case FENCED -> {}
      case UNAVAILABLE -> {
        return failure;
      }
    }
    return null;
  }

  private void end(LogException failure) {
    close();
    front.failed(failure);
  }

  /**
   * Reads, takes over and leads no more; a leader's log is closed. The roster is its owner's to
   * close.
   */
  @Override
  public void close() {
    if (state == State.ENDED) {
      return;
    }
    if (log != null) {
      term.sequencer().stop();
      log.close();
    }
    state = State.ENDED;
    look(now());
    tail.close();
    watch.close();
  }

  /** The rest happens in a task of its own, so that an error in it ends the process. */
  private <T> void then(CompletableFuture<T> future, BiConsumer<T, LogException> next) {
    future.whenComplete(
        (value, e) -> executor.execute(() -> next.accept(value, e == null ? null : failureOf(e))));
  }

  /** What is no failure of the log, nor of closing, is an error in this server. */
  private static LogException failureOf(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    if (cause instanceof Error error) {
      throw error;
    }
    boolean isOfClosing =
        cause instanceof RejectedExecutionException || cause instanceof CancellationException;
    if (cause instanceof RuntimeException error && !isOfClosing) {
      throw error;
    }
    return LogException.of(cause);
  }
}
