package io.retso.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.protocol.Timestamps;
import io.retso.simulator.SimulatedLedgers;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log's protocol, step by step, on simulated ledgers. */
class LedgerLogTest extends LogFixture {
  @Test
  void anEmptyLogIsTakenOver() throws LogException {
    Writer writer = new Writer();
    assertEquals(List.of(), writer.replayed);
    assertEquals(1, ledgers.catalog().size());
    writer.startSegment(16);
    quiesce();
    assertEquals(1, writer.durable);
  }

  @Test
  void aSuccessorReplaysEverythingAndFencesTheWriter() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    first.append(32);
    quiesce();
    assertEquals(2, first.durable);
    Writer second = new Writer();
    assertEquals(positions(1, 2), second.replayed);
    first.append(48);
    quiesce();
    assertEquals(LogException.Reason.FENCED, first.failure.reason());
    assertEquals(2, first.durable, "nothing is durable behind a fence");
    assertTrue(second.log.epoch() > first.log.epoch());
  }

  @Test
  void aDeposedWriterCannotRoll() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    quiesce();
    Writer second = new Writer();
    second.startSegment(32);
    first.log.prepareSegment();
    quiesce();
    assertFalse(first.log.isSegmentReady());
    assertEquals(LogException.Reason.FENCED, first.failure.reason());
  }

  @Test
  void aSegmentThatWasPreparedBeforeIsFencedToo() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    first.log.prepareSegment();
    quiesce();
    Writer second = new Writer();
    assertEquals(positions(1, 1), second.replayed);
    first.startSegment(32);
    quiesce();
    assertEquals(LogException.Reason.FENCED, first.failure.reason());
    second.startSegment(48);
    quiesce();
    assertEquals(2, second.durable);
  }

  /** Not knowing that it is deposed, it starts the segment that it prepared before. */
  @Test
  void aDeposedWriterDeletesNothing() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    for (long time = 400; time <= 4000; time += 400) {
      first.roll(time);
    }
    first.log.prepareSegment();
    quiesce();
    new Writer();
    List<Long> catalog = ledgers.catalog();
    List<Long> existing = ledgers.existing();
    first.log.startSegment(4400, 4400 - SPAN); // when it would delete a ledger
    quiesce();
    assertEquals(LogException.Reason.FENCED, first.failure.reason());
    assertEquals(existing, ledgers.existing());
    assertEquals(catalog, ledgers.catalog());
  }

  @Test
  void appendsThatWereNotAcknowledgedMaySurvive() throws LogException {
    boolean survived = false;
    boolean lost = false;
    for (int i = 0; i < 10; i++) {
      CutOff process = new CutOff();
      process.cut = i % 2 == 0 ? SimulatedLedgers.Way.OUT : SimulatedLedgers.Way.IN;
      Writer writer = new Writer(ledgers.store(process), SPAN, RETENTION);
      writer.startSegment(16);
      quiesce();
      process.until = simulation.now() + 2;
      writer.append(32); // under way when the next one takes over
      Writer next = new Writer();
      survived |= next.replayed.contains(writer.position);
      lost |= !next.replayed.contains(writer.position);
      quiesce();
      next.position = next.replayed.get(next.replayed.size() - 1);
      next.startSegment(48);
      quiesce();
    }
    assertTrue(survived && lost);
  }

  /** A writer under load asks with each entry until the segment is ready. */
  @Test
  void aSegmentIsPreparedOnceHoweverOftenItIsAskedFor() throws LogException {
    Writer writer = new Writer();
    writer.startSegment(16);
    for (int i = 0; i < 3; i++) {
      writer.log.prepareSegment();
    }
    quiesce();
    writer.startSegment(400);
    quiesce();
    assertEquals(2, ledgers.catalog().size());
    assertEquals(ledgers.catalog(), ledgers.existing());
  }

  @Test
  void whatNoRecoveryNeedsIsDeleted() throws LogException {
    Writer writer = new Writer();
    writer.startSegment(16);
    for (long time = 400; time <= 40_000; time += 400) {
      writer.roll(time);
      assertTrue(ledgers.catalog().size() <= 6, () -> "catalog " + ledgers.catalog());
    }
    assertEquals(ledgers.catalog(), ledgers.existing());
  }

  @Test
  void aCrashBeforeTheFirstEntryOfASegmentLosesNoSegment() throws LogException {
    for (int rolls = 3; rolls < 12; rolls++) {
      Writer writer = new Writer();
      writer.startSegment(writer.position * Timestamps.GAP);
      for (int i = 0; i < rolls; i++) {
        writer.roll(400L * (i + 1) + 100_000L * rolls);
      }
      writer.log.prepareSegment();
      quiesce();
      long time = 400L * (rolls + 1) + 100_000L * rolls;
      writer.log.startSegment(time, time - SPAN);
      quiesce(); // old segments are gone, the new one is empty
      Writer next = new Writer();
      long newest = time - 400;
      assertTrue(next.firstStart <= newest - SPAN, () -> "begins at " + next.firstStart);
    }
  }

  @Test
  void inheritedLedgersStayForTheirTime() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    quiesce();
    long inherited = ledgers.catalog().get(0);
    Writer second = new Writer();
    second.startSegment(400);
    for (long time = 800; time <= 8000; time += 400) {
      second.roll(time);
    }
    assertTrue(ledgers.existing().contains(inherited), "a zombie may append to it");
    simulation.pass(RETENTION);
    second.roll(8400);
    assertFalse(ledgers.existing().contains(inherited));
    assertEquals(ledgers.catalog(), ledgers.existing());
  }

  /** Lets a writer append for a while of virtual time. */
  private void appendFor(Writer writer, long nanos, long timestamp) {
    long end = simulation.now() + nanos;
    while (simulation.now() < end) {
      writer.append(timestamp);
      simulation.pass(Housekeeping.PAUSE_NANOS_MAX / 200);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSegmentIsPreparedOnceThatIsPossibleAgain(boolean takesEffect) throws LogException {
    FailingStore store = new FailingStore(ledgers.store(() -> true));
    Writer writer = new Writer(store, SPAN, RETENTION);
    writer.startSegment(16);
    store.takesEffect = takesEffect;
    store.fails = true;
    writer.log.prepareSegment();
    appendFor(writer, 100 * Housekeeping.PAUSE_NANOS_MAX, 32);
    assertFalse(writer.log.isSegmentReady());
    assertTrue(store.failures >= 100 && store.failures < 120, store.failures + " attempts");
    store.fails = false;
    appendFor(writer, 2 * Housekeeping.PAUSE_NANOS_MAX, 48);
    assertTrue(writer.log.isSegmentReady());
    writer.startSegment(400);
    quiesce();
    assertEquals(writer.position, writer.durable);
    assertNull(writer.failure);
    assertEquals(2, ledgers.catalog().size());
    assertEquals(ledgers.catalog(), ledgers.existing(), "failed attempts leave no ledgers");
    assertEquals(positions(1, writer.position), new Writer().replayed);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatCannotBeDeletedIsDeletedLater(boolean takesEffect) throws LogException {
    FailingStore store = new FailingStore(ledgers.store(() -> true));
    Writer writer = new Writer(store, SPAN, RETENTION);
    writer.startSegment(16);
    store.takesEffect = takesEffect;
    for (long time = 400; time <= 8000; time += 400) {
      writer.log.prepareSegment();
      quiesce();
      appendFor(writer, 2 * Housekeeping.PAUSE_NANOS_MAX, time);
      store.fails = true;
      writer.startSegment(time);
      appendFor(writer, Housekeeping.PAUSE_NANOS_MAX, time);
      store.fails = false;
    }
    assertNull(writer.failure);
    appendFor(writer, 2 * Housekeeping.PAUSE_NANOS_MAX, 8000);
    assertTrue(ledgers.catalog().size() <= 6, () -> "catalog " + ledgers.catalog());
    assertEquals(ledgers.catalog(), ledgers.existing());
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void housekeepingIsTriedAgainAfterAnExceptionThatNobodyExpects(boolean thrown)
      throws LogException {
    FailingStore store = new FailingStore(ledgers.store(() -> true));
    Writer writer = new Writer(store, SPAN, RETENTION);
    writer.startSegment(16);
    store.unexpected = new IllegalStateException("injected");
    store.throwsIt = thrown;
    store.fails = true;
    writer.log.prepareSegment();
    appendFor(writer, 10 * Housekeeping.PAUSE_NANOS_MAX, 32);
    assertTrue(store.failures > 10, store.failures + " attempts");
    assertFalse(writer.log.isSegmentReady());
    store.fails = false;
    appendFor(writer, 2 * Housekeeping.PAUSE_NANOS_MAX, 48);
    assertTrue(writer.log.isSegmentReady());
    assertNull(writer.failure);
    assertEquals(writer.position, writer.durable);
  }

  /** It reaches the writer's thread, where it ends the server. */
  @Test
  void anErrorOfHousekeepingIsThrown() throws LogException {
    FailingStore store = new FailingStore(ledgers.store(() -> true));
    Writer writer = new Writer(store, SPAN, RETENTION);
    writer.startSegment(16);
    quiesce();
    store.unexpected = new OutOfMemoryError("injected");
    store.fails = true;
    writer.log.prepareSegment();
    assertSame(store.unexpected, assertThrows(OutOfMemoryError.class, this::quiesce));
  }

  /** A successor is noticed although an attempt of one's own may have changed the catalog, too. */
  @Test
  void housekeepingOfADeposedWriterIsFencedAfterAFailure() throws LogException {
    FailingStore store = new FailingStore(ledgers.store(() -> true));
    Writer first = new Writer(store, SPAN, RETENTION);
    first.startSegment(16);
    quiesce();
    store.takesEffect = true;
    store.fails = true;
    first.log.prepareSegment();
    quiesce();
    assertNull(first.failure);
    store.fails = false;
    Writer second = new Writer();
    second.startSegment(32);
    List<Long> catalog = ledgers.catalog();
    simulation.pass(Housekeeping.PAUSE_NANOS_MAX);
    first.log.prepareSegment();
    quiesce();
    assertEquals(LogException.Reason.FENCED, first.failure.reason());
    assertEquals(catalog, ledgers.catalog());
  }

  @Test
  void aLedgerThatGrowsForTooLongStallsTheWriterWithTheReason() throws LogException {
    FailingStore store = new FailingStore(ledgers.store(() -> true));
    Writer writer = new Writer(store, SPAN, RETENTION);
    writer.log.segmentBytesLimit = 1_000;
    writer.startSegment(16);
    store.fails = true;
    writer.log.prepareSegment();
    while (writer.log.segmentBytes() <= 1_000) {
      assertNull(writer.stalledBy);
      writer.append(32);
      quiesce();
    }
    quiesce();
    assertEquals(LogException.Reason.UNAVAILABLE, writer.stalledBy.reason());
    String why = writer.stalledBy.getMessage();
    assertTrue(why.contains("nobody answers"), why);
    store.fails = false;
    simulation.pass(Housekeeping.REPLACEMENT_PAUSE_NANOS_MAX);
    writer.log.proceed();
    quiesce();
    assertEquals(writer.position, writer.durable);
    assertTrue(writer.log.segmentBytes() < 1_000);
  }
}
