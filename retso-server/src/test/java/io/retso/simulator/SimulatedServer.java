package io.retso.simulator;

import io.retso.log.CommitLog;
import io.retso.log.LedgerLog;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.oracle.CommitBatch;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Timestamps;
import io.retso.sequencer.Recovery;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.TimeLimit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * One life of a server: the production oracle, sequencer, log and recovery behind a front that
 * follows the rules of the real one (frames wait while the log is full, replies wait for their
 * position, bursts end with a flush).
 */
final class SimulatedServer implements Sequencer.Replies {
  private static final long TICK = Simulation.MILLIS / 2;

  private final World world;
  private final Simulation simulation;
  private final CommitBatch batch = new CommitBatch(Sizes.TRANSACTION_ROWS);
  private final Set<Link> links = new LinkedHashSet<>();
  private final Set<Link> waiting = new LinkedHashSet<>();
  private final ArrayDeque<Runnable> background = new ArrayDeque<>();

  private boolean backgroundBusy;
  private boolean alive = true;
  private boolean serving;
  private boolean flushScheduled;
  private long lastWriterTask;
  private long pausedUntil;
  private long lastIssued;
  private int epoch;
  private Sequencer sequencer;
  private StatusOracle oracle;

  SimulatedServer(World world) {
    this.world = world;
    this.simulation = world.simulation();
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
      sequencer = parts.sequencer(sizes, changes -> parts.oracle(sizes, changes), this);
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

  void accept(Link link) {
    links.add(link);
  }

  void forget(Link link) {
    links.remove(link);
    waiting.remove(link);
  }

  void waitForLog(Link link) {
    waiting.add(link);
    world.counted("waits for the log");
  }

  long durable() {
    return sequencer.durable();
  }

  /** Takes a frame of requests of one kind, or refuses because the log has no room. */
  boolean take(Link link, List<Request> frame) {
    int bytes = 12 + frame.stream().mapToInt(Request::bytes).sum();
    if (!sequencer.canTake(bytes)) {
      return false;
    }
    Request.Kind kind = frame.get(0).kind;
    if (kind == Request.Kind.BEGIN) {
      begin(link, frame);
    } else if (kind == Request.Kind.EXTEND) {
      extend(link, frame);
    } else {
      long position =
          kind == Request.Kind.STATUS || kind == Request.Kind.WATERMARK
              ? sequencer.queryPosition()
              : sequencer.position();
      List<Answer> answers = new ArrayList<>();
      if (kind == Request.Kind.COMMIT) {
        commit(frame, answers);
      } else {
        for (Request request : frame) {
          answers.add(decide(request));
        }
      }
      link.hold(false, position, () -> link.reply(frame, answers));
    }
    scheduleFlush();
    return true;
  }

  private void begin(Link link, List<Request> frame) {
    long first = sequencer.begin(frame.size());
    Violation.unless(first > lastIssued, first + " follows " + lastIssued);
    lastIssued = first + (frame.size() - 1L) * Timestamps.GAP;
    long position = sequencer.startsPosition();
    List<Answer> answers = new ArrayList<>();
    for (int i = 0; i < frame.size(); i++) {
      long start = first + (long) i * Timestamps.GAP;
      Violation.unless(
          start > frame.get(i).start || !world.isNewest(epoch),
          "start " + start + " does not see " + frame.get(i).start + ", which was known before");
      answers.add(new Answer(start, epoch, 0, false, false));
    }
    if (position > durable()) {
      world.counted("late reservations");
    }
    link.hold(
        true,
        position,
        () -> {
          world.history().issued(epoch, first, frame.size());
          link.reply(frame, answers);
        });
  }

  private void extend(Link link, List<Request> frame) {
    long stamp = sequencer.extension();
    Violation.unless(stamp > lastIssued, stamp + " follows " + lastIssued);
    lastIssued = stamp;
    fill(frame);
    sequencer.extend(batch, stamp);
    List<Answer> answers = new ArrayList<>();
    for (int i = 0; i < frame.size(); i++) {
      Request request = frame.get(i);
      Violation.unless(
          stamp > Math.max(request.start, request.reader) || !world.isNewest(epoch),
          stamp + " does not see " + request.reader + ", which was known before");
      answers.add(new Answer(batch.outcome(i), epoch, 0, false, false));
    }
    batch.clear();
    long position = sequencer.extensionPosition();
    if (position > durable()) {
      world.counted("late extensions");
    }
    link.hold(
        true,
        position,
        () -> {
          world.history().issued(epoch, stamp, 1);
          link.reply(frame, answers);
        });
  }

  private Answer decide(Request request) {
    // Before the decision: it may move the window, or count one uncleaned commit more or less.
    long low = oracle.windowLow();
    long outcome =
        switch (request.kind) {
          case STATUS -> sequencer.status(request.start, request.reader);
          case ABORT -> sequencer.abort(request.start);
          case WATERMARK -> sequencer.lowWatermark();
          case SWEPT -> sequencer.swept(request.start);
          default -> sequencer.cleaned(request.start);
        };
    return new Answer(outcome, epoch, low, world.table().hasMarks(request.start), false);
  }

  private void fill(List<Request> frame) {
    for (Request request : frame) {
      if (!batch.hasRoomFor(request.rows.length)) {
        throw new IllegalStateException("frames are small");
      }
      int at = batch.add(request.start, request.repeat, request.rows.length);
      System.arraycopy(request.rows, 0, batch.rows(), at, request.rows.length);
    }
  }

  private void commit(List<Request> frame, List<Answer> answers) {
    fill(frame);
    sequencer.commit(batch);
    long low = oracle.windowLow(); // some of the batch may have been decided against a lower one
    boolean full = oracle.uncleanedCommits() >= world.sizes().uncleanedCommits();
    for (int i = 0; i < batch.size(); i++) {
      boolean marks = world.table().hasMarks(frame.get(i).start);
      answers.add(new Answer(batch.outcome(i), epoch, low, marks, full));
    }
    batch.clear();
  }

  private void scheduleFlush() {
    if (!flushScheduled) {
      flushScheduled = true;
      simulation.after(
          simulation.delay(World.HAND_OVER),
          () ->
              whenAwake(
                  () -> {
                    flushScheduled = false;
                    sequencer.flush();
                  }));
    }
  }

  @Override
  public void durable(long position) {
    new ArrayList<>(links).forEach(Link::release);
    List<Link> resumed = new ArrayList<>(waiting);
    waiting.clear();
    resumed.forEach(Link::takeFrames);
  }

  @Override
  public void failed(LogException cause) {
    world.counted("stopped: " + cause.reason());
    die();
  }
}
