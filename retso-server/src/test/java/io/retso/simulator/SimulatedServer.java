package io.retso.simulator;

import io.netty.buffer.ByteBuf;
import io.retso.front.Conversation;
import io.retso.front.Conversation.Progress;
import io.retso.front.FrontDesk;
import io.retso.log.LedgerLog;
import io.retso.log.LogException;
import io.retso.log.LogTail;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import io.retso.protocol.Timestamps;
import io.retso.sequencer.Recovery;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.TimeLimit;
import io.retso.server.ClockFollower;
import io.retso.simulator.SimulatedLedgers.Party;
import io.retso.simulator.SimulatedLedgers.Way;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** One life of a server: the production front, oracle, sequencer, log and recovery. */
final class SimulatedServer implements FrontDesk.Owner, FrontDesk.Loop, SimulatedLedgers.Process {
  private static final long TICK = Simulation.MILLIS / 2;
  private static final long POLL = Simulation.MILLIS;

  /** Clocks of two servers differ by at most one percent in rate. */
  private static final double DRIFT_MAX = 0.005;

  /** All are of one log. */
  private static final OracleIdentity ORACLE = new OracleIdentity(new UUID(1, 2), "simulated");

  /** As far as the clock itself goes between two ticks, in whole timestamps. */
  private static final long CLOCK_STEP = 4 * Timestamps.GAP;

  private final World world;
  private final Simulation simulation;
  private final Set<Link> links = new LinkedHashSet<>();

  private final Map<Party, Map<Way, Long>> cutOffUntil = new EnumMap<>(Party.class);
  private final Map<Way, long[]> cutOffFromBookieUntil = new EnumMap<>(Way.class);
  private final double clockRate;
  private long clockMillis;
  private Sizes ownSizes;
  private Recovery recovery;

  /** Null unless it is, or was, a standby. */
  private LogTail tail;

  private boolean standingBy;
  private boolean alive = true;
  private boolean serving;
  private long lastWriterTask;
  private long pausedUntil;

  /** For how long its monotonic clock stood still, and until when at last. */
  private long slept;

  private long sleptUntil;
  private long setBackAt;
  private int epoch;
  private long number;
  private long stalls;
  private final FrontDesk desk;
  private Sequencer sequencer;
  private StatusOracle oracle;

  SimulatedServer(World world) {
    this.world = world;
    this.simulation = world.simulation();
    double drift = simulation.oneIn(2) ? 1 : simulation.random().nextDouble();
    clockRate = 1 + (simulation.oneIn(2) ? drift : -drift) * DRIFT_MAX;
    setBackAt = -World.ASLEEP_MAX;
    sleptUntil = -World.ASLEEP_MAX;
    for (Party party : Party.values()) {
      cutOffUntil.put(party, new EnumMap<>(Way.class));
    }
    for (Way way : Way.values()) {
      cutOffFromBookieUntil.put(way, new long[SimulatedLedgers.BOOKIES]);
    }
    desk =
        new FrontDesk(
            new FrontDesk.Settings(
                () -> ORACLE, simulation::now, FrontDesk.Latencies.IGNORED, Sizes.BOUNDS),
            this,
            this);
  }

  @Override
  public void atEndOfTurn(Runnable task) {
    // Now and then there is a great deal to read in a turn.
    long typical = simulation.oneIn(10) ? 50 * World.HAND_OVER : World.HAND_OVER;
    simulation.after(simulation.delay(typical), () -> whenAwake(task));
  }

  @Override
  public void inNextTurn(Runnable task) {
    world.counted("waits for a turn");
    simulation.after(simulation.delay(10 * World.HAND_OVER), () -> whenAwake(task));
  }

  @Override
  public boolean isAlive() {
    return alive;
  }

  boolean isServing() {
    return alive && serving;
  }

  /** Grows with each take-over of the log; 0 before. */
  int epoch() {
    return epoch;
  }

  /** What its clients learn of its take-over. */
  long number() {
    return number;
  }

  /** Its monotonic clock, which goes at a rate of its own, and not while its machine sleeps. */
  private long nanos() {
    return (long) ((simulation.now() - slept) * clockRate);
  }

  private long wallMillis() {
    return clockMillis + simulation.now() / Simulation.MILLIS;
  }

  private void make() {
    ownSizes = world.sizes().resized(simulation.random());
    sequencer =
        new Sequencer(ownSizes.sequencer(this::nanos, this::wallMillis), ownSizes::oracle, desk);
    oracle = sequencer.oracle();
    recovery = new Recovery(oracle);
  }

  private LedgerLog.Threads threads() {
    return new LedgerLog.Threads(this::onWriter, this::nanos);
  }

  private LedgerLog.Settings logSettings() {
    return new LedgerLog.Settings(ownSizes.windowSpan(), World.ZOMBIE_LIFE_MAX, "");
  }

  /** Begins to take the log over; recovers and serves when that is done. */
  void start() {
    make();
    serveWhenTaken(
        LedgerLog.takeOver(
            world.ledgers().store(this), threads(), sequencer, logSettings(), recovery));
  }

  /** Follows the log until it is told to take it over. */
  void standBy() {
    make();
    standingBy = true;
    tail = new LogTail(world.ledgers().store(this), threads(), logSettings(), recovery);
    poll();
  }

  boolean isStandingBy() {
    return alive && standingBy;
  }

  private void poll() {
    if (!standingBy) {
      return;
    }
    tail.poll()
        .whenComplete(
            (polled, e) ->
                simulation.after(
                    simulation.delay(POLL),
                    () ->
                        whenAwake(
                            () -> {
                              mustBeNoDamage(e);
                              poll();
                            })));
  }

  private void mustBeNoDamage(Throwable e) {
    if (e != null) {
      LogException failure = LogException.of(e);
      world.counted("polls that failed: " + failure.reason());
      Violation.unless(
          failure.reason() != LogException.Reason.CORRUPT
              && !failure.getMessage().contains("unexpected"),
          "a standby cannot read: " + failure.getMessage());
    }
  }

  /** The standby takes the log over from where it is. */
  void takeOver() {
    standingBy = false;
    world.counted(tail.isWarm() ? "warm take-overs" : "take-overs of a cold standby");
    serveWhenTaken(tail.takeOver(sequencer));
  }

  private void serveWhenTaken(CompletableFuture<LedgerLog> takeOver) {
    takeOver.whenComplete(
        // An event of its own: a future would swallow what the judge throws.
        (taken, e) ->
            simulation.after(
                0, () -> whenAwake(e == null ? () -> serve(taken) : () -> notStarted(e))));
  }

  private void serve(LedgerLog taken) {
    Sizes sizes = ownSizes;
    number = taken.epoch();
    world.numbered(epoch, number);
    try {
      recovery.finish(sizes.firstTimestamp());
    } catch (LogException e) {
      notStarted(e);
      return;
    }
    if (world.isNewest(epoch)) {
      world.history().recovered(oracle);
    }
    clockMillis += sizes.firstTimestamp();
    if (recovery.hasWriter()) {
      sequencer.startBehind(taken, recovery.lastPosition(), taken.fencedNanos());
    } else {
      sequencer.start(taken, recovery.lastPosition());
    }
    desk.lead(sequencer, ServerRole.alone(number));
    serving = true;
    world.leads(this);
    TimeLimit limit = new TimeLimit(sequencer, sizes.timeLimit());
    tick(limit, new ClockFollower(sequencer, limit));
    world.counted("servers");
  }

  private void notStarted(Throwable cause) {
    LogException e = LogException.of(cause);
    // Of one that was deposed meanwhile, the successor may delete what it reads.
    boolean wasDeposed = epoch != 0 && !world.isNewest(epoch);
    boolean lacksLedger = e.getMessage().contains("no ledger") && !wasDeposed;
    Violation.unless(
        e.reason() != LogException.Reason.CORRUPT
            && !lacksLedger
            && !e.getMessage().contains("unexpected"),
        "a server cannot start: " + e.getMessage());
    world.counted("not started: " + e.reason());
    die();
  }

  /** Notes the order of take-overs: that of their replacements of the catalog. */
  @Override
  public void tookOver(int version) {
    epoch = version;
    world.tookOver(epoch);
  }

  private void tick(TimeLimit limit, ClockFollower clock) {
    long low = oracle.windowLow();
    limit.tick(simulation.now());
    desk.tick();
    desk.beat();
    if (oracle.windowLow() > low) {
      world.counted("expiries");
    }
    for (; stalls < sequencer.counters().stalls; stalls++) {
      world.counted("stalls of the log");
    }
    if (simulation.oneIn(4)) {
      follow(limit, clock);
    }
    simulation.after(simulation.delay(TICK), () -> whenAwake(() -> tick(limit, clock)));
  }

  /** Whatever the clock does, what is not too old stays open, but for a step of the clock's own. */
  private void follow(TimeLimit limit, ClockFollower clock) {
    long next = oracle.nextTimestamp();
    long low = oracle.windowLow();
    clock.tick(wallMillis());
    if (oracle.nextTimestamp() > next) {
      world.counted("timestamps followed the clock");
    }
    Violation.unless(
        oracle.windowLow() <= Math.max(limit.tooOldBelow(), low + CLOCK_STEP),
        "the clock aborted what started between " + low + " and " + oracle.windowLow());
  }

  /** Its clock is set forward or back, by a little or by hours. */
  void setClock(long byMillis) {
    if (byMillis < 0) {
      if (simulation.now() - sleptUntil < World.ASLEEP_MAX) {
        return; // a machine that slept and whose clock is set back at once is excused
      }
      setBackAt = simulation.now();
    }
    clockMillis += byMillis;
    world.counted(byMillis > 0 ? "clocks set forward" : "clocks set back");
  }

  private void onWriter(Runnable task) {
    lastWriterTask = Math.max(lastWriterTask, simulation.now() + simulation.delay(World.HAND_OVER));
    simulation.at(lastWriterTask, () -> whenAwake(task));
  }

  /** SIGSTOP, and SIGCONT after a while: nothing of this process happens in between. */
  void pause(long duration) {
    pausedUntil = Math.max(pausedUntil, simulation.now() + duration);
    world.counted("pauses");
  }

  /** Its machine sleeps: nothing happens, either, and the monotonic clock stands still. */
  void sleep(long duration) {
    if (pausedUntil > simulation.now() || simulation.now() - setBackAt < World.ASLEEP_MAX) {
      return;
    }
    pause(duration);
    slept += duration;
    sleptUntil = pausedUntil;
    world.counted("sleeps");
  }

  /** Whoever it is cut off from hears nothing of it, nor it of them, until a time. */
  void cutOff(Party party, long duration) {
    cutOff(party, Way.IN, duration);
    cutOff(party, Way.OUT, duration);
    world.counted("cut off from " + party);
  }

  /** The same in one direction. */
  void cutOff(Party party, Way way, long duration) {
    cutOffUntil.get(party).merge(way, simulation.now() + duration, Math::max);
  }

  /** From one bookie. */
  void cutOff(int bookie, Way way, long duration) {
    long[] until = cutOffFromBookieUntil.get(way);
    until[bookie] = Math.max(until[bookie], simulation.now() + duration);
  }

  boolean isCutOff() {
    return Stream.of(Party.values()).anyMatch(this::isCutOff);
  }

  boolean isCutOff(Party party) {
    return cutOffUntil.get(party).values().stream().anyMatch(until -> until > simulation.now());
  }

  @Override
  public long cutOffUntil(Party party, Way way) {
    return cutOffUntil.get(party).getOrDefault(way, 0L);
  }

  @Override
  public long cutOffUntil(int bookie, Way way) {
    return cutOffFromBookieUntil.get(way)[bookie];
  }

  /** Runs an action of this process, once it is not paused, if it is alive then. */
  @Override
  public void whenAwake(Runnable action) {
    if (pausedUntil > simulation.now()) {
      simulation.at(pausedUntil, () -> whenAwake(action));
    } else if (alive) {
      action.run();
    }
  }

  /** Stops as an operator wants it; if the log hangs it is killed after a while. */
  void stop() {
    if (serving) {
      world.counted("stopped cleanly");
      desk.drain().thenRun(() -> simulation.after(0, () -> whenAwake(this::die)));
    }
    simulation.after(World.ZOMBIE_LIFE_MAX, this::die);
  }

  /** kill -9: from one moment to the next. */
  void die() {
    alive = false;
    new ArrayList<>(links).forEach(Link::cut);
  }

  Conversation accept(Link link) {
    links.add(link);
    return desk.open(link, link.client);
  }

  void forget(Link link) {
    links.remove(link);
  }

  /** Has the production front take a frame, and notes for the judge what was true then. */
  Progress take(Conversation conversation, ByteBuf unread, RequestFrame frame)
      throws FrameException {
    long low = oracle.windowLow();
    long next = oracle.nextTimestamp();
    boolean mayRefuse = mayRefuse();
    Progress progress = conversation.take(unread);
    if (progress != Progress.TAKEN) {
      return progress;
    }
    if (frame.type.isCommit()) {
      low = oracle.windowLow(); // some of the frame may have been decided against a lower one
    }
    boolean[] marks = new boolean[frame.count];
    for (int i = 0; i < marks.length; i++) {
      marks[i] = world.table().hasMarks(frame.starts[i]);
    }
    mayRefuse |= mayRefuse();
    frame.decided =
        new RequestFrame.Circumstances(epoch, world.isNewest(epoch), low, next, marks, mayRefuse);
    frame.putOff = isStart(frame) && oracle.nextTimestamp() == next;
    if (frame.putOff) {
      counted("starts that wait for others");
    }
    if (sequencer.replyPosition() > sequencer.durable() && !frame.type.isLogged()) {
      counted("late answers to " + frame.type);
    }
    return progress;
  }

  /** From half the limit of uncleaned commits on a client may have more than its share. */
  private boolean mayRefuse() {
    return oracle.uncleanedCommits() >= oracle.uncleanedMax() / 2;
  }

  private static boolean isStart(RequestFrame frame) {
    return frame.type == FrameType.BEGIN || frame.type == FrameType.TIMESTAMP;
  }

  /** A reply leaves this server. */
  void left(RequestFrame frame, ByteBuf reply, int index) {
    Violation.unless(frame != null, "a reply to nothing leaves");
    if (frame.type == FrameType.SAFE) {
      world.history().safeSnapshot(epoch, reply.getLong(index + Frames.HEADER_BYTES));
    }
    if (!isStart(frame)) {
      return;
    }
    long next = frame.decided.nextTimestamp();
    long first = reply.getLong(index + Frames.HEADER_BYTES);
    Violation.unless(
        frame.putOff ? first >= next : first == next, first + " was issued, not " + next);
    world
        .history()
        .issued(
            epoch,
            first,
            frame.type == FrameType.BEGIN ? frame.count : 1,
            frame.decided.isNewest() ? 0 : number);
  }

  void counted(String what) {
    world.counted(what);
  }

  @Override
  public void logFailed(LogException cause) {
    world.counted("stopped: " + cause.reason());
    die();
  }

  /** No error is expected: whatever it is, it is a finding. */
  @Override
  public void stopped(Throwable cause) {
    if (cause instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) cause;
  }
}
