package io.retso.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.log.CommitLog;
import io.retso.log.LogException;
import io.retso.oracle.Changes;
import io.retso.oracle.CommitBatch;
import io.retso.oracle.OracleCounters;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Timestamps;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A leader that handed over keeps its oracle, and follows its successor with it: it is as if it had
 * read the log. Random requests, to seeds that are printed with a failure.
 */
class KeptOracleTest {
  private static final int WINDOW = 1 << 8;
  private static final int ROWS = 40;
  private static final int REQUESTS = 600;

  /** A log that remembers its entries, and acknowledges when it is told to. */
  private static final class Entries implements CommitLog {
    final List<ByteBuffer> all = new ArrayList<>();
    long first = -1;
    boolean ready;

    @Override
    public void append(long position, ByteBuffer entry) {
      first = first < 0 ? position : first;
      assertEquals(first + all.size(), position);
      all.add(ByteBuffer.allocate(entry.remaining()).put(entry.duplicate()).flip());
    }

    long lastPosition() {
      return first + all.size() - 1;
    }

    @Override
    public void prepareSegment() {
      ready = true;
    }

    @Override
    public boolean isSegmentReady() {
      return ready;
    }

    @Override
    public void startSegment(long startTimestamp, long windowStart) {
      ready = false;
    }

    @Override
    public long segmentBytes() {
      return 0;
    }

    @Override
    public void close() {}
  }

  private static final class NoReplies implements Sequencer.Replies {
    @Override
    public void durable(long position) {}

    @Override
    public void failed(LogException cause) {
      throw new AssertionError(cause);
    }
  }

  /** A server: its oracle, what it has applied, and its term. */
  private final class Server {
    final SharedOracle shared =
        new SharedOracle(changes -> new StatusOracle(1 << 12, WINDOW, 1 << 10, changes, 7));
    final StatusOracle oracle = shared.oracle();
    final Recovery recovery = new Recovery(oracle);
    Sequencer sequencer;
    Entries log;

    void replay(Entries from) throws LogException {
      for (ByteBuffer entry : from.all) {
        recovery.entry(entry.duplicate());
        if (random.nextInt(3) == 0) { // as a standby does, and a recovery does not
          oracle.replay().sweepOn(1 + random.nextInt(WINDOW / 4));
        }
      }
    }

    void lead() throws LogException {
      recovery.finish(Timestamps.GAP);
      log = new Entries();
      SequencerSettings.EntryBytes bytes = new SequencerSettings.EntryBytes(1000, 200, 4000);
      SequencerSettings.Timing timing =
          new SequencerSettings.Timing(() -> 0, () -> 0, 1_000_000, 0);
      sequencer =
          new Sequencer(
              new SequencerSettings(3, 1 << 6, true, bytes, timing), shared, new NoReplies());
      sequencer.start(log, recovery.lastPosition());
    }

    void serve(int requests) {
      for (int i = 0; i < requests; i++) {
        if (sequencer.canTake(1_000)) {
          request(sequencer);
        }
        if (random.nextInt(3) == 0) {
          sequencer.flush();
        }
        if (random.nextInt(2) == 0) {
          acknowledge();
        }
      }
    }

    private void acknowledge() {
      long durable = sequencer.durable();
      long last = log.lastPosition();
      if (durable < last) {
        sequencer.durable(durable + 1 + random.nextInt((int) (last - durable)));
      }
    }

    /** As a hand-over does. */
    void end() {
      sequencer.flush();
      while (sequencer.finish() > sequencer.durable()) {
        assertFalse(sequencer.hasLoggedAll());
        acknowledge();
      }
      assertTrue(sequencer.hasLoggedAll());
      assertEquals(log.lastPosition(), sequencer.durable(), "an entry follows the end");
      recovery.goOnBehind(log.lastPosition());
    }
  }

  private Random random;

  private void request(Sequencer to) {
    long next = to.oracle().nextTimestamp();
    switch (random.nextInt(16)) {
      case 0, 1, 2, 3 -> to.begin(1 + random.nextInt(3), random.nextInt(3));
      case 4, 5, 6, 7 -> to.commit(commits(next));
      case 8 -> to.abort(issued(next));
      case 9, 10, 11 -> to.cleaned(issued(next));
      case 12 -> {
        to.timestamp();
        to.safeSnapshot(random.nextInt(100) * SafeSnapshots.HELD_NANOS);
      }
      case 13 -> to.lowWatermark();
      case 14 -> {
        if (random.nextInt(8) == 0) {
          to.swept(issued(next));
        } else {
          to.passTo(next + Timestamps.GAP * random.nextInt(5));
        }
      }
      default -> {
        if (random.nextInt(8) == 0) {
          to.expireBelow(issued(next));
        } else {
          to.sweepOn();
        }
      }
    }
  }

  /** Mostly one that is in the window. */
  private long issued(long next) {
    long back = random.nextInt(random.nextInt(20) == 0 ? 2 * WINDOW : WINDOW / 4);
    return Math.max(Timestamps.GAP, next - Timestamps.GAP * (1 + back));
  }

  private CommitBatch commits(long next) {
    CommitBatch batch = new CommitBatch(100);
    for (int i = random.nextInt(3); i >= 0; i--) {
      int writes = random.nextInt(4);
      int ids = writes;
      int at;
      if (random.nextBoolean()) {
        at = batch.add(issued(next), random.nextInt(5) == 0, writes);
      } else {
        int reads = random.nextInt(4);
        int ranges = random.nextInt(2);
        ids += reads + 2 * ranges;
        boolean isSerializable = random.nextInt(4) > 0;
        at =
            batch.add(
                issued(next),
                random.nextInt(5) == 0,
                isSerializable,
                writes,
                0,
                reads,
                ranges,
                ranges);
      }
      for (int k = at; k < at + ids; k++) {
        batch.rows()[k] = 1 + random.nextInt(ROWS);
      }
    }
    return batch;
  }

  private static void assertSame(StatusOracle one, StatusOracle other, String world) {
    assertEquals(one.nextTimestamp(), other.nextTimestamp());
    assertEquals(one.windowLow(), other.windowLow());
    assertEquals(one.lowWatermark(), other.lowWatermark());
    assertEquals(one.uncleanedCommits(), other.uncleanedCommits());
    OracleCounters counters = one.counters();
    OracleCounters others = other.counters();
    assertEquals(counters.open, others.open);
    assertEquals(counters.halfAborted, others.halfAborted);
    assertEquals(counters.mapOccupied, others.mapOccupied);
    long last = one.nextTimestamp() - Timestamps.GAP;
    for (long start = Timestamps.GAP; start <= last; start += Timestamps.GAP) {
      assertEquals(one.status(start, last), other.status(start, last), world + ", of " + start);
      assertEquals(one.openOfOthers(start, 1, 1), other.openOfOthers(start, 1, 1));
    }
  }

  /** Two that lead now answer the same requests alike. */
  private void assertAnswerTheSame(Server one, Server other) {
    long seed = random.nextLong();
    List<List<Object>> answers = new ArrayList<>();
    for (Server server : List.of(one, other)) {
      random = new Random(seed);
      List<Object> own = new ArrayList<>();
      for (int i = 0; i < REQUESTS; i++) {
        StatusOracle oracle = server.oracle;
        long next = oracle.nextTimestamp();
        switch (random.nextInt(4)) {
          case 0 -> own.add(oracle.begin(1));
          case 1 -> own.add(oracle.cleaned(issued(next)));
          case 2 -> own.add(oracle.lowWatermark());
          default -> {
            CommitBatch batch = commits(next);
            oracle.commit(batch);
            for (int k = 0; k < batch.size(); k++) {
              own.add(batch.outcome(k));
            }
          }
        }
      }
      answers.add(own);
    }
    assertEquals(answers.get(0), answers.get(1));
  }

  private static long[] seeds() {
    return new Random().longs(1_000).toArray();
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void isWhatAReplayOfTheWholeLogGives(long seed) throws LogException {
    random = new Random(seed);
    Server leader = new Server();
    leader.lead();
    leader.serve(random.nextInt(REQUESTS));
    leader.end();
    Server successor = new Server();
    successor.replay(leader.log);
    Server reader = new Server();
    reader.replay(leader.log);
    assertEquals(reader.recovery.lastPosition(), leader.recovery.lastPosition());
    assertEquals(reader.recovery.hasEnded(), leader.recovery.hasEnded());
    assertEquals(reader.recovery.hasWriter(), leader.recovery.hasWriter());
    successor.lead();
    successor.serve(random.nextInt(REQUESTS));
    if (random.nextBoolean()) {
      successor.sequencer.flush();
    } else {
      successor.end();
    }
    leader.replay(successor.log);
    reader.replay(successor.log);
    assertEquals(reader.recovery.lastPosition(), leader.recovery.lastPosition());
    assertEquals(reader.recovery.hasEnded(), leader.recovery.hasEnded());
    leader.shared.make(Changes.NONE);
    leader.recovery.finish(Timestamps.GAP);
    reader.recovery.finish(Timestamps.GAP);
    assertSame(reader.oracle, leader.oracle, "seed " + seed);
    assertAnswerTheSame(reader, leader);
  }

  /** No other took over: it leads again, from the timestamp at which it ended. */
  @Test
  void goesOnWithoutASuccessor() throws LogException {
    random = new Random(1);
    Server leader = new Server();
    leader.lead();
    leader.serve(REQUESTS);
    leader.end();
    long next = leader.oracle.nextTimestamp();
    Server reader = new Server();
    reader.replay(leader.log);
    reader.recovery.finish(Timestamps.GAP);
    leader.shared.make(Changes.NONE);
    leader.recovery.finish(Timestamps.GAP);
    assertEquals(next, leader.oracle.nextTimestamp());
    assertSame(reader.oracle, leader.oracle, "all requests");
    assertAnswerTheSame(reader, leader);
  }
}
