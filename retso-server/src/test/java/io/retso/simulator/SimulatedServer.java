package io.retso.simulator;

import io.netty.buffer.ByteBuf;
import io.retso.front.Conversation;
import io.retso.front.Conversation.Progress;
import io.retso.front.ForwardingFront;
import io.retso.front.FrontDesk;
import io.retso.front.TestTickets;
import io.retso.log.LedgerLog;
import io.retso.log.LogException;
import io.retso.member.LeaderWatch;
import io.retso.member.Member;
import io.retso.member.Roster;
import io.retso.member.Term;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.SharedOracle;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** One life of a server: the production member, front, oracle, sequencer, log and recovery. */
final class SimulatedServer extends SimulatedProcess
    implements FrontDesk.Owner, FrontDesk.Loop, Term.Maker {
  private static final long TICK = Simulation.MILLIS / 2;

  /** All are of one log. */
  private static final OracleIdentity ORACLE = new OracleIdentity(new UUID(1, 2), "simulated");

  private final World world;
  private final Simulation simulation;
  private final String address;
  private final Set<Link> links = new LinkedHashSet<>();
  private final Sizes sizes;
  private final SharedOracle oracle;
  private final FrontDesk desk;
  private final Roster roster;
  private final PortWatch watch;
  private final Member member;

  /** The term in which it leads; null in a standby. */
  private SimulatedTerm term;

  private int epoch;

  /** It replaced the catalog, and the take-over is not over. */
  private boolean hasEntered;

  private long number;

  /** A hand-over or a stop is what ends its term. */
  private boolean leaves;

  /** Starts a standby that has read nothing. */
  SimulatedServer(World world, String address, Sizes sizes) {
    super(world, sizes.firstTimestamp());
    this.world = world;
    this.simulation = world.simulation();
    this.address = address;
    this.sizes = sizes;
    oracle = new SharedOracle(sizes::oracle);
    desk = new FrontDesk(TestTickets.settings(ORACLE, simulation::now, Sizes.BOUNDS), this, this);
    roster = world.registry().connect(this);
    watch = new PortWatch(world, this);
    LedgerLog.Settings log =
        new LedgerLog.Settings(sizes.windowSpan(), CLOCK_SPEED * Cluster.ZOMBIE_LIFE_MAX, address);
    member =
        new Member(
            new Member.Settings(address, address, log, sizes::firstTimestamp),
            world.ledgers().store(this),
            new LedgerLog.Threads(this::execute, this::nanos),
            oracle.oracle(),
            this,
            new Entrance(),
            roster,
            watch);
    tick();
  }

  @Override
  public Term next(Sequencer.Replies replies) {
    Sequencer sequencer =
        new Sequencer(sizes.sequencer(this::nanos, this::wallMillis), oracle, replies);
    return new SimulatedTerm(world, this, sequencer, sizes.timeLimit());
  }

  @Override
  public void atEndOfTurn(Runnable task) {
    // Now and then there is a great deal to read in a turn.
    long typical = simulation.oneIn(10) ? 50 * World.TASK_DELAY : World.TASK_DELAY;
    simulation.after(simulation.delay(typical), () -> whenAwake(task));
  }

  @Override
  public void inNextTurn(Runnable task) {
    world.counted("waits for a turn");
    simulation.after(simulation.delay(10 * World.TASK_DELAY), () -> whenAwake(task));
  }

  PortWatch watch() {
    return watch;
  }

  String address() {
    return address;
  }

  boolean isServing() {
    return isAlive() && term != null;
  }

  /** It leads, or is about to. */
  boolean isInOffice() {
    return term != null || member.view().state() == Member.State.TAKING_OVER;
  }

  /** That of its last take-over: grows with each one of the log; 0 before. */
  int epoch() {
    return epoch;
  }

  /** What its clients learn of its take-over. */
  long number() {
    return number;
  }

  // The member.

  private void tick() {
    member.tick();
    if (hasEntered && !isInOffice()) {
      hasEntered = false;
      world.counted("take-overs that failed");
      mustBeExpected(member.view().trouble());
    }
    if (term != null) {
      term.tick();
      desk.tick();
      desk.beat();
    }
    // It stands still now and then, which counts as a fault: others may have to suspect it.
    long pause = world.isDraining() ? TICK : simulation.delay(TICK);
    simulation.after(pause, () -> whenAwake(this::tick));
  }

  /** Its epoch stands in the catalog, and it failed to begin it. */
  private void mustBeExpected(LogException trouble) {
    Violation.unless(
        trouble == null || !trouble.getMessage().contains("unexpected"),
        () -> "a server cannot take over: " + trouble.getMessage());
  }

  /** Notes the order of take-overs: that of their replacements of the catalog. */
  @Override
  public void tookOver(int version) {
    epoch = version;
    hasEntered = true;
    world.cluster().tookOver(epoch);
  }

  /** A take-over is complete, and nothing served. */
  void begins(SimulatedTerm begun, long logEpoch) {
    term = begun;
    hasEntered = false;
    number = logEpoch;
    world.cluster().numbered(epoch, number);
    world.cluster().began(epoch);
    if (world.cluster().isNewest(epoch)) {
      world.history().recovered(oracle.oracle());
    }
  }

  /** The front desk, and what the world learns. */
  private final class Entrance extends ForwardingFront {
    Entrance() {
      super(desk);
    }

    @Override
    public void lead(Sequencer sequencer, ServerRole role) {
      super.lead(sequencer, role);
      world.cluster().said(address, role);
      world.counted("terms");
      world.leads(SimulatedServer.this);
    }

    @Override
    public void follow(ServerRole role) {
      term = null;
      world.counted(leaves ? "left" : "deposed");
      leaves = false;
      super.follow(role);
      world.cluster().said(address, role);
      links.stream().filter(link -> link.client.isBehindBalancer()).toList().forEach(Link::cut);
    }

    @Override
    public void update(ServerRole role) {
      super.update(role);
      world.cluster().said(address, role);
    }

    @Override
    public boolean hears(String clientName) {
      return world.cluster().servers().stream()
          .filter(server -> server.watch.watches(address))
          .anyMatch(server -> LeaderWatch.clientName(server.address).equals(clientName));
    }
  }

  /** As an operator wants it. */
  void handOver() {
    CompletableFuture<Void> done = member.handOver();
    leaves |= !done.isCompletedExceptionally();
    done.whenComplete((over, e) -> world.counted(e == null ? "handed over" : "not handed over"));
  }

  /** Stops as an operator wants it; if the log hangs it is killed after a while. */
  void stop() {
    if (isServing()) {
      world.counted("stopped cleanly");
    }
    leaves = true;
    member.retire();
    desk.drain().thenRun(() -> simulation.after(0, () -> whenAwake(this::leave)));
    simulation.after(Cluster.ZOMBIE_LIFE_MAX, this::die);
  }

  private void leave() {
    member.close();
    roster.close();
    die();
  }

  @Override
  void die() {
    if (isAlive()) {
      super.die();
      world.cluster().died(this);
      new ArrayList<>(links).forEach(Link::cut);
    }
  }

  @Override
  public void logFailed(LogException cause) {
    Violation.unless(
        cause.reason() == LogException.Reason.TOO_LARGE,
        () -> "a server cannot go on: " + cause.getMessage());
    world.counted("ended: " + cause.reason());
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

  // Clients.

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
    if (term == null) {
      return conversation.take(unread); // and send it back
    }
    StatusOracle theOracle = oracle.oracle();
    long low = theOracle.windowLow();
    long next = theOracle.nextTimestamp();
    boolean mayRefuse = mayRefuse();
    Progress progress = conversation.take(unread);
    if (progress != Progress.TAKEN) {
      return progress;
    }
    if (frame.type.isCommit()) {
      low = theOracle.windowLow(); // some of the frame may have been decided against a lower one
    }
    boolean[] marks = new boolean[frame.count];
    for (int i = 0; i < marks.length; i++) {
      marks[i] = world.table().hasMarks(frame.starts[i]);
    }
    mayRefuse |= mayRefuse();
    frame.decided =
        new RequestFrame.Circumstances(
            epoch, number, world.cluster().isNewest(epoch), low, next, marks, mayRefuse);
    frame.putOff = isStart(frame) && theOracle.nextTimestamp() == next;
    if (frame.putOff) {
      world.counted("starts that wait for others");
    }
    Sequencer sequencer = term.sequencer();
    if (sequencer.replyPosition() > sequencer.durable() && !frame.type.isLogged()) {
      world.counted("late answers to " + frame.type);
    }
    return progress;
  }

  /** From half the limit of uncleaned commits on a client may have more than its share. */
  private boolean mayRefuse() {
    return oracle.oracle().uncleanedCommits() >= oracle.oracle().uncleanedMax() / 2;
  }

  private static boolean isStart(RequestFrame frame) {
    return frame.type == FrameType.BEGIN || frame.type == FrameType.TIMESTAMP;
  }

  /** A reply leaves this server. */
  void left(RequestFrame frame, ByteBuf reply, int index) {
    Violation.unless(frame != null && frame.decided != null, "a reply to nothing leaves");
    RequestFrame.Circumstances then = frame.decided;
    if (frame.type == FrameType.SAFE) {
      world.history().safeSnapshot(then.epoch(), reply.getLong(index + Frames.HEADER_BYTES));
    }
    if (!isStart(frame)) {
      return;
    }
    long next = then.nextTimestamp();
    long first = reply.getLong(index + Frames.HEADER_BYTES);
    Violation.unless(
        frame.putOff ? first >= next : first == next, first + " was issued, not " + next);
    int count = frame.type == FrameType.BEGIN ? frame.count : 1;
    world.history().issued(then.epoch(), first, count, then.isNewest() ? 0 : then.number());
  }

  @Override
  public String toString() {
    return address
        + ", "
        + member.view()
        + (term == null ? "" : ", stalled: " + term.sequencer().stall());
  }
}
