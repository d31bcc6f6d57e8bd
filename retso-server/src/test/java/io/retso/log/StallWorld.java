package io.retso.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.protocol.Timestamps;
import io.retso.simulator.SimulatedLedgers;
import io.retso.simulator.SimulatedLedgers.Party;
import io.retso.simulator.SimulatedLedgers.Way;
import io.retso.simulator.Simulation;
import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writers and standbys of one log whose ledgers fail all the time, beside a naive model: the value
 * that each position was given, and which of them somebody was told to be durable.
 */
final class StallWorld {
  private static final long SPAN = 40L * Timestamps.GAP;
  private static final long TICK = 200 * Simulation.MICROS;
  private static final long RETENTION = 50 * Simulation.MILLIS;

  private static final LogEntry.Visitor NOTHING = new IgnoringVisitor();

  final Simulation simulation;
  final SimulatedLedgers ledgers;
  final Map<String, Integer> counts = new HashMap<>();

  /** Told to be durable by anybody, by position. */
  private final TreeMap<Long, Long> acknowledged = new TreeMap<>();

  /** The server that began an epoch last. */
  private Member newest;

  private long nextValue = 1;
  private long timestamp = Timestamps.GAP;

  StallWorld(long seed) {
    simulation = new Simulation(seed);
    ledgers =
        new SimulatedLedgers(
            simulation,
            new SimulatedLedgers.Behaviour(
                20 * Simulation.MICROS,
                20 * Simulation.MICROS,
                100 * Simulation.MICROS,
                8 * Simulation.MILLIS,
                60),
            bytes -> {});
  }

  private void count(String what) {
    counts.merge(what, 1, Integer::sum);
  }

  /** A process that writes the log, or reads it until it does. */
  final class Member implements CommitLog.Listener, LedgerLog.Replay, SimulatedLedgers.Process {
    private static final int IN_FLIGHT = 4;

    private final Map<Party, Long> cutOff = new EnumMap<>(Party.class);

    /** The way that is not cut; null if both are. */
    private final Map<Party, Way> open = new EnumMap<>(Party.class);

    private final LedgerStore store = ledgers.store(this);
    private final LedgerLog.Threads threads = new LedgerLog.Threads(this::run, simulation::now);
    private final LedgerLog.Settings settings = new LedgerLog.Settings(SPAN, RETENTION, "");
    private final TreeMap<Long, Long> shown = new TreeMap<>();
    private final TreeMap<Long, ByteBuffer> outstanding = new TreeMap<>();
    private final LogTail tail = new LogTail(store, threads, settings, this);
    private LedgerLog log;
    private boolean alive = true;
    private boolean stalled;
    private boolean over;
    private boolean rolling;
    private boolean rolls = true;
    private boolean leads;
    private long position;
    private long durable;
    private long firstStart;
    private long lastStart;

    private void run(Runnable task) {
      simulation.after(
          0,
          () -> {
            if (alive) {
              task.run();
            }
          });
    }

    boolean isOver() {
      return over;
    }

    /** Begins to take the log over; goes on to write it. */
    void lead(boolean warm) {
      leads = true;
      (warm ? tail.takeOver(this) : LedgerLog.takeOver(store, threads, this, settings, this))
          .whenComplete((taken, e) -> simulation.after(0, () -> begin(taken, e)));
    }

    private void begin(LedgerLog taken, Throwable e) {
      if (e != null) {
        LogException failure = LogException.of(e);
        assertTrue(
            failure.reason() != LogException.Reason.CORRUPT
                && !failure.getMessage().contains("unexpected"),
            failure::toString);
        count("not taken over");
        over = true;
        return;
      }
      count("taken over");
      log = taken;
      position = shown.isEmpty() ? 0 : shown.lastKey();
      durable = position;
      judge();
      startSegment();
    }

    @Override
    public void tookOver(int version) {
      newest = this;
    }

    /** What was shown has all that was acknowledged in a window, at least. */
    private void judge() {
      if (newest != this) {
        return; // what another one wrote since is not here
      }
      if (shown.isEmpty()) {
        assertTrue(acknowledged.isEmpty());
        return;
      }
      acknowledged
          .tailMap(shown.firstKey())
          .forEach((at, value) -> assertEquals(value, shown.get(at), "at position " + at));
      assertTrue(
          shown.firstKey() == 1 || firstStart <= lastStart - SPAN,
          () ->
              "a window before " + lastStart + " is not replayed, but from " + firstStart + " on");
    }

    private void startSegment() {
      timestamp += Timestamps.GAP * simulation.below(15);
      log.startSegment(timestamp, timestamp - SPAN);
      LogEntry entry = new LogEntry(64);
      entry.segment(timestamp);
      append(entry);
    }

    private void append(LogEntry entry) {
      entry.reserved(nextValue++ * Timestamps.GAP);
      long at = ++position;
      outstanding.put(at, entry.seal(at));
      log.append(at, outstanding.get(at));
    }

    /** One step of its life. */
    void step() {
      if (!leads) {
        tail.poll();
        return;
      }
      if (log == null || over) {
        return;
      }
      if (stalled) {
        log.proceed();
      } else if (!rolling && outstanding.size() < IN_FLIGHT) {
        append(new LogEntry(64));
        if (rolls && simulation.oneIn(6)) {
          log.prepareSegment();
        }
        rolling = log.isSegmentReady();
      }
    }

    void die() {
      alive = false;
      over = true;
    }

    /** Mostly one way only: what is sent arrives, or it hears what the others send. */
    void cutOff(Party party, long duration) {
      cutOff.put(party, simulation.now() + duration);
      open.put(party, new Way[] {Way.IN, Way.OUT, null}[simulation.below(3)]);
    }

    @Override
    public boolean isAlive() {
      return alive;
    }

    @Override
    public long cutOffUntil(Party party, Way way) {
      return open.get(party) == way ? 0 : cutOff.getOrDefault(party, 0L);
    }

    @Override
    public void durable(long upTo) {
      assertTrue(!stalled && !over && upTo > durable && upTo <= position);
      acknowledge(upTo);
      if (rolling && outstanding.isEmpty()) {
        rolling = false;
        startSegment();
      }
    }

    private void acknowledge(long upTo) {
      for (ByteBuffer entry : outstanding.headMap(upTo, true).values()) {
        long at = LogEntry.position(entry);
        long value = value(entry);
        Long before = acknowledged.put(at, value);
        assertTrue(before == null || before == value, "position " + at + " has two values");
      }
      outstanding.headMap(upTo, true).clear();
      durable = upTo;
    }

    @Override
    public void failed(LogException cause) {
      assertEquals(LogException.Reason.FENCED, cause.reason(), cause::toString);
      assertTrue(!over);
      over = true;
      count(stalled ? "deposed while stalled" : "deposed");
    }

    @Override
    public void stalled(LogException cause) {
      assertTrue(!stalled && !over);
      count("stalls");
      stalled = true;
      rolling = false;
    }

    @Override
    public void resumed(long upTo) {
      assertTrue(stalled && !over && upTo >= durable && upTo <= position);
      count(upTo > durable ? "resumed with entries that survived" : "resumed");
      stalled = false;
      acknowledge(upTo);
      outstanding.forEach((at, entry) -> log.append(at, entry));
    }

    @Override
    public void entry(ByteBuffer bytes) throws LogException {
      long at = LogEntry.read(bytes, new long[0], NOTHING);
      assertTrue(shown.isEmpty() || at == shown.lastKey() + 1, () -> at + " follows " + shown);
      Starts starts = new Starts();
      LogEntry.read(bytes, new long[0], starts);
      assertTrue(!shown.isEmpty() || starts.start > 0, "it begins in the middle of a segment");
      firstStart = shown.isEmpty() ? starts.start : firstStart;
      lastStart = Math.max(lastStart, starts.start);
      shown.put(at, value(bytes));
    }

    @Override
    public void restart() {
      shown.clear();
      lastStart = 0;
    }

    @Override
    public long segmentStart(ByteBuffer firstEntry) throws LogException {
      Starts starts = new Starts();
      LogEntry.read(firstEntry, new long[0], starts);
      if (starts.start == 0) {
        throw new LogException(LogException.Reason.CORRUPT, "no segment begins here");
      }
      return starts.start;
    }
  }

  private static long value(ByteBuffer entry) {
    Long[] value = new Long[1];
    try {
      LogEntry.read(
          entry,
          new long[0],
          new Starts() {
            @Override
            public void reserved(long timestamp) {
              value[0] = timestamp;
            }
          });
    } catch (LogException e) {
      throw new AssertionError(e);
    }
    return value[0];
  }

  /** Runs a leader after another, with standbys, until so many have come. */
  void run(int members) {
    Member leader = new Member();
    leader.lead(false);
    Member before = null;
    Member standby = null;
    for (int made = 1; made < members; ) {
      simulation.pass(TICK / 4 + simulation.below((int) TICK));
      for (Member member : new Member[] {before, leader, standby}) {
        if (member != null && member.alive) {
          member.step();
        }
      }
      disturb(leader);
      if (standby == null && simulation.oneIn(50)) {
        standby = new Member();
        made++;
      }
      if (leader.isOver() || simulation.oneIn(400)) {
        if (simulation.oneIn(3)) {
          leader.die();
        }
        boolean warm = standby != null;
        before = leader;
        leader = warm ? standby : new Member();
        made += warm ? 0 : 1;
        standby = null;
        leader.lead(warm);
        simulation.after(RETENTION / 2, before::die); // later, its ledgers may be gone
      }
    }
    endsWell();
  }

  private void disturb(Member leader) {
    if (simulation.oneIn(60)) {
      leader.cutOff(Party.BOOKIES, simulation.delay(6 * Simulation.MILLIS));
    }
    if (simulation.oneIn(60)) {
      leader.cutOff(Party.CATALOG, simulation.delay(6 * Simulation.MILLIS));
    }
  }

  /** Undisturbed, somebody gets it in the end, and nothing is left that is not needed. */
  private void endsWell() {
    for (int attempt = 0; attempt < 20; attempt++) {
      Member last = new Member();
      last.lead(false);
      for (int i = 0; i < 3_000 && !last.isOver(); i++) {
        last.rolls = i < 1_500; // then what is dead has time to be deleted
        simulation.pass(TICK);
        last.step();
      }
      if (last.log != null && !last.isOver()) {
        assertTrue(ledgers.catalog().size() < 30, ledgers::toString);
        return;
      }
    }
    throw new AssertionError("nobody can write the log: " + counts);
  }
}
