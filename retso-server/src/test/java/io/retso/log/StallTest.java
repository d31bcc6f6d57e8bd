package io.retso.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.log.LogException.Reason;
import io.retso.simulator.Simulation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A log whose ledgers fail goes on in others. */
class StallTest extends LogFixture {
  @Test
  void whateverFailsNothingIsLostAndNothingIsDoubled() {
    Map<String, Integer> counts = new HashMap<>();
    for (long seed = 1; seed <= 100; seed++) {
      StallWorld world = new StallWorld(seed);
      try {
        world.run(12);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
      world.counts.forEach((what, times) -> counts.merge(what, times, Integer::sum));
    }
    System.out.println(counts);
    for (String what :
        List.of("resumed", "resumed with entries that survived", "deposed while stalled")) {
      assertTrue(counts.getOrDefault(what, 0) > 50, what + ": " + counts);
    }
  }

  /**
   * Ledgers whose appends fail, or whose entries are kept although they are said to have failed.
   */
  private final class BreakingStore extends ForwardingStore {
    /** So many of the appends that come next are kept, and all fail. */
    int keeps = -1;

    boolean creates = true;

    BreakingStore() {
      super(ledgers.store(() -> true));
    }

    @Override
    public CompletableFuture<Ledger> create() {
      return creates
          ? super.create().thenApply(Breaking::new)
          : CompletableFuture.failedFuture(new LogException(Reason.UNAVAILABLE, "too few bookies"));
    }

    private final class Breaking implements Ledger {
      private final Ledger ledger;
      private boolean broken;

      Breaking(Ledger ledger) {
        this.ledger = ledger;
      }

      @Override
      public long id() {
        return ledger.id();
      }

      @Override
      public void append(ByteBuffer entry, long context, AppendCallback callback) {
        broken |= keeps >= 0;
        if (!broken) {
          ledger.append(entry, context, callback);
          return;
        }
        if (keeps-- > 0) {
          ledger.append(entry, context, (position, failure) -> {});
        }
        LogException failure = new LogException(Reason.UNAVAILABLE, "too few bookies");
        simulation.after(0, () -> callback.completed(context, failure));
      }

      @Override
      public CompletableFuture<Void> closeAsync() {
        return CompletableFuture.completedFuture(null);
      }
    }
  }

  private final BreakingStore store = new BreakingStore();

  /** A writer that appends again what it is asked to. */
  private Writer stalledAfter(int kept, int appended) throws LogException {
    Writer writer = new Writer(store, SPAN, RETENTION);
    writer.startSegment(16 * (writer.position + 1));
    quiesce();
    store.keeps = kept;
    for (int i = 0; i < appended; i++) {
      writer.append(16 * (writer.position + 1));
    }
    return writer;
  }

  @Test
  void aStallIsOverAtOnceIfALedgerCanBeCreated() throws LogException {
    for (int kept = 0; kept <= 3; kept++) {
      Writer writer = stalledAfter(kept, 3);
      long before = writer.durable;
      store.keeps = -1;
      quiesce();
      assertEquals(1, writer.stalls);
      assertEquals(before + kept, writer.resumedAt);
      assertEquals(writer.position, writer.durable);
      assertNull(writer.failure);
      Writer next = new Writer();
      assertEquals(writer.position, next.replayed.get(next.replayed.size() - 1));
      next.startSegment(16 * (next.position + 1));
      quiesce();
    }
  }

  /** What all members read when it began; a leader of a later build writes more in the next one. */
  @Test
  void aSegmentHasOneVersionAlsoBehindAStall() throws LogException {
    int later = 2 * LogEntry.newestVersion();
    Writer writer = stalledAfter(1, 3);
    writer.log.writeAtMost(later);
    store.keeps = -1;
    quiesce();
    Writer next = new Writer();
    assertEquals(writer.position, next.position, "this build reads it");
    next.log.writeAtMost(later);
    next.startSegment(16 * (next.position + 1));
    quiesce();
    assertEquals(Reason.NEWER, assertThrows(LogException.class, Writer::new).reason());
  }

  /** The first entry of all is one of a segment's beginning, wherever it arrives. */
  @Test
  void aSegmentThatCouldNotBeginBeginsInTheNextLedger() throws LogException {
    Writer writer = new Writer(store, SPAN, RETENTION);
    store.keeps = 0;
    writer.startSegment(16);
    store.keeps = -1;
    quiesce();
    assertEquals(0, writer.resumedAt);
    assertEquals(1, writer.durable);
    Writer next = new Writer();
    assertEquals(positions(1, 1), next.replayed);
    assertEquals(16, next.firstStart);
  }

  @Test
  void oneThatWasDeposedMeanwhileLearnsItAndAppendsNothing() throws LogException {
    Writer writer = stalledAfter(1, 2);
    store.creates = false;
    Writer next = new Writer();
    store.creates = true;
    simulation.pass(Housekeeping.REPLACEMENT_PAUSE_NANOS_MAX);
    writer.log.proceed();
    quiesce();
    assertEquals(Reason.FENCED, writer.failure.reason());
    assertEquals(-1, writer.resumedAt);
    assertEquals(positions(1, 2), next.replayed);
    next.startSegment(48);
    quiesce();
    assertEquals(3, next.durable);
  }

  /** As tools of bookies do that mend ledgers which lack a copy. */
  @Test
  void aLedgerThatIsFencedByNobodyWhoTookOverIsReplaced() throws LogException {
    Writer writer = new Writer();
    writer.startSegment(16);
    quiesce();
    await(ledgers.store(() -> true).openFenced(ledgers.catalog().get(0)));
    writer.append(32);
    quiesce();
    assertEquals(1, writer.stalls);
    assertNull(writer.failure);
    assertEquals(2, writer.durable);
  }

  @Test
  void aLedgerThatWasPreparedIsUsed() throws LogException {
    Writer writer = new Writer(store, SPAN, RETENTION);
    writer.startSegment(16);
    writer.log.prepareSegment();
    quiesce();
    List<Long> before = ledgers.catalog();
    store.keeps = 0;
    writer.append(32);
    store.keeps = -1;
    quiesce();
    assertEquals(2, writer.durable);
    assertEquals(before, ledgers.catalog());
    assertFalse(writer.log.isSegmentReady());
  }

  /**
   * A recovery reads the beginning of the segment, and nothing that begins in the middle of one.
   */
  @Test
  void aSegmentOfManyLedgersIsReplayedFromItsBeginningAndDeletedAsAWhole() throws LogException {
    Writer writer = stalledAfter(1, 2);
    for (long time = 400; time <= 8000; time += 400) {
      for (int stall = 0; stall < 3; stall++) {
        store.keeps = stall % 2;
        writer.append(time);
        store.keeps = -1;
        quiesce();
      }
      writer.roll(time);
      assertTrue(ledgers.catalog().size() < 30, () -> "catalog " + ledgers.catalog());
    }
    Writer next = new Writer();
    assertTrue(next.firstStart <= 8000 - SPAN, () -> "begins at " + next.firstStart);
    assertEquals(positions(next.replayed.get(0), writer.position), next.replayed);
    assertEquals(ledgers.catalog(), ledgers.existing());
  }

  /** A recovery needs all of the segment that began a window before, not only its last ledger. */
  @Test
  void aCrashBeforeTheFirstEntryOfASegmentLosesNoneOfManyLedgers() throws LogException {
    for (int rolls = 3; rolls < 12; rolls++) {
      long begin = 100_000L * rolls;
      Writer writer = new Writer(store, SPAN, RETENTION);
      writer.startSegment(begin);
      quiesce();
      for (int i = 1; i <= rolls; i++) {
        writer.roll(begin + 400 * i);
        writer.append(begin + 400 * i);
        quiesce();
        store.keeps = 1;
        writer.append(begin + 400 * i);
        writer.append(begin + 400 * i);
        store.keeps = -1;
        quiesce();
      }
      writer.log.prepareSegment();
      quiesce();
      long time = begin + 400 * (rolls + 1);
      writer.log.startSegment(time, time - SPAN);
      quiesce(); // old segments are gone, the new one is empty
      Writer next = new Writer(store, SPAN, RETENTION);
      long newest = time - 400;
      assertTrue(next.firstStart <= newest - SPAN, () -> "begins at " + next.firstStart);
      assertEquals(writer.position, next.position);
    }
  }

  /** A crash while a segment of several ledgers was deleted: its middle is left. */
  @Test
  void whatIsLeftOfASegmentIsNotReplayed() throws LogException {
    Writer writer = stalledAfter(1, 2);
    quiesce();
    store.keeps = -1;
    quiesce();
    writer.roll(400);
    LedgerStore other = ledgers.store(() -> true);
    List<Long> ledgersNow = new ArrayList<>(ledgers.catalog());
    assertEquals(3, ledgersNow.size(), ledgersNow::toString);
    long first = ledgersNow.set(0, ~ledgersNow.get(0));
    await(other.replaceCatalog(await(other.readCatalog()), ledgersNow));
    await(other.delete(first));
    Writer next = new Writer(100 * SPAN, RETENTION);
    assertEquals(positions(writer.position, writer.position), next.replayed);
  }

  @Test
  void anAttemptIsRepeatedAfterAPauseThatDoublesToASecond() throws LogException {
    int[] attempts = {0};
    boolean[] fails = {true};
    LedgerStore unreachable =
        new ForwardingStore(store) {
          @Override
          public CompletableFuture<Entries> openFenced(long ledger) {
            attempts[0]++;
            return fails[0]
                ? CompletableFuture.failedFuture(
                    new LogException(Reason.UNAVAILABLE, "somebody else recovers it"))
                : super.openFenced(ledger);
          }
        };
    Writer writer = new Writer(unreachable, SPAN, RETENTION);
    writer.startSegment(16);
    quiesce();
    store.keeps = 0;
    writer.append(32);
    store.keeps = -1;
    for (int millis = 0; millis < 60_000; millis += 10) {
      simulation.pass(10 * Simulation.MILLIS);
      writer.log.proceed();
    }
    assertTrue(attempts[0] >= 60 && attempts[0] < 72, attempts[0] + " attempts");
    assertEquals(1, writer.durable);
    fails[0] = false;
    simulation.pass(Housekeeping.REPLACEMENT_PAUSE_NANOS_MAX);
    writer.log.proceed();
    quiesce();
    assertEquals(2, writer.durable);
    assertNull(writer.failure);
  }

  /** If a successor has the log, that one has deleted it. */
  @Test
  void aWriterWhoseLedgerIsGoneEnds() throws LogException {
    for (boolean isDeposed : new boolean[] {false, true}) {
      LedgerStore lossy =
          new ForwardingStore(store) {
            @Override
            public CompletableFuture<Entries> openFenced(long ledger) {
              if (isDeposed && ledger == ledgers.catalog().get(1)) {
                Catalog now = super.readCatalog().join();
                super.replaceCatalog(now, now.content().takenOver("", ledger + 1));
              }
              return ledger == ledgers.catalog().get(0) && isDeposed
                  ? super.openFenced(ledger)
                  : CompletableFuture.failedFuture(LogException.gone(ledger, "no ledger", null));
            }
          };
      Writer writer = new Writer(lossy, SPAN, RETENTION);
      writer.startSegment(16 * (writer.position + 1));
      quiesce();
      store.keeps = 0;
      writer.append(16 * (writer.position + 1));
      quiesce();
      store.keeps = -1;
      assertEquals(isDeposed ? Reason.FENCED : Reason.CORRUPT, writer.failure.reason());
    }
  }

  /** Bookies that came back without what they had acknowledged. */
  @Test
  void aWriterEndsIfWhatWasAcknowledgedIsLost() throws LogException {
    LedgerStore forgetful =
        new ForwardingStore(store) {
          @Override
          public CompletableFuture<Entries> openFenced(long ledger) {
            return super.create().thenCompose(empty -> super.openFenced(empty.id()));
          }
        };
    Writer writer = new Writer(forgetful, SPAN, RETENTION);
    writer.startSegment(16);
    quiesce();
    store.keeps = 0;
    writer.append(32);
    quiesce();
    assertEquals(Reason.CORRUPT, writer.failure.reason());
    assertTrue(writer.failure.getMessage().contains("1 were acknowledged"));
  }
}
