package io.retso.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.log.LogException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Ledgers that are not there: deleted by the log's writer, or lost, with entries or without. */
class GoneTest extends LogFixture {
  private static final long TIME = 2000;

  private static LogException failure(Executable call) {
    return assertThrows(LogException.class, call);
  }

  private void delete(long ledger) {
    ledgers.store(() -> true).delete(ledger);
  }

  /** A writer whose first segment has two entries. */
  private Writer next(long timestamp) throws LogException {
    Writer writer = new Writer();
    writer.startSegment(timestamp);
    quiesce();
    append(writer, timestamp + 16);
    return writer;
  }

  /** A store whose process stands still once before it opens a ledger; the log goes on. */
  private LedgerStore standingStill(Writer writer, boolean[] still) {
    return new ForwardingStore(ledgers.store(() -> true)) {
      private void standStill() {
        if (still[0]) {
          still[0] = false;
          for (long time = TIME; time <= 6 * TIME; time += SPAN) {
            writer.roll(time);
          }
          append(writer, 6 * TIME + 16);
        }
      }

      @Override
      public CompletableFuture<Entries> openFenced(long ledger) {
        standStill();
        return super.openFenced(ledger);
      }

      @Override
      public CompletableFuture<Entries> openUnfenced(long ledger) {
        standStill();
        return super.openUnfenced(ledger);
      }
    };
  }

  private void isReadAgain(Writer writer, Standby standby) throws LogException {
    List<LogException> failures = new ArrayList<>();
    for (int i = 0; i < POLLS; i++) {
      await(
          standby
              .tail
              .poll()
              .exceptionally(
                  e -> {
                    failures.add(LogException.of(e));
                    return null;
                  }));
    }
    failures.forEach(each -> assertEquals(Reason.GONE, each.reason(), each::getMessage));
    assertTrue(standby.tail.isWarm());
    assertEquals(positions(standby.shown.get(0), writer.position - 1), standby.shown);
  }

  @Test
  void aTailThatStandsStillBeforeItGoesOnBeginsAgain() throws LogException {
    Writer writer = begun();
    boolean[] still = {false};
    Standby standby = new Standby(standingStill(writer, still));
    standby.poll();
    writer.roll(SPAN);
    still[0] = true;
    isReadAgain(writer, standby);
    assertFalse(still[0]);
    assertEquals(1, standby.restarts);
  }

  @Test
  void aTailThatStandsStillBeforeItHasReadBackBeginsAgain() throws LogException {
    Writer writer = begun();
    writer.roll(SPAN);
    Standby standby = new Standby(standingStill(writer, new boolean[] {true}));
    LogException e = failure(standby::poll);
    assertEquals(Reason.GONE, e.reason(), e.getMessage());
    assertFalse(standby.tail.isWarm());
    isReadAgain(writer, standby);
  }

  @Test
  void aTakeOverThatFindsWhatItsSuccessorDeletedIsFenced() throws LogException {
    Writer writer = begun();
    LedgerStore store =
        new ForwardingStore(ledgers.store(() -> true)) {
          @Override
          public CompletableFuture<Entries> openFenced(long ledger) {
            try {
              new Writer();
            } catch (LogException e) {
              throw new AssertionError(e);
            }
            delete(ledger);
            return super.openFenced(ledger);
          }
        };
    LogException e = failure(() -> new Writer(store, SPAN, RETENTION));
    assertEquals(Reason.FENCED, e.reason(), e.getMessage());
    assertEquals(2, writer.position);
  }

  /** The catalog names it, and its entries are missed. */
  @Test
  void aLedgerThatIsLostIsDamage() throws LogException {
    begun();
    Standby standby = new Standby();
    standby.poll();
    Writer second = next(400);
    Writer third = next(800);
    delete(ledgers.catalog().get(1));
    assertEquals(6, third.position);
    assertEquals(4, second.position);
    isDamage(failure(() -> poll(standby)));
    isDamage(failure(() -> poll(new Standby())));
    isDamage(failure(Writer::new));
    isDamage(failure(standby::takeOver));
  }

  @Test
  void theOldestLedgerIsDamageOnlyIfAWindowReachesBackToIt() throws LogException {
    begun();
    Writer second = next(400);
    second.roll(1600);
    delete(ledgers.catalog().get(0));
    assertEquals(positions(3, 5), new Writer().replayed);
    isDamage(failure(() -> new Writer(2 * SPAN, RETENTION)));
  }

  private void poll(Standby standby) throws LogException {
    for (int i = 0; i < POLLS; i++) {
      standby.poll();
    }
  }

  private static void isDamage(LogException e) {
    assertEquals(Reason.CORRUPT, e.reason(), e.getMessage());
    assertTrue(e.getMessage().contains("list of ledgers names it"), e.getMessage());
  }

  /** A server that stopped before its first entry; the one that took over next has one. */
  @Test
  void anEmptyLedgerThatIsGoneDoesNoHarm() throws LogException {
    begun();
    Standby tail = new Standby();
    tail.poll();
    Standby late = new Standby();
    late.poll();
    new Writer();
    Standby inside = new Standby();
    poll(inside);
    Writer third = next(400);
    delete(ledgers.catalog().get(1));
    for (Standby each : List.of(tail, inside, new Standby())) {
      poll(each);
      assertEquals(positions(1, 3), each.shown);
      assertEquals(0, each.restarts);
    }
    assertEquals(positions(1, 4), new Writer().replayed);
    late.takeOver();
    assertEquals(positions(1, 4), late.shown);
    assertEquals(0, late.restarts);
    Writer last = next(800);
    simulation.pass(RETENTION);
    for (long time = TIME; time <= 6 * TIME; time += SPAN) {
      last.roll(time);
    }
    assertEquals(ledgers.catalog(), ledgers.existing());
    assertEquals(4, third.position);
  }

  @Test
  void theFirstLedgerOfALogDoesNoHarmIfTheNextHasItsFirstEntry() throws LogException {
    new Writer();
    Writer second = next(16);
    delete(ledgers.catalog().get(0));
    assertEquals(positions(1, 2), new Writer().replayed);
    assertEquals(2, second.position);
  }

  /** Its writer may go on in it, on bookies that have not heard of the deletion. */
  @Test
  void aLedgerThatIsGoneCannotBeFencedWithoutAnEntryBehindIt() throws LogException {
    begun();
    Standby standby = new Standby();
    standby.poll();
    new Writer();
    delete(ledgers.catalog().get(1));
    poll(standby); // there is nothing to be read
    assertEquals(positions(1, 2), standby.shown);
    isDamage(failure(Writer::new));
    isDamage(failure(standby::takeOver));
  }
}
