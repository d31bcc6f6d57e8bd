package io.retso.member;

import io.retso.log.CommitLog;
import io.retso.log.LedgerLog;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.oracle.StatusOracle;
import io.retso.sequencer.Recovery;
import io.retso.sequencer.Sequencer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
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

  /** After handing over it leaves the others so much time to take over. */
  private static final long HAND_OVER_NANOS = TimeUnit.SECONDS.toNanos(3);

  private final Settings settings;
  private final LedgerStore store;
  private final LedgerLog.Threads threads;
  private final Executor executor;
  private final Recovery recovery;
  private final Roster roster;
  private final Front front;
  private final Term.Maker terms;
  private final Follower follower;
  private final Announcer announcer;
  private final ReadVersion readVersion = new ReadVersion();
  private final LoopTasks tasks;
  private final Sequencer.Replies replies = new TermReplies();

  private State state = State.STANDBY;

  /** The next term, or that in which it leads; null until it stands by again. */
  private Term term;

  /** The log that a leader writes. */
  private LedgerLog log;

  /** It takes over no more. */
  private boolean retiring;

  private long takeOvers;

  /** Those of the take-over that is under way, or was the last. */
  private TakeOverSteps steps;

  /** What a standby does before it is ready; null before it begins. */
  private CompletableFuture<Void> rehearsal;

  /** Why it could not be written or taken over, as long as there is no leader. */
  private LogException leadTrouble;

  /** The hand-over of a leader that goes; null if it does not go. */
  private HandOver handOver;

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
    this.tasks = new LoopTasks(executor);
    this.term = terms.next(replies);
    this.follower =
        new Follower(
            settings,
            store,
            threads,
            recovery,
            roster,
            watch,
            this::troubleOf,
            () -> executor.execute(this::tick));
    this.announcer = new Announcer(settings, follower, recovery, roster, front);
    look(now());
  }

  private long now() {
    return threads.nanoClock().getAsLong();
  }

  /** Time passes: reads on, looks for the leader, and takes over if it is to. */
  public void tick() {
    if (term == null) {
      return;
    }
    long now = now();
    follower.suspicion().tick(now);
    readVersion.see(roster.members(), now);
    switch (state) {
      case STANDBY -> standBy(now);
      case LEADING -> leadOn(now);
      case TAKING_OVER -> follower.awaitTheLeadersEnd(now);
      case ENDED -> {}
    }
    look(now);
  }

  /** What it is at the moment; from any thread. */
  public View view() {
    return announcer.view();
  }

  private void look(long now) {
    boolean isPrepared = rehearsal == null || rehearsal.isDone();
    announcer.look(state, isPrepared, takeOvers, leadTrouble, now);
  }

  // The standby.

  private void standBy(long now) {
    follower.tick(now);
    if (follower.hears()) {
      leadTrouble = null;
      rehearse();
    }
    if (!retiring && follower.isDue(now)) {
      takeOver();
    }
  }

  /** While a server leads there is time for it. It does not keep this member from taking over. */
  private void rehearse() {
    if (rehearsal == null && takeOvers == 0) {
      rehearsal = terms.rehearse();
    }
  }

  // The take-over.

  /** Takes over from the leader of the epoch that it follows; if that is over, it does not. */
  void takeOver() {
    LOG.info("takes over from epoch {}: {}", follower.epoch(), follower.whatIsHeld());
    state = State.TAKING_OVER;
    steps = new TakeOverSteps(follower.epoch(), now());
    follower.suspicion().attempted(now());
    tasks.then(
        follower.takeOver(term.listener()),
        (taken, failure) -> {
          if (state != State.TAKING_OVER) {
            if (taken != null) {
              taken.close();
            }
          } else if (failure == null) {
            lead(taken);
          } else {
            follower.hasNotTakenOver(failure);
            state = State.STANDBY;
            leadTrouble = troubleOf(failure);
          }
        });
  }

  private void lead(LedgerLog taken) {
    log = taken;
    log.writeAtMost(readVersion.newest());
    try {
      recovery.finish(settings.firstTimestamp().getAsLong());
    } catch (LogException e) {
      end(e);
      return;
    }
    CommitLog began = term.begin(taken, recovery.lastPosition());
    term.sequencer().startAfter(recovery, began, taken.times().fencedNanos());
    // The first entry is on its way. Its acknowledgement is a task of its own, behind this one.
    follower.leads(taken.epoch(), now());
    leadTrouble = null;
    announcer.names("");
    takeOvers++;
    state = State.LEADING;
    front.lead(term.sequencer(), announcer.role(true, now()));
    steps.led(taken.times(), now());
    LOG.info("leads in epoch {}", taken.epoch());
  }

  // The leader.

  private void leadOn(long now) {
    follower.suspicion().heard(now);
    log.writeAtMost(readVersion.newest());
    if (handOver != null) {
      handOver.tick();
    }
  }

  /** Replies of the sequencer that leads. */
  private final class TermReplies implements Sequencer.Replies {
    @Override
    public void durable(long position) {
      front.durable(position);
      if (!steps.areOver()) {
        steps.durable(term.sequencer().released() > 0, now());
      }
    }

    /** In a task of its own: the sequencer is in the middle of something. */
    @Override
    public void failed(LogException cause) {
      executor.execute(() -> deposed(cause));
    }
  }

  private void deposed(LogException cause) {
    if (state == State.LEADING) {
      LOG.warn("no longer leads in epoch {}: {}", follower.epoch(), cause.getMessage());
      leadTrouble = troubleOf(cause);
      announcer.names("");
      if (state == State.LEADING) {
        stepDown();
      }
    }
  }

  /**
   * Unless it handed over, the oracle may be ahead of the log: it is emptied, and the log read
   * again. Both take a while, so first all clients hear of it.
   */
  private void stepDown() {
    boolean hasLoggedAll = term.sequencer().hasLoggedAll();
    LedgerLog ended = log;
    if (handOver != null) {
      handOver.stop();
    }
    log.close();
    log = null;
    state = State.STANDBY;
    front.follow(announcer.role(false, now()));
    term = null;
    executor.execute(() -> standByAgain(hasLoggedAll, ended));
  }

  private void standByAgain(boolean hasLoggedAll, LedgerLog ended) {
    if (state == State.ENDED) {
      return;
    }
    if (hasLoggedAll) {
      follower.goOnBehind(ended);
    } else {
      follower.restart();
    }
    term = terms.next(replies);
    look(now()); // others are to know at once whether it is ready
    if (handOver != null) {
      CompletableFuture<Void> done = handOver.stoodBy();
      handOver = null;
      done.complete(null);
    }
  }

  /**
   * Hands over to a standby that is ready: that one is told, then nothing is taken any more, and
   * the log gets its end and is sealed.
   *
   * @return completes when this member is a standby; fails with an {@link IllegalStateException}
   *     that says why, if it does not hand over
   */
  public CompletableFuture<Void> handOver() {
    if (state != State.LEADING) {
      return refused("this server does not lead; " + announcer.role().whoLeads());
    }
    Optional<String> next = nextLeader();
    if (next.isEmpty()) {
      return refused("no standby is ready to take over");
    }
    if (term.sequencer().isStalled()) {
      return refused("the log cannot be appended to, so no standby could take it over");
    }
    if (handOver == null) {
      LOG.info("hands over to {}", next.get());
      Runnable names =
          () -> {
            announcer.names(next.get());
            front.update(announcer.role(true, now()));
          };
      handOver =
          new HandOver(store, log, front, tasks, threads.nanoClock(), names, this::handedOver);
    }
    return handOver.stoodBy();
  }

  private void handedOver() {
    follower.suspicion().holdOff(now(), HAND_OVER_NANOS);
    stepDown();
  }

  private static CompletableFuture<Void> refused(String why) {
    return CompletableFuture.failedFuture(new IllegalStateException(why));
  }

  /** The first of the others that are ready, and known to live: each has a connection to here. */
  private Optional<String> nextLeader() {
    return roster.members().stream()
        .filter(Roster.Entry::isReady)
        .map(Roster.Entry::address)
        .filter(address -> !follower.isOwn(address))
        .filter(address -> front.hears(LeaderWatch.clientName(address)))
        .findFirst();
  }

  // Failures.

  /**
   * What another attempt does not mend ends the server.
   *
   * @return the failure if it may pass; null if that is not to be waited for, as this member only
   *     was too slow
   */
  private LogException troubleOf(LogException failure) {
    LOG.debug("the log", failure);
    if (failure.getCause() instanceof Error error) { // this server's: futures hold it back
      executor.execute(() -> rethrow(error));
      return null;
    }
    switch (failure.reason()) {
      case CORRUPT, LOST, TOO_LARGE -> end(failure);
      case FENCED, GONE -> {}
      case UNAVAILABLE, NEWER, LOCKED -> {
        return failure;
      }
    }
    return null;
  }

  private static void rethrow(Error error) {
    throw error;
  }

  private void end(LogException failure) {
    if (state != State.ENDED) {
      close();
      front.failed(failure);
    }
  }

  /** It is about to be closed: takes over no more. A leader goes on until it is drained. */
  public void retire() {
    retiring = true;
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
    if (handOver != null) {
      handOver.stop();
    }
    state = State.ENDED;
    look(now());
    follower.close();
  }
}
