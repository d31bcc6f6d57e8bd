package io.retso.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

/** The take-over of a log, step by step, on simulated ledgers. */
class TakeOverTest extends LogFixture {
  /** A store on which somebody else changes the catalog before each of our replacements. */
  private LedgerStore contended(int times) {
    LedgerStore others = ledgers.store(() -> true);
    int[] left = {times};
    return new ForwardingStore(ledgers.store(() -> true)) {
      @Override
      public CompletableFuture<Catalog> replaceCatalog(Catalog expected, Content wanted) {
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
    quiesce();
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

  /** What it goes on to is entered in the catalog first, so the replacement fails. */
  @Test
  void aWriterThatRollsOnDuringATakeOverLosesNothing() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    quiesce();
    boolean[] rolled = {false};
    LedgerStore store =
        new ForwardingStore(ledgers.store(() -> true)) {
          @Override
          public CompletableFuture<Catalog> replaceCatalog(Catalog expected, Content wanted) {
            if (!rolled[0]) {
              rolled[0] = true;
              first.roll(400);
            }
            return super.replaceCatalog(expected, wanted);
          }
        };
    assertEquals(positions(1, 2), new Writer(store, SPAN, RETENTION).replayed);
    first.append(800);
    quiesce();
    assertEquals(LogException.Reason.FENCED, first.failure.reason());
  }

  /** A segment that was prepared before the take-over begins while the ledgers are fenced. */
  @Test
  void aSegmentThatBeginsBetweenTwoFencesIsReplayedOrFails() throws LogException {
    for (int fences = 0; fences < 3; fences++) {
      Writer first = new Writer();
      long time = 10_000L * (fences + 1);
      first.startSegment(time);
      first.log.prepareSegment();
      quiesce();
      int[] left = {fences};
      LedgerStore store =
          new ForwardingStore(ledgers.store(() -> true)) {
            @Override
            public CompletableFuture<Entries> openFenced(long ledger) {
              if (left[0]-- == 0) {
                first.startSegment(time + 400);
                quiesce();
              }
              return super.openFenced(ledger);
            }
          };
      Writer second = new Writer(store, SPAN, RETENTION);
      long last = second.replayed.get(second.replayed.size() - 1);
      assertEquals(first.durable, last, "with " + fences + " fences before");
      second.startSegment(time + 800);
      quiesce();
    }
  }

  @Test
  void ofTwoThatTakeOverAtTheSameTimeOneLosesAndLeavesNothing() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    quiesce();
    LedgerStore store =
        new ForwardingStore(ledgers.store(() -> true)) {
          private boolean overtaken;

          @Override
          public CompletableFuture<Catalog> replaceCatalog(Catalog expected, Content wanted) {
            if (!overtaken) {
              overtaken = true;
              faster();
            }
            return super.replaceCatalog(expected, wanted);
          }
        };
    LogException e = assertThrows(LogException.class, () -> new Writer(store, SPAN, RETENTION));
    assertEquals(LogException.Reason.FENCED, e.reason());
    assertEquals(ledgers.catalog(), ledgers.existing());
  }

  private void faster() {
    try {
      new Writer();
    } catch (LogException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * The reply to the replacement is lost, somebody else takes over behind it, and the repetition is
   * refused.
   */
  @Test
  void aReplacementThatIsRefusedAfterItTookEffectLeavesItsLedgerToTheNext() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    quiesce();
    Writer[] third = {null};
    LedgerStore store =
        new ForwardingStore(ledgers.store(() -> true)) {
          @Override
          public CompletableFuture<Catalog> replaceCatalog(Catalog expected, Content wanted) {
            super.replaceCatalog(expected, wanted);
            try {
              third[0] = new Writer();
            } catch (LogException e) {
              throw new AssertionError(e);
            }
            return super.replaceCatalog(expected, wanted);
          }
        };
    LogException e = assertThrows(LogException.class, () -> new Writer(store, SPAN, RETENTION));
    assertEquals(LogException.Reason.FENCED, e.reason());
    assertEquals(3, ledgers.catalog().size());
    assertEquals(ledgers.catalog(), ledgers.existing());
    third[0].startSegment(400);
    quiesce();
    assertEquals(positions(1, 2), new Writer().replayed);
  }

  /** It has begun an epoch, and stops before it fences anybody. */
  @Test
  void aTakerThatStopsHalfWayLeavesAWriterThatCanAppendButNotRoll() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    quiesce();
    LedgerStore store =
        new ForwardingStore(ledgers.store(() -> true)) {
          @Override
          public CompletableFuture<Entries> openFenced(long ledger) {
            return CompletableFuture.failedFuture(
                new LogException(LogException.Reason.UNAVAILABLE, "it stops"));
          }
        };
    assertThrows(LogException.class, () -> new Writer(store, SPAN, RETENTION));
    first.append(32);
    quiesce();
    assertEquals(2, first.durable);
    first.log.prepareSegment();
    quiesce();
    assertEquals(LogException.Reason.FENCED, first.failure.reason());
    Writer next = new Writer();
    assertEquals(positions(1, 2), next.replayed);
    assertEquals(first.log.epoch() + 2, next.log.epoch());
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

  @Test
  void aLongerWindowStopsAtTheGapThatTrimmingLeft() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    quiesce();
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
    quiesce();
    long old = ledgers.catalog().get(0);
    LedgerStore store = ledgers.store(() -> true);
    Writer second = new Writer();
    second.startSegment(400);
    quiesce();
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

  /** Entries of a ledger that a successor takes over and deletes while all of them are read. */
  private final class OvertakenEntries implements LedgerStore.Entries {
    private final long ledger;
    private final LedgerStore.Entries entries;

    OvertakenEntries(long ledger, LedgerStore.Entries entries) {
      this.ledger = ledger;
      this.entries = entries;
    }

    @Override
    public long count() {
      return entries.count();
    }

    @Override
    public CompletableFuture<Boolean> refresh() {
      return entries.refresh();
    }

    @Override
    public CompletableFuture<Void> read(
        long from, long to, Executor executor, LedgerStore.EntryVisitor visitor) {
      faster();
      return CompletableFuture.failedFuture(LogException.gone(ledger, "no such ledger", null));
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
    quiesce();
    LedgerStore store =
        new ForwardingStore(ledgers.store(() -> true)) {
          @Override
          public CompletableFuture<Entries> openFenced(long ledger) {
            return super.openFenced(ledger)
                .thenApply(entries -> new OvertakenEntries(ledger, entries));
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
    quiesce();
    writer.append(32);
    quiesce();
    writer.append(32); // which confirms the one before
    writer.log.prepareSegment(); // an empty ledger behind the newest segment
    quiesce();
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
                        new LedgerLog.Settings(SPAN, RETENTION, ""),
                        new Refusing(2))));
    assertEquals(LogException.Reason.TOO_LARGE, e.reason());
    assertEquals(before, ledgers.catalog());
    writer.append(48);
    quiesce();
    assertEquals(writer.position, writer.durable);
    assertNull(writer.failure);
  }

  @Test
  void aDamagedEntryStopsTheTakeOver() throws LogException {
    Writer first = new Writer();
    first.startSegment(16);
    ByteBuffer damaged = ByteBuffer.allocate(40);
    first.log.append(2, damaged);
    quiesce();
    LogException e = assertThrows(LogException.class, Writer::new);
    assertEquals(LogException.Reason.CORRUPT, e.reason());
  }

  /** Each leaves one ledger, until somebody leads for longer than these must be kept. */
  @Test
  void manyFailOversInARowLeaveLittle() throws LogException {
    Writer before = null;
    long time = 16;
    for (int i = 1; i <= 200; i++) {
      Writer next = new Writer();
      assertTrue(before == null || next.position == before.position, "fail-over " + i);
      next.startSegment(time += 160);
      next.append(time);
      if (i % 3 == 0) {
        next.log.prepareSegment();
      }
      quiesce();
      int most = i + i / 3;
      assertTrue(ledgers.catalog().size() <= most, ledgers.catalog() + " after " + i);
      before = next;
    }
    simulation.pass(RETENTION);
    for (int i = 0; i < 12; i++) {
      before.roll(time += 400);
    }
    assertTrue(ledgers.catalog().size() <= 6, () -> "catalog " + ledgers.catalog());
    assertEquals(ledgers.catalog(), ledgers.existing());
    assertEquals(before.position, new Writer().position);
  }
}
