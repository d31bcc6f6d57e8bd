package io.retso.member;

import io.retso.log.CommitLog;
import io.retso.log.LedgerLog;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.LogTail;
import io.retso.protocol.ServerRole;
import io.retso.sequencer.Recovery;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a member knows of the log and of its leader while it does not lead: it reads the log's tail,
 * learns from the catalog who leads, and judges whether that one is gone.
 */
final class Follower {
  private static final Logger LOG = LoggerFactory.getLogger(Follower.class);

  /** A standby that has read nothing for so long is not ready: it cannot reach the log. */
  private static final long READ_NANOS_MAX = TimeUnit.SECONDS.toNanos(3);

  private static final long NO_LEDGER = -1;

  /** A log that a later build wrote is read again after so long: by then that may be deleted. */
  private static final long NEWER_NANOS = TimeUnit.MINUTES.toNanos(1);

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
  private final Silence silence = new Silence();

  private LogTail tail;

  /** The poll whose end is awaited. */
  private CompletableFuture<Void> polled;

  /** The tail has shown everything that there was at some moment. */
  private boolean looked;

  private long readNanos;

  /** The last position at the tick before. */
  private long positionSeen;

  /** The catalog was read since the log was last read from the beginning. */
  private boolean knowsLeader;

  private long epoch;
  private String leader = "";

  /** To whom that leader has handed over, by its own word; empty if it has not. */
  private String successor = "";

  /** In which the leader of this epoch began, or a later one of its ledgers. */
  private long ledgerOfEpoch;

  /** What is read now is of the leader of this epoch, and nobody before. */
  private boolean readsItsLedger;

  /** The last position when that was found out: what is behind it is of this leader. */
  private long positionBefore;

  /** That leader has named this member as its successor, and goes on for a moment. */
  private boolean servesStill;

  /** Completes when the leader that this member follows need not be let go on any longer. */
  private CompletableFuture<Void> leaderEnds = new CompletableFuture<>();

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
    knowsLeader = false;
    readsItsLedger = false;
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
    positionBefore = recovery.lastPosition();
  }

  private long now() {
    return threads.nanoClock().getAsLong();
  }

  Suspicion suspicion() {
    return suspicion;
  }

  long epoch() {
    return epoch;
  }

  /** The address of the leader of that epoch; empty if it is not known. */
  String leader() {
    return leader;
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
    if (!canRead() && now - failedNanos < NEWER_NANOS) {
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
      if (!readsItsLedger && tail.hasReached(ledgerOfEpoch)) {
        readsItsLedger = true;
        positionBefore = recovery.lastPosition();
      }
    }
    if (looked) {
      recovery.proceed();
    }
    silence.tick(now, recovery.lastPosition() != positionSeen, watch.hasAnswered());
    positionSeen = recovery.lastPosition();
    if (hears()) {
      suspicion.heard(now);
    } else if (suspects()) {
      tail.lookAtCatalog(); // another member may lead by now
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
    if (!looked) {
      positionBefore = recovery.lastPosition();
    }
    looked = tail.isWarm() || !wasWarm; // otherwise it was too slow, and begins again
    readNanos = now();
  }

  /** Epochs only grow; what was read late says nothing. */
  private void follow(LedgerStore.Content catalog, long now) {
    if (catalog.epoch() < epoch || knowsLeader && catalog.epoch() == epoch) {
      return;
    }
    knowsLeader = true;
    List<Long> ledgers = catalog.ledgers();
    ledgerOfEpoch = ledgers.isEmpty() ? NO_LEDGER : ledgers.get(ledgers.size() - 1);
    readsItsLedger = false;
    set(catalog.epoch(), catalog.leader(), now);
    boolean isKnown = !isOwn(leader) && ServerRole.isAddress(leader);
    watch.watch(isKnown ? leader : "", this::said, news);
    LOG.info("follows epoch {}, led by {}", epoch, leader.isEmpty() ? "nobody" : leader);
  }

  /**
   * The leader's process has another role. It names its successor when it is about to hand over,
   * which concerns that one only, and when it has done so.
   */
  private void said(ServerRole role) {
    if (role.epoch() != epoch) {
      return;
    }
    if (!role.leads()) {
      leaderEnds.complete(null);
    }
    String next = role.leaderAddress();
    if (role.leads() ? isOwn(next) : !next.isEmpty()) {
      successor = next;
      servesStill = role.leads();
      news.run();
    }
  }

  /** Whom it takes over from is not waited for any longer if it died, hangs, or does not end. */
  void awaitTheLeadersEnd(long now) {
    silence.tick(now, false, watch.hasAnswered());
    if (watch.isGone() || silence.isTooLong()) {
      leaderEnds.complete(null);
    }
  }

  private void set(long newEpoch, String newLeader, long now) {
    suspicion.follows(newEpoch, now);
    silence.begin();
    epoch = newEpoch;
    leader = newLeader;
    successor = "";
    servesStill = false;
  }

  /** This member leads from now on. */
  void leads(long newEpoch, long now) {
    set(newEpoch, settings.address(), now);
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

  /** Whether this build reads what it found in the log. */
  private boolean canRead() {
    return trouble == null || trouble.reason() != LogException.Reason.NEWER;
  }

  // Judging.

  /** Whether the leader that is followed has appended something. */
  private boolean isHeard() {
    return looked && readsItsLedger && recovery.lastPosition() > positionBefore;
  }

  /** Whether it hears a leader who does not seem to be gone. */
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
    boolean nobodyLeads = epoch == 0 || isOwn(leader) && !isHeard();
    return nobodyLeads || hasLeft() || watch.isGone() || trouble == null && silence.isTooLong();
  }

  /** Whether the leader that is followed went of its own accord, or is about to. */
  private boolean hasLeft() {
    return !successor.isEmpty() || recovery.hasEnded() && isHeard();
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
            .filter(address -> isOwn(address) || !address.equals(leader));
    List<String> candidates =
        Stream.concat(Stream.of(successor).filter(named -> !named.isEmpty()), ready)
            .distinct()
            .toList();
    int own = candidates.indexOf(settings.address());
    return own < 0 ? candidates.size() : own;
  }

  /** Takes over in this epoch: from a leader that serves still as soon as it has ended. */
  CompletableFuture<LedgerLog> takeOver(CommitLog.Listener listener) {
    silence.begin();
    leaderEnds = new CompletableFuture<>();
    if (!servesStill) {
      leaderEnds.complete(null);
    }
    return tail.takeOver(listener, epoch, leaderEnds);
  }

  void close() {
    tail.close();
    watch.close();
  }
}
