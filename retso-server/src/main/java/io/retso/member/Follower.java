package io.retso.member;

import io.retso.log.CommitLog;
import io.retso.log.LedgerLog;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.LogTail;
import io.retso.protocol.ServerRole;
import io.retso.sequencer.Recovery;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a member knows of the log and of its leader while it does not lead: it reads the log's tail,
 * learns from the catalog which server leads, and judges whether that one is gone.
 */
final class Follower {
  private static final Logger LOG = LoggerFactory.getLogger(Follower.class);

  /** A standby that has read nothing for so long is not ready: it cannot reach the log. */
  private static final long READ_NANOS_MAX = TimeUnit.SECONDS.toNanos(3);

  /**
   * A log that a later build wrote, or that takes another secret, is read again after so long: by
   * then that may be deleted, or the secret be there.
   */
  private static final long UNREADABLE_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final Member.Settings settings;
  private final LedgerStore store;
  private final LedgerLog.Threads threads;
  private final LoopTasks tasks;
  private final Recovery recovery;
  private final Roster roster;
  private final LeaderWatch watch;
  private final UnaryOperator<LogException> failures;
  private final Runnable news;
  private final Suspicion suspicion = new Suspicion();

  private LogTail tail;

  /** The poll whose end is awaited. */
  private CompletableFuture<Void> polled;

  /** The tail has shown everything that there was at some moment. */
  private boolean looked;

  private long readNanos;

  /** The last position at the tick before. */
  private long positionSeen;

  private FollowedLeader leader = FollowedLeader.unseen(0, "");

  /** Addresses of members, as the leader has told; those of the one before until it has. */
  private Set<String> named = Set.of();

  /** The take-over that is under way, or was the last, has begun its epoch. */
  private boolean entered;

  /** Why the log could not be read lately; null if it could. */
  private LogException trouble;

  private long failedNanos;

  /**
   * Makes one that has read nothing.
   *
   * @param recovery over an empty oracle
   * @param failures hears of each poll that fails, and says which of it is trouble; or null
   * @param news runs when the leader has said that it hands over, or its port is closed
   */
  Follower(
      Member.Settings settings,
      LedgerStore store,
      LedgerLog.Threads threads,
      Recovery recovery,
      Roster roster,
      LeaderWatch watch,
      UnaryOperator<LogException> failures,
      Runnable news) {
    this.settings = settings;
    this.store = store;
    this.threads = threads;
    this.tasks = new LoopTasks(threads.writer());
    this.recovery = recovery;
    this.roster = roster;
    this.watch = watch;
    this.failures = failures;
    this.news = news;
    begin();
  }

  private void begin() {
    tail = new LogTail(store, threads, settings.log(), recovery);
    polled = null;
    looked = false;
    leader = FollowedLeader.unseen(leader.epoch, leader.address);
    readNanos = now();
    trouble = null;
  }

  /** Forgets what this member knew of the log when it led, and reads it again. */
  void restart() {
    recovery.restart();
    begin();
  }

  /**
   * Goes on with what this member knew when it led. Its log, which it has written to the end, has
   * all of that, and reading it back would give the same oracle.
   */
  void goOnBehind(LedgerLog log) {
    recovery.goOnBehind(log.durable());
    begin();
    tail.goOnBehind(log);
    looked = true;
  }

  private long now() {
    return threads.nanoClock().getAsLong();
  }

  Suspicion suspicion() {
    return suspicion;
  }

  long epoch() {
    return leader.epoch;
  }

  /** The address of the leader of that epoch; empty if it is not known. */
  String leader() {
    return leader.address;
  }

  /** Why the log cannot be read; null if it can. */
  LogException trouble() {
    return trouble;
  }

  boolean isOwn(String address) {
    return address.equals(settings.address());
  }

  // Reading.

  /** Reads on. */
  void tick(long now) {
    if (!canRead() && now - failedNanos < UNREADABLE_NANOS) {
      return;
    }
    CompletableFuture<Void> polling = tail.poll();
    if (polling != polled) {
      polled = polling;
      LogTail reader = tail;
      boolean wasWarm = tail.isWarm();
      tasks.then(
          polling,
          (read, failure) -> {
            if (reader == tail) {
              read(wasWarm, failure);
            }
          });
    }
    if (tail.catalog() != null) {
      follow(tail.catalog(), now);
      if (looked && tail.hasReached(leader.ledger)) {
        leader.reached(recovery.lastPosition());
      }
    }
    if (looked) {
      recovery.proceed();
    }
    leader.silence.tick(now, recovery.lastPosition() != positionSeen, watch.hasAnswered());
    positionSeen = recovery.lastPosition();
    if (hears()) {
      suspicion.heard(now);
    } else if (suspects()) {
      tail.lookAtCatalog(); // another member may have begun its epoch by now
    }
    if (isReady(now)) {
      tail.prepareTakeOver();
    }
  }

  private void read(boolean wasWarm, LogException failure) {
    trouble = null;
    if (failure != null) {
      failedNanos = now();
      looked &= failure.reason() != LogException.Reason.GONE;
      trouble = failures.apply(failure);
      return;
    }
    looked = tail.isWarm() || !wasWarm; // otherwise it was too slow, and begins again
    readNanos = now();
  }

  /** Epochs only grow; what was read late says nothing. */
  private void follow(LedgerStore.Content catalog, long now) {
    if (catalog.epoch() < leader.epoch || leader.isOfCatalog && catalog.epoch() == leader.epoch) {
      return;
    }
    leader = FollowedLeader.of(catalog);
    suspicion.follows(leader.epoch, now);
    String address = leader.address;
    boolean isKnown = !isOwn(address) && ServerRole.isAddress(address);
    watch.watch(isKnown ? address : "", this::said, news);
    LOG.info("follows epoch {}, led by {}", leader.epoch, address.isEmpty() ? "none" : address);
  }

  /**
   * The leader's process has another role. It names its successor when it is about to hand over,
   * which concerns that one only, and when it has done so.
   */
  private void said(ServerRole role) {
    if (role.epoch() != leader.epoch) {
      return;
    }
    if (role.leads()) {
      named = Set.copyOf(role.members());
    } else {
      leader.hasEnded();
    }
    String next = role.leaderAddress();
    if (role.leads() ? isOwn(next) : !next.isEmpty()) {
      leader.names(next, role.leads());
      news.run();
    }
  }

  /** Whether a leader that lives names the member at this address, or is there itself. */
  boolean isNamedByItsLeader(String address) {
    return hears() && (named.contains(address) || address.equals(leader.address));
  }

  /** Whom it takes over from is not waited for any longer if it died, hangs, or does not end. */
  void awaitTheLeadersEnd(long now) {
    leader.silence.tick(now, false, watch.hasAnswered());
    if (watch.isGone() || leader.silence.isTooLong(true)) {
      leader.hasEnded();
    }
  }

  /** This member leads from now on. */
  void leads(long epoch, long now) {
    leader = FollowedLeader.unseen(epoch, settings.address());
    suspicion.follows(epoch, now);
    watch.watch("", role -> {}, () -> {});
    trouble = null;
  }

  /** Entries that it knows of and has not applied. */
  long entriesBehind() {
    return tail.entriesBehind();
  }

  /** Whether it has read the log, and can read it still. */
  boolean isReady(long now) {
    return looked && canRead() && tail.isWarm() && now - readNanos < READ_NANOS_MAX;
  }

  /** Whether this build, with the secret that it has, reads what it found in the log. */
  private boolean canRead() {
    return trouble == null
        || trouble.reason() != LogException.Reason.NEWER
            && trouble.reason() != LogException.Reason.LOCKED;
  }

  // Judging.

  /** Whether the leader that is followed has appended something. */
  private boolean isHeard() {
    return looked && leader.hasAppended(recovery.lastPosition());
  }

  /** Whether it hears a leader that does not seem to be gone. */
  boolean hears() {
    return isHeard() && !suspects();
  }

  /**
   * Whether the leader seems to be gone. If this member cannot read the log, it is not the leader
   * that is silent.
   */
  private boolean suspects() {
    if (!looked) {
      return false;
    }
    // Its own address says that it led in an earlier life, unless two servers have the same one.
    boolean nobodyLeads = leader.epoch == 0 || isOwn(leader.address) && !isHeard();
    return nobodyLeads
        || hasLeft()
        || watch.isGone()
        || trouble == null && leader.silence.isTooLong(isHeard());
  }

  /** What is held against the leader that is suspected, for people. */
  String whatIsHeld() {
    if (hasLeft()) {
      return "its leader hands over, or has ended";
    } else if (watch.isGone()) {
      return "no process listens at the port of its leader";
    } else {
      return leader.silence.isTooLong(isHeard())
          ? leader.silence.toString()
          : "no server leads in it";
    }
  }

  /** Whether the leader that is followed went of its own accord, or is about to. */
  private boolean hasLeft() {
    return !leader.successor().isEmpty() || recovery.hasEnded() && isHeard();
  }

  /** Whether it is time for this member to take over. What it cannot read it leaves to others. */
  boolean isDue(long now) {
    return looked && canRead() && suspicion.isDue(suspects(), hasLeft(), rank(), now);
  }

  /** How many are to try before: whom the leader has named, and those that are ready. */
  private int rank() {
    Stream<String> ready =
        roster.members().stream()
            .filter(Roster.Entry::isReady)
            .map(Roster.Entry::address)
            .filter(address -> isOwn(address) || !address.equals(leader.address));
    List<String> candidates =
        Stream.concat(Stream.of(leader.successor()).filter(named -> !named.isEmpty()), ready)
            .distinct()
            .toList();
    int own = candidates.indexOf(settings.address());
    return own < 0 ? candidates.size() : own;
  }

  /** Takes over in this epoch: from a leader that serves still as soon as it has ended. */
  CompletableFuture<LedgerLog> takeOver(CommitLog.Listener listener) {
    leader.silence.begin();
    entered = false;
    return tail.takeOver(
        listener,
        leader.epoch,
        () -> {
          entered = true;
          return leader.end();
        });
  }

  /** The take-over was in vain. */
  void hasNotTakenOver(LogException failure) {
    if (failure.reason() == LogException.Reason.FENCED && !entered) {
      suspicion.cameTooLate();
    }
  }

  void close() {
    tail.close();
    watch.close();
  }
}
