package io.retso.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Ledgers that are made ahead, on simulated ledgers. */
class SpareLedgerTest extends LogFixture {
  private final List<Long> deleted = new ArrayList<>();
  private final List<Long> created = new ArrayList<>();
  private final FailingStore failing = new FailingStore(ledgers.store(() -> true));
  private final LedgerStore store =
      new ForwardingStore(failing) {
        @Override
        public CompletableFuture<Ledger> create() {
          CompletableFuture<Ledger> creation = super.create();
          creation.thenAccept(made -> created.add(made.id()));
          return creation;
        }

        @Override
        public CompletableFuture<Void> delete(long ledger) {
          deleted.add(ledger);
          return super.delete(ledger);
        }
      };

  private final LedgerLog.Threads threads =
      new LedgerLog.Threads(task -> simulation.after(0, task), simulation::now);
  private final SpareLedger spare = new SpareLedger(store, threads);

  private void keep() {
    spare.keep();
    quiesce();
  }

  @Test
  void itIsMadeOnceAndGivenAwayOnce() throws LogException {
    keep();
    keep();
    assertEquals(1, created.size());
    assertEquals(created.get(0), await(spare.take()).id());
    long another = await(spare.take()).id();
    assertEquals(List.of(created.get(0), another), created);
    spare.close();
    assertEquals(List.of(), deleted);
  }

  @Test
  void whatIsNotNeededIsGivenBackWhenItIsOldAndAtTheEnd() {
    keep();
    simulation.pass(SpareLedger.AGE_NANOS_MAX);
    keep();
    assertEquals(2, created.size());
    assertEquals(created.subList(0, 1), deleted);
    spare.close();
    assertEquals(created, deleted);
  }

  @Test
  void aFailureIsNotRepeatedAtOnceAndATakeOverTriesItself() throws LogException {
    failing.fails = true;
    keep();
    keep();
    assertEquals(1, failing.failures);
    simulation.pass(SpareLedger.RETRY_NANOS);
    spare.keep();
    failing.fails = false;
    long made = await(spare.take()).id();
    assertEquals(List.of(made), created);
    assertEquals(2, failing.failures);
  }

  /**
   * The ledger that was made ahead is that which is written; the server that loses the race gives
   * its back.
   */
  @Test
  void aTakeOverWritesToItAndALostOneGivesItBack() throws LogException {
    Writer writer = new Writer();
    writer.startSegment(16);
    quiesce();
    LogTail tail = tail();
    LogTail late = tail();
    for (LogTail each : List.of(tail, late)) {
      await(each.poll());
      each.prepareTakeOver();
      quiesce();
    }
    long epoch = writer.log.epoch();
    LedgerLog log =
        await(tail.takeOver(new Nobody(), epoch, () -> CompletableFuture.completedFuture(null)));
    assertEquals(
        created.get(0), await(store.readCatalog()).ledgers().get(1), "the end of the catalog");
    LogException e =
        assertThrows(
            LogException.class,
            () ->
                await(
                    late.takeOver(
                        new Nobody(), epoch, () -> CompletableFuture.completedFuture(null))));
    assertEquals(LogException.Reason.FENCED, e.reason());
    assertEquals(created.subList(1, 2), deleted);
    assertEquals(2, created.size());
    log.close();
  }

  private LogTail tail() {
    return new LogTail(
        store, threads, new LedgerLog.Settings(SPAN, RETENTION, "standby"), new Nobody());
  }

  /** Sees and hears nothing. */
  private static final class Nobody implements LedgerLog.Replay, CommitLog.Listener {
    @Override
    public void entry(ByteBuffer bytes) {}

    @Override
    public long segmentStart(ByteBuffer firstEntry) throws LogException {
      return Starts.of(firstEntry);
    }

    @Override
    public void durable(long position) {}

    @Override
    public void failed(LogException cause) {
      throw new AssertionError(cause);
    }
  }
}
