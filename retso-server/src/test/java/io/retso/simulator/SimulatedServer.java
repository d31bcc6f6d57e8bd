package io.retso.simulator;

import io.netty.buffer.ByteBuf;
import io.retso.front.Conversation;
import io.retso.front.Conversation.Progress;
import io.retso.front.FrontDesk;
import io.retso.log.CommitLog;
import io.retso.log.LedgerLog;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.Timestamps;
import io.retso.sequencer.Recovery;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.TimeLimit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** One life of a server: the production front, oracle, sequencer, log and recovery. */
final class SimulatedServer implements FrontDesk.Owner, FrontDesk.Loop {
  private static final long TICK = Simulation.MILLIS / 2;

  /** All are of one log. */
  private static final OracleIdentity ORACLE = new OracleIdentity(new UUID(1, 2), "simulated");

  private final World world;
  private final Simulation simulation;
  private final Set<Link> links = new LinkedHashSet<>();
  private final ArrayDeque<Runnable> background = new ArrayDeque<>();

  private boolean backgroundBusy;
  private boolean alive = true;
  private boolean serving;
  private long lastWriterTask;
  private long pausedUntil;
  private int epoch;
  private final FrontDesk desk;
  private Sequencer sequencer;
  private StatusOracle oracle;

  SimulatedServer(World world) {
    this.world = world;
    this.simulation = world.simulation();
    desk =
        world
            .parts()
            .frontDesk(
                new FrontDesk.Settings(
                    () -> ORACLE, () -> epoch, simulation::now, FrontDesk.Latencies.IGNORED),
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

  boolean isAlive() {
    return alive;
  }

  boolean isServing() {
    return alive && serving;
  }

  /** Grows with each take-over of the log; 0 before. */
  int epoch() {
    return epoch;
  }

  /** Takes the log over, recovers and serves; blocks. */
  void start() {
    try {
      Sizes sizes = world.sizes().resized(simulation.random());
      Parts parts = world.parts();
      sequencer = parts.sequencer(sizes, changes -> parts.oracle(sizes, changes), desk);
      oracle = sequencer.oracle();
      Recovery recovery = new Recovery(oracle);
      LedgerLog taken =
          LedgerLog.takeOver(
              new NotingStore(world.ledgers().store(this::isAlive)),
              new LedgerLog.Threads(this::onWriter, this::inBackground, simulation::now),
              sequencer,
              sizes.windowSpan(),
              parts.retentionNanos(),
              parts.replay(recovery));
      world.numbered(epoch, taken.epoch());
      parts.finish(recovery, sizes.firstTimestamp());
      if (world.isNewest(epoch)) {
        world.history().recovered(oracle);
      }
      CommitLog log = parts.log(taken);
      sequencer.start(log, recovery.lastPosition());
      desk.attach(sequencer, Sizes.BOUNDS);
      serving = true;
      tick(new TimeLimit(sequencer, sizes.timeLimit()));
      world.counted("servers");
    } catch (SimulatedLedgers.Killed e) {
      die();
    } catch (LogException e) {
      // Of one that was deposed meanwhile, the successor may delete what it reads.
      boolean wasDeposed = epoch != 0 && !world.isNewest(epoch);
      boolean lacksLedger = e.getMessage().contains("no ledger") && !wasDeposed;
      Violation.unless(
          e.reason() != LogException.Reason.CORRUPT && !lacksLedger,
          "a server cannot start: " + e.getMessage());
      die();
    }
  }

  private void tick(TimeLimit limit) {
    long low = oracle.windowLow();
    limit.tick(simulation.now());
    desk.tick();
    if (oracle.windowLow() > low) {
      world.counted("expiries");
    }
    if (simulation.oneIn(8)) { // a clock is ahead
      sequencer.passTo(oracle.nextTimestamp() + (1 + simulation.below(20)) * Timestamps.GAP);
      world.counted("stamps passed over");
    }
    simulation.after(simulation.delay(TICK), () -> whenAwake(() -> tick(limit)));
  }

  /** Notes the order of take-overs: that of their replacements of the catalog. */
  private final class NotingStore implements LedgerStore {
    private final LedgerStore store;

    NotingStore(LedgerStore store) {
      this.store = store;
    }

    @Override
    public Catalog readCatalog() throws LogException {
      return store.readCatalog();
    }

    @Override
    public Catalog replaceCatalog(Catalog expected, List<Long> ledgers) throws LogException {
      Catalog replaced = store.replaceCatalog(expected, ledgers);
      if (epoch == 0) {
        epoch = replaced.version();
        world.tookOver(epoch);
      }
      return replaced;
    }

    @Override
    public Ledger create() throws LogException {
      return store.create();
    }

    @Override
    public Entries openFenced(long ledger) throws LogException {
      return store.openFenced(ledger);
    }

    @Override
    public void delete(long ledger) throws LogException {
      store.delete(ledger);
    }

    @Override
    public void close() {
      store.close();
    }
  }

  private void onWriter(Runnable task) {
    lastWriterTask = Math.max(lastWriterTask, simulation.now() + simulation.delay(World.HAND_OVER));
    simulation.at(lastWriterTask, () -> whenAwake(task));
  }

  private void inBackground(Runnable task) {
    background.add(task);
    simulation.after(simulation.delay(World.HAND_OVER), () -> whenAwake(this::runBackground));
  }

  private void runBackground() {
    if (backgroundBusy || background.isEmpty() || !alive) {
      return;
    }
    backgroundBusy = true;
    try {
      background.poll().run();
    } catch (SimulatedLedgers.Killed e) {
      return;
    }
    backgroundBusy = false;
    simulation.after(simulation.delay(World.HAND_OVER), () -> whenAwake(this::runBackground));
  }

  /** SIGSTOP, and SIGCONT after a while: nothing of this process happens in between. */
  void pause(long duration) {
    pausedUntil = simulation.now() + duration;
    world.counted("pauses");
  }

  /** Runs an action of this process, once it is not paused, if it is alive then. */
  void whenAwake(Runnable action) {
    if (pausedUntil > simulation.now()) {
      simulation.at(pausedUntil, () -> whenAwake(action));
    } else if (alive) {
      action.run();
    }
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
    if (frame.type == FrameType.COMMIT) {
      low = oracle.windowLow(); // some of the frame may have been decided against a lower one
    }
    boolean[] marks = new boolean[frame.requests.size()];
    for (int i = 0; i < marks.length; i++) {
      Request request = frame.requests.get(i);
      marks[i] = world.table().hasMarks(request.start);
      Violation.unless(
          request.known() < next
              || world.parts().deposedServersMayBeStale() && !world.isNewest(epoch),
          frame.type
              + " "
              + next
              + " does not see "
              + request.known()
              + ", which was known before");
    }
    mayRefuse |= mayRefuse();
    frame.decided = new RequestFrame.Circumstances(epoch, low, next, marks, mayRefuse);
    if (sequencer.replyPosition() > sequencer.durable() && !frame.type.isLogged()) {
      counted("late reservations of " + frame.type);
    }
    return progress;
  }

  /** From half the limit of uncleaned commits on a client may have more than its share. */
  private boolean mayRefuse() {
    return oracle.uncleanedCommits() >= oracle.uncleanedMax() / 2;
  }

  /** A reply leaves this server. */
  void left(RequestFrame frame, ByteBuf reply, int index) {
    Violation.unless(frame != null, "a reply to nothing leaves");
    if (frame.type != FrameType.BEGIN && frame.type != FrameType.TIMESTAMP) {
      return;
    }
    long next = frame.decided.nextTimestamp();
    long first = reply.getLong(index + Frames.HEADER_BYTES);
    Violation.unless(first == next, first + " was issued, not " + next);
    world.history().issued(epoch, first, frame.type == FrameType.BEGIN ? frame.requests.size() : 1);
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
