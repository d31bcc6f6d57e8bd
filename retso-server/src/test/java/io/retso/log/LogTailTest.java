package io.retso.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A standby that reads what another server writes, step by step, on simulated ledgers. */
class LogTailTest extends LogFixture {
  @Test
  void anEntryIsShownOnceALaterOneConfirmsIt() throws LogException {
    Standby standby = new Standby();
    standby.poll();
    assertFalse(standby.tail.isWarm(), "there is no log yet");
    Writer writer = begun();
    standby.poll();
    assertTrue(standby.tail.isWarm());
    assertEquals(positions(1, 1), standby.shown, "nobody but the writer knows of the last one");
    append(writer, 48);
    append(writer, 64);
    assertEquals(positions(1, 1), standby.shown);
    simulation.pass(1_000);
    standby.poll();
    assertEquals(positions(1, 3), standby.shown);
    assertEquals(0, standby.tail.entriesBehind());
    assertEquals(List.of(), standby.fenced, "the writer was disturbed");
    assertNull(writer.failure);
  }

  /** A look at the catalog waits for no poll, so their answers may come in another order. */
  @Test
  void aCatalogThatArrivesBehindANewerOneIsNotTaken() throws LogException {
    begun();
    CompletableFuture<Void> held = new CompletableFuture<>();
    boolean[] holds = {false};
    Standby standby =
        new Standby(
            new ForwardingStore(ledgers.store(() -> true)) {
              @Override
              public CompletableFuture<Catalog> readCatalog() {
                CompletableFuture<Catalog> reading = super.readCatalog();
                boolean isHeld = holds[0];
                holds[0] = false;
                return isHeld ? reading.thenCombine(held, (found, free) -> found) : reading;
              }
            });
    standby.poll();
    holds[0] = true;
    standby.tail.lookAtCatalog();
    quiesce();
    new Standby().takeOver();
    standby.poll(); // of which the catalog is read, too
    long epoch = standby.tail.catalog().epoch();
    assertEquals(2, epoch, "that of the poll");
    held.complete(null);
    quiesce();
    assertEquals(epoch, standby.tail.catalog().epoch());
  }

  @Test
  void itGoesOverRollsAndTakesOverFromWhereItIs() throws LogException {
    Writer writer = new Writer();
    writer.startSegment(16);
    quiesce();
    Standby standby = new Standby();
    for (long time = 400; time <= 8000; time += 400) {
      writer.roll(time);
      append(writer, time + 16);
      standby.poll();
    }
    append(writer, 8032);
    append(writer, 8048);
    writer.log.prepareSegment();
    quiesce();
    List<Long> catalog = ledgers.catalog();
    assertEquals(0, standby.restarts);
    standby.fenced.clear();
    LedgerLog log = standby.takeOver();
    assertEquals(positions(1, writer.position), standby.shown, "each entry once");
    assertEquals(catalog.subList(catalog.size() - 2, catalog.size()), standby.fenced);
    assertEquals(writer.log.epoch() + 1, log.epoch());
    append(writer, 8064);
    assertEquals(LogException.Reason.FENCED, writer.failure.reason());
    log.startSegment(8080, 8080 - SPAN);
    LogEntry entry = new LogEntry(64);
    entry.segment(8080);
    log.append(writer.position, entry.seal(writer.position)); // that of the entry that failed
    quiesce();
    assertEquals(writer.position, standby.durable);
  }

  /** What it took over it trims like a writer that read everything. */
  @Test
  void segmentsThatItHasReadAreDeletedWhenTheirTimeIsOver() throws LogException {
    Writer writer = new Writer();
    writer.startSegment(16);
    quiesce();
    Standby standby = new Standby();
    for (long time = 400; time <= 4000; time += 400) {
      writer.roll(time);
      standby.poll();
    }
    LedgerLog log = standby.takeOver();
    simulation.pass(RETENTION);
    long position = writer.position;
    for (long time = 4400; time <= 12_000; time += 400) {
      log.startSegment(time, time - SPAN);
      LogEntry entry = new LogEntry(64);
      entry.segment(time);
      log.append(++position, entry.seal(position));
      quiesce();
      log.prepareSegment();
      quiesce();
    }
    assertTrue(ledgers.catalog().size() <= 6, () -> "catalog " + ledgers.catalog());
    assertEquals(ledgers.catalog(), ledgers.existing());
  }

  /** A writer that cannot reach the catalog when it rolls leaves its ledger open. */
  @Test
  void aLedgerThatWasNotClosedIsLeftWhenTheNextHasEntries() throws LogException {
    LedgerStore store =
        new ForwardingStore(ledgers.store(() -> true)) {
          @Override
          public CompletableFuture<Ledger> create() {
            return super.create().thenApply(Unclosed::new);
          }
        };
    Writer writer = new Writer(store, SPAN, RETENTION);
    writer.startSegment(16);
    quiesce();
    Standby standby = new Standby();
    standby.poll();
    for (long time = 400; time <= 1600; time += 400) {
      writer.roll(time);
      append(writer, time + 16);
      for (int i = 0; i < POLLS; i++) {
        standby.poll();
      }
      assertEquals(positions(1, writer.position - 1), standby.shown);
    }
    assertNull(writer.failure);
  }

  private record Unclosed(LedgerStore.Ledger ledger) implements LedgerStore.Ledger {
    @Override
    public long id() {
      return ledger.id();
    }

    @Override
    public void append(ByteBuffer entry, long context, LedgerStore.AppendCallback callback) {
      ledger.append(entry, context, callback);
    }

    @Override
    public CompletableFuture<Void> closeAsync() {
      return CompletableFuture.completedFuture(null);
    }
  }

  @Test
  void whatIsTrimmedBeforeItIsReadMakesItBeginAgain() throws LogException {
    Writer writer = begun();
    Standby standby = new Standby();
    standby.poll();
    for (long time = 400; time <= 8000; time += 400) {
      writer.roll(time);
    }
    append(writer, 8016);
    for (int i = 0; i < POLLS; i++) {
      await(standby.tail.poll().handle((polled, e) -> null));
    }
    assertEquals(1, standby.restarts);
    long first = standby.shown.get(0);
    assertTrue(first > 10, "it begins a window before the newest segment");
    assertEquals(positions(first, writer.position - 1), standby.shown);
  }

  /** What another writer left is kept for longer than what lies between it and the window. */
  @Test
  void whatIsTrimmedBehindTheLedgerThatIsReadMakesItBeginAgain() throws LogException {
    for (boolean polls : new boolean[] {false, true}) {
      Writer first = begun();
      Standby standby = new Standby();
      standby.poll();
      int restarts = standby.restarts;
      Writer second = new Writer();
      for (long time = 400; time <= 8000; time += 400) {
        if (time == 400) {
          second.startSegment(time);
          quiesce();
        } else {
          second.roll(time);
        }
      }
      append(second, 8016);
      for (int i = 0; polls && i < POLLS; i++) {
        standby.poll();
      }
      standby.takeOver();
      assertEquals(restarts + 1, standby.restarts);
      assertEquals(positions(standby.shown.get(0), second.position), standby.shown);
      simulation.pass(RETENTION);
    }
  }

  /** The position is found to be trimmed when the catalog is its own already. */
  @Test
  void aTakeOverFromATrimmedPositionReadsAnew() throws LogException {
    Writer writer = begun();
    Standby standby = new Standby();
    standby.poll();
    for (long time = 400; time <= 8000; time += 400) {
      writer.roll(time);
    }
    standby.takeOver();
    assertEquals(1, standby.restarts);
    assertEquals(positions(standby.shown.get(0), writer.position), standby.shown);
  }

  @Test
  void aLedgerThatIsPreparedAheadDisturbsNobody() throws LogException {
    Writer writer = begun();
    Standby standby = new Standby();
    standby.poll();
    writer.log.prepareSegment();
    quiesce();
    for (int i = 0; i < POLLS; i++) {
      standby.poll();
    }
    assertEquals(List.of(), standby.fenced);
    append(writer, 48);
    assertEquals(0, writer.stalls);
  }

  /** How long decisions must be held counts from there. */
  @Test
  void aTakeOverIsFencedWhenTheLastLedgerIs() throws LogException {
    begun();
    long[] openedAt = {0};
    Standby standby =
        new Standby(
            new ForwardingStore(ledgers.store(() -> true)) {
              @Override
              public CompletableFuture<Entries> openFenced(long ledger) {
                CompletableFuture<Entries> late = new CompletableFuture<>();
                simulation.after(
                    500_000,
                    () -> {
                      openedAt[0] = simulation.now();
                      super.openFenced(ledger).thenAccept(late::complete);
                    });
                return late;
              }
            });
    standby.poll();
    LedgerLog log = standby.takeOver();
    assertTrue(openedAt[0] > 0);
    assertEquals(openedAt[0], log.times().fencedNanos());
  }

  /**
   * A poll may wait for bookies and for the catalog: the epoch begins meanwhile. The catalog that
   * it hears of names the own ledger, and the ledger that it reads is closed: it stays there.
   */
  @Test
  void theEpochBeginsBesideThePollAndThatLosesNothing() throws LogException {
    Writer writer = begun();
    CompletableFuture<Void> held = new CompletableFuture<>();
    boolean[] holds = {false};
    Standby standby =
        new Standby(
            new ForwardingStore(ledgers.store(() -> true)) {
              @Override
              public CompletableFuture<Catalog> readCatalog() {
                boolean isHeld = holds[0];
                holds[0] = false;
                return isHeld ? held.thenCompose(h -> super.readCatalog()) : super.readCatalog();
              }
            });
    standby.poll();
    writer.log.close();
    quiesce();
    holds[0] = true;
    CompletableFuture<Void> polling = standby.tail.poll();
    quiesce();
    CompletableFuture<LedgerLog> taking = standby.tail.takeOver(standby);
    quiesce();
    assertFalse(polling.isDone());
    assertFalse(taking.isDone());
    assertEquals(2, await(ledgers.store(() -> true).readCatalog()).epoch());
    held.complete(null);
    await(taking);
    assertEquals(0, standby.restarts);
    assertEquals(positions(1, writer.position), standby.shown);
  }

  /** Bookies that came back without it; no other server would ever see it. */
  @Test
  void aTakeOverThatFindsLessThanItHasReadFails() throws LogException {
    begun();
    Standby standby =
        new Standby(
            new ForwardingStore(ledgers.store(() -> true)) {
              @Override
              public CompletableFuture<Entries> openFenced(long ledger) {
                return super.create().thenCompose(empty -> super.openFenced(empty.id()));
              }
            });
    standby.poll();
    assertEquals(positions(1, 1), standby.shown);
    LogException e = assertThrows(LogException.class, standby::takeOver);
    assertEquals(LogException.Reason.CORRUPT, e.reason());
    assertTrue(e.getMessage().contains("0 entries, and 1 were confirmed"), e.getMessage());
  }

  @Test
  void aStandbyThatLosesTheRaceGoesOn() throws LogException {
    Writer first = begun();
    Writer[] second = {null};
    Standby standby =
        new Standby(
            new ForwardingStore(ledgers.store(() -> true)) {
              @Override
              public CompletableFuture<Catalog> replaceCatalog(Catalog expected, Content wanted) {
                try {
                  second[0] = second[0] == null ? new Writer() : second[0];
                } catch (LogException e) {
                  throw new AssertionError(e);
                }
                return super.replaceCatalog(expected, wanted);
              }
            });
    standby.poll();
    LogException e = assertThrows(LogException.class, standby::takeOver);
    assertEquals(LogException.Reason.FENCED, e.reason());
    second[0].startSegment(400);
    quiesce();
    append(second[0], 416);
    standby.poll();
    standby.poll();
    assertEquals(positions(1, second[0].position - 1), standby.shown);
    assertEquals(0, standby.restarts);
    standby.takeOver();
    assertEquals(positions(1, second[0].position), standby.shown);
  }

  /** A leader that hands over has what its log has: it reads on, and nothing again. */
  @Test
  void aWriterThatIsDoneGoesOnBehindWhatItHasWritten() throws LogException {
    for (boolean rolls : new boolean[] {false, true}) {
      Writer first = new Writer();
      first.startSegment(16);
      quiesce();
      if (rolls) {
        first.roll(32);
      }
      append(first, 48);
      Standby standby = new Standby();
      standby.tail.goOnBehind(first.log);
      first.log.close();
      assertTrue(standby.tail.isWarm());
      standby.poll();
      quiesce();
      standby.poll();
      assertEquals(List.of(), standby.shown, "it has all of that");
      Writer second = new Writer();
      assertEquals(first.position, second.position);
      second.startSegment(64);
      quiesce();
      append(second, 80);
      append(second, 96);
      for (int i = 0; i < POLLS; i++) {
        standby.poll();
      }
      assertEquals(positions(first.position + 1, second.position - 1), standby.shown);
      assertEquals(0, standby.restarts);
      standby.takeOver();
      assertEquals(positions(first.position + 1, second.position), standby.shown);
    }
  }

  @Test
  void aWriterThatIsDoneTakesOverAgainWithoutAPoll() throws LogException {
    Writer writer = begun();
    Standby standby = new Standby();
    standby.tail.goOnBehind(writer.log);
    writer.log.close();
    LedgerLog log = standby.takeOver();
    assertEquals(List.of(), standby.shown);
    assertEquals(0, standby.restarts);
    assertEquals(writer.log.epoch() + 1, log.epoch());
  }

  @Test
  void aWriterThatIsDoneAndTooSlowReadsTheLogAnew() throws LogException {
    Writer first = begun();
    Standby standby = new Standby();
    standby.tail.goOnBehind(first.log);
    first.log.close();
    Writer second = new Writer();
    second.startSegment(400);
    quiesce();
    simulation.pass(RETENTION);
    for (long time = 800; time <= 8000; time += 400) {
      second.roll(time);
    }
    append(second, 8016);
    for (int i = 0; i < POLLS; i++) {
      await(standby.tail.poll().handle((polled, e) -> null));
    }
    assertEquals(1, standby.restarts);
    assertEquals(positions(standby.shown.get(0), second.position - 1), standby.shown);
  }
}
