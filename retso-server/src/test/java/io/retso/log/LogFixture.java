package io.retso.log;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.simulator.SimulatedLedgers;
import io.retso.simulator.Simulation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Writers of a log on simulated ledgers. */
abstract class LogFixture {
  static final long SPAN = 1000;
  static final long RETENTION = 1_000_000;

  /** Polls after which a tail has looked at the catalog, whatever it met. */
  static final int POLLS = 40;

  final Simulation simulation = new Simulation(1);
  final SimulatedLedgers ledgers =
      new SimulatedLedgers(simulation, SimulatedLedgers.Behaviour.PROMPT, bytes -> {});

  /** A writer: what it heard and what it replayed. */
  final class Writer implements CommitLog.Listener, LedgerLog.Replay {
    final List<Long> replayed = new ArrayList<>();
    final LedgerStore store;
    LedgerLog log;
    long position;
    long firstStart;
    long durable;
    LogException failure;
    int stalls;
    LogException stalledBy;

    /** Where it went on after the last stall; -1 without any. */
    long resumedAt = -1;

    private final TreeMap<Long, ByteBuffer> outstanding = new TreeMap<>();

    Writer(long span, long retention) throws LogException {
      this(ledgers.store(() -> true), span, retention);
    }

    Writer(LedgerStore store, long span, long retention) throws LogException {
      this.store = store;
      LedgerLog.Threads threads =
          new LedgerLog.Threads(task -> simulation.after(0, task), simulation::now);
      log =
          await(
              LedgerLog.takeOver(
                  store, threads, this, new LedgerLog.Settings(span, retention, ""), this));
      position = replayed.isEmpty() ? 0 : replayed.get(replayed.size() - 1);
    }

    Writer() throws LogException {
      this(SPAN, RETENTION);
    }

    void append(long timestamp) {
      LogEntry entry = new LogEntry(64);
      entry.segment(timestamp);
      position++;
      outstanding.put(position, entry.seal(position));
      log.append(position, outstanding.get(position));
    }

    void startSegment(long timestamp) {
      log.startSegment(timestamp, timestamp - SPAN);
      append(timestamp);
    }

    void roll(long timestamp) {
      log.prepareSegment();
      quiesce();
      assertTrue(log.isSegmentReady());
      startSegment(timestamp);
      quiesce();
    }

    @Override
    public void durable(long upTo) {
      durable = upTo;
      outstanding.headMap(upTo, true).clear();
    }

    @Override
    public void stalled(LogException cause) {
      stalls++;
      stalledBy = cause;
    }

    @Override
    public void resumed(long upTo) {
      resumedAt = upTo;
      durable(upTo);
      outstanding.forEach((at, entry) -> log.append(at, entry));
    }

    @Override
    public void failed(LogException cause) {
      failure = cause;
    }

    @Override
    public void entry(ByteBuffer bytes) throws LogException {
      Starts starts = new Starts();
      replayed.add(LogEntry.read(bytes, new long[0], starts));
      firstStart = replayed.size() == 1 ? starts.start : firstStart;
    }

    @Override
    public long segmentStart(ByteBuffer firstEntry) throws LogException {
      return Starts.of(firstEntry);
    }
  }

  /** A standby: what it was shown since it began. */
  final class Standby implements LedgerLog.Replay, CommitLog.Listener {
    final List<Long> shown = new ArrayList<>();
    final List<Long> fenced = new ArrayList<>();
    final LogTail tail;
    int restarts;
    long durable;

    Standby() {
      this(ledgers.store(() -> true));
    }

    Standby(LedgerStore store) {
      LedgerStore noting =
          new ForwardingStore(store) {
            @Override
            public CompletableFuture<Entries> openFenced(long ledger) {
              fenced.add(ledger);
              return super.openFenced(ledger);
            }
          };
      LedgerLog.Threads threads =
          new LedgerLog.Threads(task -> simulation.after(0, task), simulation::now);
      tail = new LogTail(noting, threads, new LedgerLog.Settings(SPAN, RETENTION, "standby"), this);
    }

    void poll() throws LogException {
      await(tail.poll());
    }

    LedgerLog takeOver() throws LogException {
      return await(tail.takeOver(this));
    }

    @Override
    public void entry(ByteBuffer bytes) throws LogException {
      shown.add(LogEntry.read(bytes, new long[0], new Starts()));
    }

    @Override
    public void restart() {
      shown.clear();
      restarts++;
    }

    @Override
    public long segmentStart(ByteBuffer firstEntry) throws LogException {
      return Starts.of(firstEntry);
    }

    @Override
    public void durable(long upTo) {
      durable = upTo;
    }

    @Override
    public void failed(LogException cause) {
      throw new AssertionError(cause);
    }
  }

  /** A writer whose first segment has two entries. */
  Writer begun() throws LogException {
    Writer writer = new Writer();
    writer.startSegment(16);
    quiesce();
    append(writer, 32);
    return writer;
  }

  void append(Writer writer, long timestamp) {
    writer.append(timestamp);
    quiesce();
  }

  <T> T await(CompletableFuture<T> future) throws LogException {
    assertTrue(simulation.run(future::isDone, Long.MAX_VALUE));
    try {
      return future.join();
    } catch (CompletionException e) {
      throw LogException.of(e);
    }
  }

  void quiesce() {
    simulation.pass(1);
  }

  static List<Long> positions(long from, long to) {
    List<Long> positions = new ArrayList<>();
    for (long i = from; i <= to; i++) {
      positions.add(i);
    }
    return positions;
  }

  /** A process that reaches no other until a time, or is not reached. */
  static final class CutOff implements SimulatedLedgers.Process {
    SimulatedLedgers.Way cut = SimulatedLedgers.Way.OUT;
    long until;

    @Override
    public boolean isAlive() {
      return true;
    }

    @Override
    public long cutOffUntil(SimulatedLedgers.Party party, SimulatedLedgers.Way way) {
      return way == cut ? until : 0;
    }
  }
}
