package io.retso.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.protocol.Timestamps;
import io.retso.simulator.SimulatedLedgers;
import io.retso.simulator.Simulation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The log's protocol, step by step, on simulated ledgers. */
class LedgerLogTest {
  private static final long SPAN = 1000;
  private static final long RETENTION = 1_000_000;

  private final Simulation simulation = new Simulation(1);
  private final SimulatedLedgers ledgers =
      new SimulatedLedgers(simulation, SimulatedLedgers.Behaviour.PROMPT, bytes -> {});

  /** A writer: what it heard and what it replayed. */
  private final class Writer implements CommitLog.Listener, LedgerLog.Replay {
    final List<Long> replayed = new ArrayList<>();
    final LedgerStore store;
    LedgerLog log;
    long position;
    long firstStart;
    long durable;
    LogException failure;

    Writer(long span, long retention) throws LogException {
      this(ledgers.store(() -> true), span, retention);
    }

    Writer(LedgerStore store, long span, long retention) throws LogException {
      this.store = store;
      LedgerLog.Threads threads =
          new LedgerLog.Threads(task -> simulation.after(0, task), simulation::now);
      log = await(LedgerLog.takeOver(store, threads, this, span, retention, this));
      position = replayed.isEmpty() ? 0 : replayed.get(replayed.size() - 1);
    }

    Writer() throws LogException {
      this(SPAN, RETENTION);
    }

    void append(long timestamp) {
      LogEntry entry = new LogEntry(64);
      entry.segment(timestamp);
      log.append(++position, entry.seal(position));
    }

    void startSegment(long timestamp) {
      log.startSegment(timestamp, timestamp - SPAN);
      append(timestamp);
    }

    void roll(long timestamp) {
      log.prepareSegment();
      settle();
      assertTrue(log.isSegmentReady());
      startSegment(timestamp);
      settle();
    }

    @Override
    public void durable(long upTo) {
      durable = upTo;
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
      Starts starts = new Starts();
      LogEntry.read(firstEntry, new long[0], starts);
      return starts.start;
    }
  }

  private <T> T await(CompletableFuture<T> future) throws LogException {
    assertTrue(simulation.run(future::isDone, Long.MAX_VALUE));
    try {
      return future.join();
    } catch (CompletionException e) {
      throw LogException.of(e);
    }
  }

  private void settle() {
    simulation.pass(1);
  }

  private static List<Long> positions(long from, long to) {
    List<Long> positions = new ArrayList<>();
    for (long i = from; i <= to; i++) {
      positions.add(i);
    }
    return positions;
  }

  @Test
  void anEmptyLogIsTakenOver() throws LogException {
    Writer writer = new Writer();
    assertEquals(List.of(), writer.replayed);
    assertEquals(1, ledgers.catalog().size());
    writer.startSegment(16);
    settle();
    assertEquals(1, writer.durable);
  }

  @Test
  void aSuccessorReplaysEverythingAndFencesTheWriter() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    first.append(32);
    settle();
    assertEquals(2, first.durable);
    Writer second = new Writer();
    assertEquals(positions(1, 2), second.replayed);
    first.append(48);
    settle();
    assertEquals(LogException.Reason.FENCED, first.failure.reason());
    assertEquals(2, first.durable, "nothing is durable behind a fence");
    assertTrue(second.log.epoch() > first.log.epoch());
  }

  /** A store on which somebody else changes the catalog before each of our replacements. */
  private LedgerStore contended(int times) {
    LedgerStore others = ledgers.store(() -> true);
    int[] left = {times};
    return new ForwardingStore(ledgers.store(() -> true)) {
      @Override
      public CompletableFuture<Catalog> replaceCatalog(Catalog expected, List<Long> wanted) {
        if (left[0]-- > 0) {
          Catalog now = others.readCatalog().join();
          others.replaceCatalog(now, now.ledgers());
        }
        return super.replaceCatalog(expected, wanted);
      }
    };
  }

  @Test
  void aTakeOverTriesAgainButNotForEver() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    settle();
    List<Long> before = ledgers.existing();
    LogException e =
        assertThrows(
            LogException.class, () -> new Writer(contended(Integer.MAX_VALUE), SPAN, RETENTION));
    assertEquals(LogException.Reason.FENCED, e.reason());
    assertTrue(e.getMessage().contains("20 attempts"), e.getMessage());
    assertEquals(before, ledgers.existing(), "what it created is deleted");
    LedgerStore store = contended(LedgerLog.TAKE_OVER_ATTEMPTS_MAX - 1);
    assertEquals(positions(1, 1), new Writer(store, SPAN, RETENTION).replayed);
  }

  @Test
  void aDeposedWriterCannotRoll() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    settle();
    Writer second = new Writer();
    second.startSegment(32);
    first.log.prepareSegment();
    settle();
    assertFalse(first.log.isSegmentReady());
    assertEquals(LogException.Reason.FENCED, first.failure.reason());
  }

  @Test
  void aSegmentThatWasPreparedBeforeIsFencedToo() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    first.log.prepareSegment();
    settle();
    Writer second = new Writer();
    assertEquals(positions(1, 1), second.replayed);
    first.startSegment(32);
    settle();
    assertEquals(LogException.Reason.FENCED, first.failure.reason());
    second.startSegment(48);
    settle();
    assertEquals(2, second.durable);
  }

  /** A process that reaches nobody until a time. */
  private static final class CutOff implements SimulatedLedgers.Process {
    long until;

    @Override
    public boolean isAlive() {
      return true;
    }

    @Override
    public long cutOffUntil(SimulatedLedgers.Party party) {
      return until;
    }
  }

  @Test
  void appendsThatWereNotAcknowledgedMaySurvive() throws LogException {
    boolean survived = false;
    boolean lost = false;
    for (int i = 0; i < 50; i++) {
      CutOff process = new CutOff();
      Writer writer = new Writer(ledgers.store(process), SPAN, RETENTION);
      writer.startSegment(16);
      settle();
      process.until = simulation.now() + 2;
      writer.append(32); // under way when the next one takes over
      Writer next = new Writer();
      survived |= next.replayed.contains(writer.position);
      lost |= !next.replayed.contains(writer.position);
      settle();
      next.position = next.replayed.get(next.replayed.size() - 1);
      next.startSegment(48);
      settle();
    }
    assertTrue(survived && lost);
  }

  @Test
  void recoveryReachesBackOverOneWindowAndNoFurther() throws LogException {
    Writer writer = new Writer();
    writer.startSegment(16);
    for (long time = 400; time <= 4000; time += 400) {
      writer.roll(time);
    }
    // The newest segment begins at 4000: those from 2800 on are needed, begun by the 8th entry.
    Writer next = new Writer();
    assertEquals(positions(8, 11), next.replayed);
  }

  /** A writer under load asks with each entry until the segment is ready. */
  @Test
  void aSegmentIsPreparedOnceHoweverOftenItIsAskedFor() throws LogException {
    Writer writer = new Writer();
    writer.startSegment(16);
    for (int i = 0; i < 3; i++) {
      writer.log.prepareSegment();
    }
    settle();
    writer.startSegment(400);
    settle();
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
      settle();
      long time = 400L * (rolls + 1) + 100_000L * rolls;
      writer.log.startSegment(time, time - SPAN);
      settle(); // old segments are gone, the new one is empty
      Writer next = new Writer();
      long newest = time - 400;
      assertTrue(next.firstStart <= newest - SPAN, () -> "begins at " + next.firstStart);
    }
  }

  @Test
  void inheritedLedgersStayForTheirTime() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    settle();
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

  @Test
  void aLongerWindowStopsAtTheGapThatTrimmingLeft() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    settle();
    Writer second = new Writer();
    second.startSegment(400);
    for (long time = 800; time <= 8000; time += 400) {
      second.roll(time);
    }
    Writer third = new Writer(100 * SPAN, RETENTION);
    long from = third.replayed.get(0);
    assertTrue(from > 2, "what the first writer left lies behind a gap");
    assertEquals(positions(from, second.position), third.replayed);
  }

  @Test
  void aLedgerThatIsBeingDeletedIsNotOpenedAndIsDeletedByTheNext() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    settle();
    long old = ledgers.catalog().get(0);
    LedgerStore store = ledgers.store(() -> true);
    Writer second = new Writer();
    second.startSegment(400);
    settle();
    List<Long> condemned = new ArrayList<>(ledgers.catalog());
    condemned.set(0, ~old);
    store.replaceCatalog(store.readCatalog().join(), condemned); // and the crash comes
    store.delete(old);
    Writer third = new Writer(100 * SPAN, RETENTION);
    assertEquals(positions(2, 2), third.replayed);
    third.startSegment(800);
    for (long time = 1200; time <= 8000; time += 400) {
      third.roll(time);
    }
    assertFalse(ledgers.catalog().contains(~old));
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
    settle();
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
      settle();
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

  /** A successor is noticed although an attempt of one's own may have changed the catalog, too. */
  @Test
  void housekeepingOfADeposedWriterIsFencedAfterAFailure() throws LogException {
    FailingStore store = new FailingStore(ledgers.store(() -> true));
    Writer first = new Writer(store, SPAN, RETENTION);
    first.startSegment(16);
    settle();
    store.takesEffect = true;
    store.fails = true;
    first.log.prepareSegment();
    settle();
    assertNull(first.failure);
    store.fails = false;
    Writer second = new Writer();
    second.startSegment(32);
    List<Long> catalog = ledgers.catalog();
    simulation.pass(Housekeeping.PAUSE_NANOS_MAX);
    first.log.prepareSegment();
    settle();
    assertEquals(LogException.Reason.FENCED, first.failure.reason());
    assertEquals(catalog, ledgers.catalog());
  }

  @Test
  void aLedgerThatGrowsForTooLongEndsTheWriterWithTheReason() throws LogException {
    FailingStore store = new FailingStore(ledgers.store(() -> true));
    Writer writer = new Writer(store, SPAN, RETENTION);
    writer.log.segmentBytesLimit = 1_000;
    writer.startSegment(16);
    store.fails = true;
    writer.log.prepareSegment();
    while (writer.log.segmentBytes() <= 1_000) {
      assertNull(writer.failure);
      writer.append(32);
      settle();
    }
    settle();
    assertEquals(LogException.Reason.UNAVAILABLE, writer.failure.reason());
    assertTrue(writer.failure.getMessage().contains("nobody answers"), writer.failure::getMessage);
  }

  /** Entries of a ledger that a successor takes over and deletes while all of them are read. */
  private final class OvertakenEntries implements LedgerStore.Entries {
    private final LedgerStore.Entries entries;

    OvertakenEntries(LedgerStore.Entries entries) {
      this.entries = entries;
    }

    @Override
    public long count() {
      return entries.count();
    }

    @Override
    public CompletableFuture<Void> read(
        long from, long to, Executor executor, LedgerStore.EntryVisitor visitor) {
      if (ledgers.catalog().size() == 1) { // the head only
        return entries.read(from, to, executor, visitor);
      }
      try {
        new Writer();
      } catch (LogException e) {
        throw new AssertionError(e);
      }
      return CompletableFuture.failedFuture(
          new LogException(LogException.Reason.CORRUPT, "no such ledger"));
    }

    @Override
    public void close() {
      entries.close();
    }
  }

  /** The successor of a successor deletes what the latter still reads. */
  @Test
  void aTakeOverThatIsOvertakenWhileItReadsIsFencedAndNotCorrupt() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    settle();
    LedgerStore store =
        new ForwardingStore(ledgers.store(() -> true)) {
          @Override
          public CompletableFuture<Entries> openFenced(long ledger) {
            return super.openFenced(ledger).thenApply(OvertakenEntries::new);
          }
        };
    LogException e = assertThrows(LogException.class, () -> new Writer(store, SPAN, RETENTION));
    assertEquals(LogException.Reason.FENCED, e.reason());
    assertTrue(e.getMessage().contains("took the log over"), e.getMessage());
  }

  /** A writer that looks at so many entries, and refuses then. */
  private final class Refusing implements LedgerLog.Replay {
    private int left;

    Refusing(int entries) {
      left = entries;
    }

    @Override
    public boolean look(ByteBuffer entry) throws LogException {
      if (--left == 0) {
        throw new LogException(LogException.Reason.TOO_LARGE, "too much at the head");
      }
      return true;
    }

    @Override
    public void entry(ByteBuffer bytes) {
      throw new AssertionError("it is replayed");
    }

    @Override
    public long segmentStart(ByteBuffer firstEntry) {
      throw new AssertionError("it is opened");
    }
  }

  @Test
  void aLogThatIsRefusedRemainsWithItsWriter() throws LogException {
    Writer writer = new Writer();
    writer.startSegment(16);
    writer.append(32);
    writer.log.prepareSegment(); // an empty ledger behind the newest segment
    settle();
    List<Long> before = ledgers.catalog();
    LedgerLog.Threads threads =
        new LedgerLog.Threads(task -> simulation.after(0, task), simulation::now);
    LogException e =
        assertThrows(
            LogException.class,
            () ->
                await(
                    LedgerLog.takeOver(
                        ledgers.store(() -> true),
                        threads,
                        writer,
                        SPAN,
                        RETENTION,
                        new Refusing(2))));
    assertEquals(LogException.Reason.TOO_LARGE, e.reason());
    assertEquals(before, ledgers.catalog());
    writer.append(48);
    settle();
    assertEquals(writer.position, writer.durable);
    assertNull(writer.failure);
  }

  @Test
  void aDamagedEntryStopsTheTakeOver() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    ByteBuffer damaged = ByteBuffer.allocate(40);
    first.log.append(2, damaged);
    settle();
    LogException e = assertThrows(LogException.class, Writer::new);
    assertEquals(LogException.Reason.CORRUPT, e.reason());
  }
}
