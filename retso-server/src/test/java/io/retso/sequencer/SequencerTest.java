package io.retso.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.log.CommitLog;
import io.retso.log.LogException;
import io.retso.oracle.Changes;
import io.retso.oracle.CommitBatch;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** The sequencer against a log that acknowledges when the test says so. */
class SequencerTest {
  private static final int IN_FLIGHT = 2;
  private static final int RESERVATION = 100;

  /** The first reservation is smaller. */
  private static final int FIRST = RESERVATION / 16;

  private static final int WINDOW = 1024;

  /** A log that remembers what it got. */
  private static final class ManualLog implements CommitLog {
    final List<Long> appended = new ArrayList<>();
    final List<byte[]> contents = new ArrayList<>();
    final List<Long> segments = new ArrayList<>();
    boolean ready;
    int prepares;

    @Override
    public void append(long position, ByteBuffer entry) {
      appended.add(position);
      byte[] bytes = new byte[entry.remaining()];
      entry.duplicate().get(bytes);
      contents.add(bytes);
    }

    @Override
    public void prepareSegment() {
      prepares++;
    }

    @Override
    public boolean isSegmentReady() {
      return ready;
    }

    @Override
    public void startSegment(long startTimestamp, long windowStart) {
      segments.add(startTimestamp);
      ready = false;
    }

    @Override
    public long segmentBytes() {
      return 0;
    }

    @Override
    public void close() {}
  }

  private static final class Heard implements Sequencer.Replies {
    long durable;
    LogException failure;

    @Override
    public void durable(long position) {
      durable = position;
    }

    @Override
    public void failed(LogException cause) {
      failure = cause;
    }
  }

  private final SequencerSettings.Timing timing =
      new SequencerSettings.Timing(() -> 0, () -> 0, 1_000_000, 0);
  private final ManualLog log = new ManualLog();
  private final Heard heard = new Heard();
  private Sequencer sequencer;

  private Sequencer start(int uncleaned, SequencerSettings.EntryBytes bytes) {
    sequencer =
        new Sequencer(
            new SequencerSettings(IN_FLIGHT, RESERVATION, true, bytes, timing),
            changes -> new StatusOracle(1000, WINDOW, uncleaned, changes),
            heard);
    return sequencer;
  }

  private void start() {
    start(5000, new SequencerSettings.EntryBytes(1000, 200, 1000)).start(log, 0);
    sequencer.durable(1);
  }

  private void commit(long start, long... rows) {
    CommitBatch batch = new CommitBatch(10);
    int at = batch.add(start, false, rows.length);
    System.arraycopy(rows, 0, batch.rows(), at, rows.length);
    sequencer.commit(batch);
    assertTrue(batch.outcome(0) > 0);
  }

  @Test
  void anIdleLogIsWrittenAtOnceAndABusyOneWaitsForCompany() {
    start();
    commit(sequencer.begin(1), 1);
    long position = sequencer.replyPosition();
    sequencer.flush();
    assertEquals(List.of(1L, 2L), log.appended);
    assertEquals(2, position);
    commit(sequencer.begin(1), 2);
    sequencer.flush();
    assertEquals(2, log.appended.size(), "one small entry at a time");
    sequencer.durable(2);
    assertEquals(List.of(1L, 2L, 3L), log.appended, "an acknowledgement sends what waited");
    for (int row = 10; row < 30; row++) {
      commit(sequencer.begin(1), row);
    }
    sequencer.flush();
    assertEquals(4, log.appended.size(), "a large entry does not wait");
  }

  @Test
  void aQueryWritesTheNullWrite() {
    start();
    long start = sequencer.begin(1);
    sequencer.flush();
    assertEquals(1, log.appended.size(), "a start timestamp needs no write");
    assertEquals(0, sequencer.replyPosition());
    sequencer.status(start, start);
    long position = sequencer.replyPosition();
    assertTrue(position > sequencer.durable());
    sequencer.flush();
    assertEquals(List.of(1L, position), log.appended);
    assertEquals(16, log.contents.get(1).length, "it has no records");
  }

  @Test
  void theWatermarkWaitsForANullWriteLikeAQuery() {
    start();
    long start = sequencer.begin(1);
    assertEquals(start, sequencer.lowWatermark());
    long position = sequencer.replyPosition();
    assertTrue(position > sequencer.durable());
    sequencer.flush();
    assertEquals(List.of(1L, position), log.appended);
    assertEquals(16, log.contents.get(1).length, "it has no records");
  }

  @Test
  void anExpiryIsInTheLogBeforeAnAnswerThatRestsOnIt() {
    start();
    long start = sequencer.begin(1);
    assertTrue(sequencer.expireBelow(start + Timestamps.GAP));
    assertEquals(Outcome.RETRY, sequencer.status(start, start));
    long position = sequencer.replyPosition();
    assertTrue(position > sequencer.durable());
    sequencer.flush();
    assertEquals(List.of(1L, position), log.appended);
    assertEquals(24, log.contents.get(1).length, "one record");
    assertTrue(sequencer.expireBelow(start), "known already");
    sequencer.durable(position);
    sequencer.flush();
    assertEquals(2, log.appended.size());
  }

  /** A crash right after the expiry, before any commit let the log know how far time had come. */
  @Test
  void whatExpiredStaysSoAfterRecovery() throws LogException {
    start();
    long start = sequencer.begin(1);
    sequencer.expireBelow(start + Timestamps.GAP);
    sequencer.flush();
    StatusOracle successor = new StatusOracle(1000, 4 * WINDOW, 5000, Changes.NONE);
    Recovery recovery = new Recovery(successor);
    for (byte[] entry : log.contents) {
      recovery.entry(ByteBuffer.wrap(entry));
    }
    recovery.finish(Timestamps.GAP);
    assertEquals(Outcome.RETRY, successor.status(start, start));
    assertTrue(successor.lowWatermark() > start);
  }

  @Test
  void aFullLogDefersExpiries() {
    start();
    long start = sequencer.begin(1);
    log.ready = true;
    sequencer.begin(WINDOW / 4 + 10);
    sequencer.flush(); // its reservation; from here on the log rolls
    assertFalse(sequencer.expireBelow(start + Timestamps.GAP));
    assertEquals(start, sequencer.oracle().windowLow());
    sequencer.durable(2);
    assertTrue(sequencer.expireBelow(start + Timestamps.GAP));
    assertEquals(start + Timestamps.GAP, sequencer.oracle().windowLow());
  }

  /**
   * What is answered after it is above, what was begun before it is as it was; over a crash, too.
   */
  @Test
  void timePassesWithNothingButReservationsInTheLog() throws LogException {
    start();
    long start = sequencer.begin(1);
    long later = start + 3L * RESERVATION * Timestamps.GAP;
    int steps = 1;
    while (!sequencer.passTo(later)) {
      sequencer.flush();
      sequencer.durable(log.appended.get(log.appended.size() - 1));
      steps++;
    }
    assertTrue(steps > 3, "a reservation is not passed over before the next is on its way");
    sequencer.flush();
    assertTrue(sequencer.passTo(later - 100 * Timestamps.GAP), "time does not go back");
    assertEquals(Outcome.OPEN, sequencer.status(start, start));
    long next = sequencer.begin(1);
    assertEquals(later, next);
    assertEquals(Outcome.INVALID_TIMESTAMP, sequencer.cleaned(later - Timestamps.GAP), "nobody's");
    StatusOracle successor = new StatusOracle(1000, 4 * WINDOW, 5000, Changes.NONE);
    Recovery recovery = new Recovery(successor);
    for (byte[] entry : log.contents) {
      recovery.entry(ByteBuffer.wrap(entry));
    }
    recovery.finish(Timestamps.GAP);
    assertTrue(successor.nextTimestamp() > next);
    for (byte[] entry : log.contents.subList(1, log.contents.size())) { // the first is a segment's
      assertEquals(24, entry.length, "one record");
    }
  }

  @Test
  void timeStandsWhileTheLogIsFull() {
    start();
    log.ready = true;
    long start = sequencer.begin(WINDOW / 4 + 10);
    sequencer.flush(); // its reservation; from here on the log rolls
    long next = sequencer.oracle().nextTimestamp();
    assertFalse(sequencer.passTo(next + Timestamps.GAP));
    assertEquals(next, sequencer.oracle().nextTimestamp());
    sequencer.durable(2);
    assertTrue(sequencer.passTo(next + Timestamps.GAP));
    assertEquals(next + Timestamps.GAP, sequencer.begin(1));
    assertTrue(start < next);
  }

  @Test
  void anEmptyLogBeginsWhereItIsToldAndNoOtherDoes() throws LogException {
    long first = 1_700_000_000_000L / Timestamps.GAP * Timestamps.GAP;
    start(5000, new SequencerSettings.EntryBytes(1000, 200, 1000));
    new Recovery(sequencer.oracle()).finish(first);
    sequencer.start(log, 0);
    assertEquals(first, sequencer.begin(1));
    assertEquals(1, sequencer.replyPosition(), "it leaves when its reservation is in the log");
    StatusOracle successor = new StatusOracle(1000, WINDOW, 5000, Changes.NONE);
    Recovery recovery = new Recovery(successor);
    recovery.entry(ByteBuffer.wrap(log.contents.get(0)));
    recovery.finish(first + 160);
    assertEquals(first + (long) FIRST * Timestamps.GAP, successor.nextTimestamp());
    assertEquals(first, successor.lowWatermark(), "the timestamp may have a client");
  }

  @Test
  void startTimestampsWaitForALateReservation() {
    start();
    sequencer.begin(FIRST / 2);
    assertEquals(0, sequencer.replyPosition(), "the first range is durable");
    sequencer.begin(RESERVATION);
    long position = sequencer.replyPosition();
    assertEquals(2, position, "used up before the next is durable");
    sequencer.flush();
    sequencer.durable(2);
    sequencer.begin(1);
    assertEquals(0, sequencer.replyPosition());
  }

  private long skipped() throws LogException {
    return recovered().nextTimestamp() - sequencer.oracle().nextTimestamp() >> Timestamps.GAP_BITS;
  }

  @Test
  void aCleanStopSkipsNothingAndIsTheEnd() throws LogException {
    start();
    sequencer.begin(5 * RESERVATION);
    commit(sequencer.begin(1), 1);
    sequencer.flush(); // outstanding
    assertTrue(skipped() > 0);
    long position = sequencer.finish();
    assertEquals(position, sequencer.finish(), "once is enough");
    assertTrue(position > sequencer.durable());
    assertEquals(List.of(1L, 2L, position), log.appended, "it waits for no acknowledgement");
    assertEquals(0, skipped());
    long next = sequencer.oracle().nextTimestamp();
    assertFalse(sequencer.canTake(0));
    assertFalse(sequencer.passTo(next + Timestamps.GAP));
    assertFalse(sequencer.expireBelow(next));
    assertThrows(AssertionError.class, () -> sequencer.begin(1));
  }

  /** The log of one that comes after it has both ends. */
  @Test
  void whatIsReservedAfterACleanStopCounts() throws LogException {
    start();
    sequencer.finish();
    long next = recovered().nextTimestamp();
    start(5000, new SequencerSettings.EntryBytes(1000, 200, 1000));
    for (byte[] entry : List.copyOf(log.contents)) {
      new Recovery(sequencer.oracle()).entry(ByteBuffer.wrap(entry));
    }
    sequencer.start(log, 2);
    assertEquals(next + (long) FIRST * Timestamps.GAP, recovered().nextTimestamp());
  }

  @Test
  void theEndIsNotLoggedInFrontOfASegmentsReservation() throws LogException {
    start();
    log.ready = true;
    sequencer.begin(WINDOW / 4 + 10);
    sequencer.flush(); // its reservation; from here on the log rolls
    assertEquals(Long.MAX_VALUE, sequencer.finish());
    sequencer.durable(2);
    sequencer.durable(3);
    long end = sequencer.finish();
    assertEquals(end, log.appended.get(log.appended.size() - 1));
    assertEquals(0, skipped());
  }

  @Test
  void aServerThatDidLittleSkipsLittleInACrash() throws LogException {
    start();
    assertEquals(FIRST, skipped());
    for (int i = 0; i < 10 * RESERVATION; i++) {
      sequencer.begin(1);
      sequencer.flush();
      sequencer.durable(log.appended.get(log.appended.size() - 1));
    }
    assertTrue(skipped() >= RESERVATION / 2, "and at full speed there is enough");
    assertTrue(log.appended.size() <= 5 + 2 * 10, "each range was twice as long as the one before");
  }

  @Test
  void aFullLogTakesNothing() {
    start();
    int frame = 300;
    int taken = 0;
    while (sequencer.canTake(frame)) {
      commit(sequencer.begin(1), 1000 + taken++);
      assertTrue(taken < 1000, "it never says no");
    }
    assertEquals(IN_FLIGHT, log.appended.size() - 1, "entries outstanding");
    sequencer.durable(2);
    assertTrue(sequencer.canTake(frame), "one acknowledgement makes room");
  }

  /** One writer: an assertion, which is on in tests. */
  @Test
  void onlyTheThreadThatStartedItMayUseIt() {
    start();
    CompletableFuture<Long> other = CompletableFuture.supplyAsync(() -> sequencer.begin(1));
    CompletionException failure = assertThrows(CompletionException.class, other::join);
    assertInstanceOf(AssertionError.class, failure.getCause());
  }

  @Test
  void aFailedLogTakesNothingAndLetsNothingGo() {
    start();
    LogException cause = new LogException(LogException.Reason.FENCED, "another server");
    sequencer.failed(cause);
    assertSame(cause, heard.failure);
    assertFalse(sequencer.canTake(1));
    sequencer.status(sequencer.begin(1), 16);
    sequencer.flush();
    assertEquals(1, log.appended.size());
  }

  @Test
  void rollsWhenEverythingBeforeIsDurable() {
    start();
    log.ready = true;
    sequencer.begin(WINDOW / 4 + 10);
    sequencer.flush(); // its reservation
    assertTrue(log.prepares > 0);
    assertFalse(sequencer.canTake(1), "requests wait for the new segment");
    assertEquals(1, log.segments.size());
    sequencer.durable(2);
    assertEquals(2, log.segments.size());
    assertEquals(3, log.appended.size(), "the segment's first entry");
    assertTrue(sequencer.canTake(1));
  }

  /** However many parts a snapshot has, requests go on, and a successor knows what was left. */
  @Test
  void requestsGoOnWhileALongSnapshotIsWritten() throws LogException {
    for (int uncleaned = 1; uncleaned < 60; uncleaned++) {
      log.appended.clear();
      log.contents.clear();
      startWithUncleaned(uncleaned);
      int turns = 0;
      List<Long> own = new ArrayList<>();
      while (log.appended.get(log.appended.size() - 1) > sequencer.durable()) {
        sequencer.durable(sequencer.durable() + 1);
        if (turns++ < uncleaned) { // each turn cleans up one, and leaves another
          assertTrue(sequencer.canTake(8));
          sequencer.cleaned(2L * (uncleaned - turns + 1) * Timestamps.GAP);
          own.add(sequencer.begin(1));
          commit(own.get(own.size() - 1), turns);
          sequencer.flush();
        }
      }
      assertTrue(turns > uncleaned, turns + " steps");
      StatusOracle successor = recovered();
      assertEquals(sequencer.oracle().uncleanedCommits(), successor.uncleanedCommits());
      long reader = sequencer.oracle().nextTimestamp() - Timestamps.GAP;
      for (long i = 2; i < 2000; i++) {
        long start = i * Timestamps.GAP;
        if (start <= reader && sequencer.oracle().status(start, reader) > 0) {
          assertEquals(sequencer.oracle().status(start, reader), successor.status(start, reader));
        }
      }
    }
  }

  private void startWithUncleaned(int uncleaned) {
    start(100, new SequencerSettings.EntryBytes(60, 10, 1000));
    sequencer.oracle().replay().start(1000 * Timestamps.GAP);
    for (int i = 1; i <= uncleaned; i++) {
      sequencer.oracle().replay().uncleaned(2L * i * Timestamps.GAP, (2L * i + 1) * Timestamps.GAP);
    }
    sequencer.start(log, 0);
  }

  private StatusOracle recovered() throws LogException {
    StatusOracle successor = new StatusOracle(1000, WINDOW, 5000, Changes.NONE);
    Recovery recovery = new Recovery(successor);
    for (byte[] entry : log.contents) {
      recovery.entry(ByteBuffer.wrap(entry));
    }
    recovery.finish(Timestamps.GAP);
    return successor;
  }

  /** Without an end of the list a segment does not tell what was not cleaned up before it. */
  @Test
  void anIncompleteSnapshotAloneIsNoLog() throws LogException {
    startWithUncleaned(50);
    for (int i = 1; i < 10; i++) {
      sequencer.durable(i);
    }
    LogException e = assertThrows(LogException.class, this::recovered);
    assertEquals(LogException.Reason.CORRUPT, e.reason());
  }

  /** The segment before must have a complete list, so that older ones can be deleted. */
  @Test
  void theLogDoesNotRollBeforeTheSnapshotIsComplete() {
    startWithUncleaned(50);
    log.ready = true;
    int rolledAfter = 0;
    for (int i = 1; log.segments.size() == 1; i++) {
      if (sequencer.canTake(1)) {
        sequencer.begin(RESERVATION / 2);
      }
      sequencer.durable(i);
      rolledAfter = i;
    }
    assertTrue(rolledAfter > 50, "it rolled after " + rolledAfter + " entries");
  }
}
