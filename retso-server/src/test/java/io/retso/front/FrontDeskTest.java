package io.retso.front;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.retso.front.Conversation.Progress;
import io.retso.front.DeskFixture.Peer;
import io.retso.front.DeskFixture.Reads;
import io.retso.oracle.Changes;
import io.retso.oracle.CommitBatch;
import io.retso.oracle.ForwardedChanges;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When replies leave, and when frames wait. */
class FrontDeskTest {
  private DeskFixture fixture = new DeskFixture();
  private int hosts;

  @AfterEach
  void close() {
    fixture.close();
  }

  private Peer peer() throws FrameException {
    return fixture.new Peer("host" + hosts++).hello();
  }

  @ParameterizedTest
  @EnumSource(
      value = FrameType.class,
      names = {"COMMIT", "COMMIT_READS", "STATUS", "ABORT", "CLEANED", "WATERMARK", "SWEPT"})
  void everyReplyOfTheLogLaneWaitsForAnEntryOfItsTime(FrameType type) throws FrameException {
    Peer peer = peer();
    long start = peer.start();
    long before = fixture.appended;
    switch (type) {
      case COMMIT -> peer.commit(false, 1, start);
      case COMMIT_READS -> // of a transaction that only reads, too
          peer.commitReads(false, new Reads(start, new long[0], new long[] {1}));
      case STATUS -> peer.send(type, 1, start, start);
      case WATERMARK -> peer.send(type, 1);
      default -> {
        peer.setLocal(true); // for its sweep
        peer.sendOwned(type, start);
      }
    }
    fixture.endTurn();
    assertEquals(before + 1, fixture.appended, "an entry is written, if only an empty one");
    assertTrue(peer.replies.isEmpty());
    fixture.acknowledge();
    assertEquals(1, peer.replies.size());
  }

  @Test
  void timestampsOvertakeDecisionsAndNotOneAnother() throws FrameException {
    Peer peer = peer();
    long start = peer.start();
    int commit = peer.commit(false, 1, start);
    int first = peer.begin(1);
    int timestamp = peer.send(FrameType.TIMESTAMP, 2);
    int snapshot = peer.send(FrameType.SAFE, 2);
    fixture.endTurn();
    assertEquals(List.of(first, timestamp, snapshot), peer.ids());
    fixture.acknowledge();
    assertEquals(List.of(first, timestamp, snapshot, commit), peer.ids());
  }

  /** The acknowledgement may come between two requests and the end of their turn. */
  @Test
  void aReplyThatWaitedDoesNotOvertakeOneThatDidNot() throws FrameException {
    Peer peer = peer();
    peer.begin(4); // of six: the next reservation is on its way
    fixture.endTurn();
    peer.replies.clear();
    int atOnce = peer.begin(1);
    int waits = peer.begin(DeskFixture.RESERVATION);
    fixture.acknowledge();
    fixture.endTurn();
    fixture.acknowledge();
    assertEquals(List.of(atOnce, waits), peer.ids());
  }

  @Test
  void aLaneLetsNothingOvertakeWhatItHolds() {
    ReplyLane lane = new ReplyLane();
    assertTrue(lane.mayLeave(5, 5));
    assertFalse(lane.mayLeave(6, 5));
    lane.hold(6, 1, 0, UnpooledByteBufAllocator.DEFAULT).writeByte(1);
    assertFalse(lane.mayLeave(0, 5), "durable, and behind one that is held");
    lane.hold(0, 1, 0, UnpooledByteBufAllocator.DEFAULT).writeByte(2);
    List<Integer> left = new ArrayList<>();
    ReplyLane.Exit exit =
        held -> {
          left.add((int) held.replies().readByte());
          held.replies().release();
        };
    lane.release(5, exit);
    assertEquals(List.of(), left);
    lane.release(6, exit);
    assertEquals(List.of(1, 2), left);
  }

  @Test
  void helloAndPingAreAnsweredWhileTheLogStalls() throws FrameException {
    stall(peer());
    Peer other = peer();
    int ping = other.ping();
    fixture.endTurn();
    assertEquals(List.of(ping), other.ids());
    other.begin(1);
    assertEquals(Progress.WAITING, other.progress);
  }

  /** Sends commits until one must wait. */
  private void stall(Peer peer) throws FrameException {
    long start = peer.start();
    for (int i = 0; peer.progress != Progress.WAITING; i++) {
      assertTrue(i < 1000, "the log is never full");
      peer.sendOwned(FrameType.CLEANED, start);
      peer.commit(false, 5, start);
      peer.begin(1);
      fixture.endTurn();
      peer.replies.clear();
      start += Timestamps.GAP;
    }
  }

  @Test
  void drainingTakesNothingMoreAndWaitsForWhatIsHeld() throws FrameException {
    Peer stalled = peer();
    stall(stalled);
    int held = stalled.replies.size();
    CompletableFuture<Void> drained = fixture.desk.drain();
    assertFalse(drained.isDone());
    long next = fixture.sequencer.oracle().nextTimestamp();
    fixture.acknowledge(); // there is room again: what waits must not be taken for that
    fixture.endTurn();
    assertTrue(drained.isDone());
    assertTrue(stalled.replies.size() > held);
    assertEquals(next, fixture.sequencer.oracle().nextTimestamp());
    stalled.take();
    assertEquals(Progress.WAITING, stalled.progress);
    Peer late = fixture.new Peer("late");
    late.ping();
    assertEquals(Progress.WAITING, late.progress);
  }

  /** An error in the middle of a batch: whatever could be said now might be untrue. */
  @Test
  void anErrorOfTheOracleEndsTheServerAndNobodyIsAnsweredAnyMore() throws FrameException {
    IllegalStateException injected = new IllegalStateException("injected");
    int[] commits = {0};
    fixture =
        new DeskFixture(
            changes ->
                new StatusOracle(
                    1000,
                    1024,
                    100,
                    new ForwardedChanges() {
                      @Override
                      protected Changes target() {
                        return changes;
                      }

                      @Override
                      public void committed(long s, long c, long[] rows, int from, int to) {
                        commits[0]++;
                        throw injected;
                      }
                    }));
    Peer peer = peer();
    Peer other = peer();
    long[] starts = {peer.start(), peer.start(), peer.start(), other.start()};
    fixture.acknowledge(); // reservations
    other.send(FrameType.STATUS, 1, starts[3], starts[3]);
    long entries = fixture.appended;
    peer.commit(false, 1, starts[0], starts[1], starts[2]);
    assertSame(injected, fixture.error);
    other.commit(false, 2, starts[3]);
    assertEquals(Progress.WAITING, other.progress);
    fixture.endTurn();
    fixture.acknowledge();
    fixture.sequencer.flush();
    assertEquals(entries, fixture.appended, "what the error left is not logged");
    assertTrue(peer.replies.isEmpty() && other.replies.isEmpty());
    assertEquals(1, commits[0]);
  }

  @Test
  void anErrorInWritingAReplyEndsTheServer() throws FrameException {
    Peer peer = peer();
    Peer other = peer();
    long start = peer.start();
    other.send(FrameType.STATUS, 1, start, start);
    peer.allocationError = new OutOfMemoryError("injected");
    peer.commit(false, 1, start);
    assertSame(peer.allocationError, fixture.error);
    fixture.endTurn();
    fixture.acknowledge();
    assertTrue(peer.replies.isEmpty() && other.replies.isEmpty());
    other.begin(1);
    assertEquals(Progress.WAITING, other.progress);
  }

  @Test
  void answersOfManyBatchesComeInOrder() throws FrameException {
    Peer peer = peer();
    peer.begin(70);
    fixture.endTurn();
    fixture.acknowledge(); // their reservation
    long first = peer.answer();
    long[] starts = new long[70];
    for (int i = 0; i < starts.length; i++) {
      starts[i] = first + (long) i * Timestamps.GAP;
    }
    peer.commit(false, 9, starts); // the same row: the first one wins
    fixture.nextTurn(); // a large frame
    fixture.acknowledge();
    ByteBuf reply = peer.replies.remove(0);
    assertTrue(Outcome.isCommitted(reply.getLong(12)));
    for (int i = 1; i < starts.length; i++) {
      assertEquals(Outcome.ABORTED_CONFLICT, reply.getLong(12 + i * Long.BYTES));
    }
  }

  /** However much one host sends over however many connections. */
  @Test
  void aHostThatUsedUpItsTurnWaitsAndOthersGoFirst() throws FrameException {
    Peer[] greedy = {
      fixture.new Peer("greedy").hello(), fixture.new Peer("greedy").hello(), peer()
    };
    Peer other = greedy[2];
    for (int i = 0; greedy[0].progress != Progress.WAITING; i++) {
      assertTrue(i < 10_000, "it never waits");
      greedy[0].ping();
    }
    greedy[1].begin(1);
    assertEquals(Progress.WAITING, greedy[1].progress, "of the same host");
    other.begin(1);
    assertEquals(Progress.INCOMPLETE, other.progress, "it was taken");
    for (int i = 0; i < DeskFixture.TURN_UNITS; i++) { // they wait with the first
      greedy[0].ping();
    }
    fixture.endTurn();
    fixture.nextTurn();
    assertEquals(Progress.WAITING, greedy[0].progress);
    assertEquals(Progress.WAITING, greedy[1].progress, "behind the first");
    other.begin(1);
    assertEquals(Progress.INCOMPLETE, other.progress);
    fixture.endTurn();
    fixture.nextTurn();
    assertEquals(Progress.INCOMPLETE, greedy[1].progress, "before the first comes again");
    for (int i = 0; greedy[0].progress == Progress.WAITING; i++) {
      assertTrue(i < 100, "it is never served");
      fixture.endTurn();
      fixture.acknowledge();
      fixture.nextTurn();
    }
    fixture.endTurn();
    fixture.acknowledge();
    assertEquals(2 * DeskFixture.TURN_UNITS + 1, greedy[0].replies.size());
  }

  /** Each timestamp may push a commit out of the window, which is more work than the timestamp. */
  @Test
  void whatBeginsPushOutOfTheWindowIsPartOfTheirWork() throws FrameException {
    CommitBatch batch = new CommitBatch(1);
    long first = fixture.sequencer.begin(1);
    for (int i = 0; i < 20; i++) {
      batch.clear();
      batch.rows()[batch.add(fixture.sequencer.begin(1), false, 1)] = i;
      fixture.sequencer.commit(batch);
      fixture.sequencer.flush();
      fixture.acknowledge();
    }
    while (!fixture.sequencer.passTo(first + (DeskFixture.WINDOW - 2L) * Timestamps.GAP)) {
      fixture.sequencer.flush();
      fixture.acknowledge();
    }
    fixture.sequencer.flush();
    fixture.acknowledge();
    Peer peer = peer();
    fixture.endTurn();
    peer.begin(40);
    assertEquals(Progress.INCOMPLETE, peer.progress, "it was taken");
    assertTrue(fixture.sequencer.oracle().moves() > 15);
    peer.ping();
    assertEquals(Progress.WAITING, peer.progress, "its turn is used up");
  }

  /** However many hosts send however much. */
  @Test
  void aTurnOfAllHostsIsBounded() throws FrameException {
    List<Peer> peers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      peers.add(peer());
    }
    fixture.endTurn();
    for (Peer peer : peers) {
      for (int i = 0; i < DeskFixture.TURN_UNITS; i++) {
        peer.ping();
      }
    }
    int all = peers.size() * DeskFixture.TURN_UNITS;
    fixture.endTurn();
    int answered = answered(peers);
    assertEquals(2 * DeskFixture.TURN_UNITS, answered, "what was read");
    for (int turn = 2; answered < all; turn++) {
      fixture.nextTurn();
      answered = answered(peers);
      assertEquals((turn + 1) * DeskFixture.TURN_UNITS, answered, "what had to wait");
      Peer served = peers.get(turn);
      assertEquals(DeskFixture.TURN_UNITS, served.replies.size(), "in turn");
    }
  }

  private static int answered(List<Peer> peers) {
    return peers.stream().mapToInt(peer -> peer.replies.size()).sum();
  }

  @Test
  void ofLargeFramesATurnTakesOne() throws FrameException {
    long[] starts = LongStream.rangeClosed(1, 2 * DeskFixture.TURN_UNITS).toArray();
    Peer[] large = {peer(), peer()};
    Peer small = peer();
    fixture.endTurn();
    for (Peer peer : large) {
      peer.sendOwned(FrameType.CLEANED, starts);
      assertEquals(Progress.WAITING, peer.progress);
    }
    small.begin(1);
    assertEquals(Progress.INCOMPLETE, small.progress, "it was taken before");
    fixture.endTurn();
    fixture.nextTurn();
    assertEquals(Progress.INCOMPLETE, large[0].progress, "it was taken");
    assertEquals(Progress.WAITING, large[1].progress);
    fixture.nextTurn();
    assertEquals(Progress.INCOMPLETE, large[1].progress, "it was taken");
  }

  /** They may walk over a million places, however small the frame is. */
  @ParameterizedTest
  @EnumSource(
      value = FrameType.class,
      names = {"WATERMARK", "SWEPT"})
  void whatMayWalkFarIsAWholeTurn(FrameType type) throws FrameException {
    Peer peer = peer();
    peer.begin(1);
    fixture.endTurn();
    long start = peer.answer();
    if (type == FrameType.SWEPT) {
      peer.sendOwned(type, start);
    } else {
      peer.send(type, 1);
    }
    peer.ping();
    assertEquals(Progress.WAITING, peer.progress);
  }

  @Test
  void aLargeFrameIsADebt() {
    ClientShare share = new ClientShare(100, 1, 1, 0);
    assertTrue(share.hasCredit(1));
    share.spend(350);
    assertFalse(share.hasCredit(1));
    assertFalse(share.hasCredit(3));
    assertTrue(share.hasCredit(4));
    share.spend(50);
    assertFalse(share.hasCredit(4));
    assertTrue(share.hasCredit(1000));
    share.spend(100);
    assertFalse(share.hasCredit(1000), "what was not used is not saved");
  }
}
