package io.retso.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.log.LedgerLog;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.oracle.CommitBatch;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Timestamps;
import io.retso.simulator.SimulatedLedgers;
import io.retso.simulator.Simulation;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server that is cut off from the log while another one takes it over, and goes on. From the
 * first commit that the other one acknowledges, it answers with no timestamp.
 */
class DeposedServerTest {
  private static final int WINDOW = 1 << 12;

  private final Simulation simulation = new Simulation(1);
  private final SimulatedLedgers ledgers =
      new SimulatedLedgers(simulation, SimulatedLedgers.Behaviour.PROMPT, bytes -> {});

  private final class Server implements Sequencer.Replies, SimulatedLedgers.Process {
    final Sequencer sequencer;
    long cutOffUntil;

    /** For how long its monotonic clock stood still. */
    long sleptNanos;

    LogException failure;

    Server() throws LogException {
      SequencerSettings.Timing timing =
          SequencerSettings.Timing.usual(
              () -> simulation.now() - sleptNanos, () -> simulation.now() / Simulation.MILLIS);
      sequencer =
          new Sequencer(
              new SequencerSettings(4, 1000, true, SequencerSettings.EntryBytes.USUAL, timing),
              changes -> new StatusOracle(100, WINDOW, 100, changes),
              this);
      Recovery recovery = new Recovery(sequencer.oracle());
      CompletableFuture<LedgerLog> taking =
          LedgerLog.takeOver(
              ledgers.store(this),
              new LedgerLog.Threads(task -> simulation.after(0, task), simulation::now),
              sequencer,
              new LedgerLog.Settings(
                  (long) WINDOW << Timestamps.GAP_BITS, Long.MAX_VALUE / 2, "server"),
              recovery);
      assertTrue(simulation.run(taking::isDone, Long.MAX_VALUE));
      LedgerLog log = taking.join();
      recovery.finish(Timestamps.GAP);
      sequencer.startAfter(recovery, log, log.times().fencedNanos());
    }

    /** Decides something; returns whether the answer has left. */
    boolean decides() {
      sequencer.abort(sequencer.begin(1));
      long position = sequencer.replyPosition();
      sequencer.flush();
      simulation.pass(1);
      return sequencer.released() >= position;
    }

    /** Whether the answer to a request for a timestamp would leave at once. */
    boolean answersTimestamps() {
      sequencer.timestamp();
      return failure == null && sequencer.replyPosition() <= sequencer.durable();
    }

    @Override
    public boolean isAlive() {
      return true;
    }

    @Override
    public long cutOffUntil(SimulatedLedgers.Party party, SimulatedLedgers.Way way) {
      return cutOffUntil;
    }

    @Override
    public void durable(long position) {}

    @Override
    public void failed(LogException cause) {
      failure = cause;
    }
  }

  private void pass(Server first, Server second) {
    simulation.pass(5 * Simulation.MILLIS);
    for (Server server : new Server[] {first, second}) {
      if (server.failure == null) {
        server.sequencer.tick();
      }
    }
    simulation.pass(1);
  }

  @ParameterizedTest
  @ValueSource(longs = {50, 100, 1_000})
  void nothingIsReadFromItOnceASuccessorHasAcknowledgedACommit(long cutOffMillis)
      throws LogException {
    Server first = new Server();
    simulation.pass(Simulation.MILLIS);
    first.cutOffUntil = simulation.now() + cutOffMillis * Simulation.MILLIS;
    Server second = new Server();
    assertTrue(first.answersTimestamps(), "it cannot know better");
    assertTrue(second.sequencer.begin(1) > first.sequencer.timestamp());
    CommitBatch batch = new CommitBatch(10);
    batch.rows()[batch.add(second.sequencer.begin(1), false, 1)] = 7;
    second.sequencer.commit(batch);
    long position = second.sequencer.replyPosition();
    second.sequencer.flush();
    boolean acknowledged = false;
    int answered = 0;
    for (int i = 0; i < 300; i++) {
      acknowledged |= second.sequencer.released() >= position;
      boolean answers = first.failure == null && first.answersTimestamps();
      assertFalse(
          acknowledged && answers, "a timestamp that does not see the commit, in step " + i);
      answered += answers ? 1 : 0;
      pass(first, second);
    }
    assertTrue(acknowledged);
    assertTrue(answered > 0);
    assertEquals(LogException.Reason.FENCED, first.failure.reason(), "it learns it in the end");
  }

  /** Its ledger was deleted meanwhile, and its bookies do not know any more that it was fenced. */
  @Test
  void nothingIsDecidedByOneThatStoodStillForHours() throws LogException {
    mustDecideNothingAfterHours(false);
  }

  @Test
  void norByOneThatSleptForHours() throws LogException {
    mustDecideNothingAfterHours(true);
  }

  private void mustDecideNothingAfterHours(boolean withItsClock) throws LogException {
    Server first = new Server();
    simulation.pass(1);
    assertTrue(first.decides());
    long ledger = ledgers.catalog().get(0);
    Server second = new Server();
    LedgerStore store = ledgers.store(second);
    LedgerStore.Catalog now = store.readCatalog().join();
    store.replaceCatalog(now, now.ledgers().subList(1, 2)).join();
    store.delete(ledger).join();
    long hours = 2 * 3_600_000 * Simulation.MILLIS;
    simulation.pass(hours);
    first.sleptNanos = withItsClock ? hours : 0;
    assertFalse(first.decides());
    assertEquals(LogException.Reason.FENCED, first.failure.reason());
  }

  @Test
  void oneThatStoodStillGoesOnIfNobodyElseLeads() throws LogException {
    Server alone = new Server();
    simulation.pass(1);
    simulation.pass(LogWriter.STOOD_STILL_NANOS / 2);
    assertTrue(alone.decides());
    assertEquals(0, alone.sequencer.counters().stalls);
    simulation.pass(LogWriter.STOOD_STILL_NANOS + 1);
    assertTrue(alone.decides());
    assertEquals(1, alone.sequencer.counters().stalls);
  }

  @Test
  void nobodyWaitsForOneThatStoppedCleanly() throws LogException {
    Server first = new Server();
    simulation.pass(1);
    long end = first.sequencer.finish();
    simulation.pass(1);
    assertTrue(first.sequencer.durable() >= end);
    Server second = new Server();
    second.sequencer.abort(second.sequencer.begin(1));
    long position = second.sequencer.replyPosition();
    simulation.pass(1);
    second.sequencer.flush();
    simulation.pass(1);
    assertTrue(second.sequencer.released() >= position);
  }
}
