package io.retso.front;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.retso.front.Conversation.Progress;
import io.retso.front.DeskFixture.Peer;
import io.retso.front.DeskFixture.Reads;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What protocol 2 adds, at the desk: commits that say what was read, and safe snapshots. */
class CommitReadsTest {
  private static final int GAP = Timestamps.GAP;
  private static final long[] NONE = {};

  private final DeskFixture fixture = new DeskFixture();
  private int hosts;

  @AfterEach
  void close() {
    fixture.close();
  }

  private Peer peer() throws FrameException {
    return fixture.new Peer("host" + hosts++).hello();
  }

  private static long[] ids(long... ids) {
    return ids;
  }

  private static long[] range(int from, int count) {
    return LongStream.range(from, from + count).toArray();
  }

  private void quiesce() {
    fixture.endTurn();
    fixture.acknowledge();
    fixture.nextTurn();
    fixture.acknowledge();
  }

  /** Each overwrites what the other one has read. */
  @Test
  void writeSkewIsRefused() throws FrameException {
    Peer peer = peer();
    long first = peer.start();
    long second = peer.start();
    long reader = peer.start();
    peer.commitReads(
        false,
        new Reads(first, ids(1), ids(2)),
        new Reads(second, ids(2), ids(1)),
        new Reads(reader, NONE, ids(1)));
    quiesce();
    ByteBuf reply = peer.replies.remove(0);
    assertEquals(3, Frames.count(reply, 0));
    assertEquals(reader + GAP, reply.getLong(Frames.HEADER_BYTES));
    assertEquals(Outcome.ABORTED_PIVOT, reply.getLong(Frames.HEADER_BYTES + Long.BYTES));
    assertTrue(
        Outcome.isCommitted(reply.getLong(Frames.HEADER_BYTES + 2 * Long.BYTES)), "behind both");
    peer.commitReads(true, new Reads(second, ids(2), ids(1)), new Reads(first, ids(1), ids(2)));
    quiesce();
    reply = peer.replies.remove(0);
    assertEquals(Outcome.ABORTED, reply.getLong(Frames.HEADER_BYTES));
    assertEquals(reader + GAP, reply.getLong(Frames.HEADER_BYTES + Long.BYTES), "asked again");
  }

  @Test
  void answersOfManyBatchesComeInOrder() throws FrameException {
    Peer peer = peer();
    peer.begin(70);
    quiesce();
    long first = peer.answer();
    Reads[] commits = new Reads[70];
    for (int i = 0; i < commits.length; i++) {
      commits[i] = new Reads(first + (long) i * GAP, ids(1_000 + i, 9), range(50 * i, i % 50));
    }
    peer.commitReads(false, commits); // all write row 9: the first one wins
    quiesce();
    ByteBuf reply = peer.replies.remove(0);
    assertTrue(Outcome.isCommitted(reply.getLong(Frames.HEADER_BYTES)));
    for (int i = 1; i < commits.length; i++) {
      long outcome = reply.getLong(Frames.HEADER_BYTES + i * Long.BYTES);
      assertEquals(Outcome.ABORTED_CONFLICT, outcome);
    }
    int refusals = Frames.refusals(reply, 0);
    assertEquals(69 * Frames.REFUSAL_BYTES, reply.readableBytes() - refusals);
    for (int at = refusals; at < reply.readableBytes(); at += Frames.REFUSAL_BYTES) {
      assertEquals(Frames.refusal(1, FrameType.NO_ID), reply.getLong(at), "the second id: row 9");
      assertEquals(reply.getLong(Frames.HEADER_BYTES), reply.getLong(at + Long.BYTES));
    }
  }

  /** Of each refusal of a frame the reply says why, and of nothing else. */
  @Test
  void refusalsAreExplainedInTheirOrder() throws FrameException {
    Peer peer = peer();
    long[] starts = LongStream.range(0, 6).map(i -> start(peer)).toArray();
    peer.commitReads(
        false,
        new Reads(starts[0], ids(1), ids(2)),
        new Reads(starts[1], ids(3, 1), NONE),
        new Reads(starts[2], ids(5), NONE),
        new Reads(starts[3], ids(6, 2), ids(7, 1)),
        new Reads(starts[0], ids(1), NONE),
        new Reads(starts[4], ids(5), NONE),
        new Reads(starts[5], NONE, ids(8, 9, 5)));
    quiesce();
    ByteBuf reply = peer.replies.remove(0);
    long first = reply.getLong(Frames.HEADER_BYTES);
    long third = reply.getLong(Frames.HEADER_BYTES + 2 * Long.BYTES);
    int at = Frames.refusals(reply, 0);
    long[] expected = {
      Frames.refusal(1, FrameType.NO_ID), first,
      Frames.refusal(3, 1), first,
      Frames.refusal(0, FrameType.NO_ID), third
    };
    assertEquals(expected.length * Long.BYTES, reply.readableBytes() - at);
    for (int i = 0; i < expected.length; i++) {
      assertEquals(expected[i], reply.getLong(at + i * Long.BYTES), "number " + i);
    }
  }

  private long start(Peer peer) {
    try {
      return peer.start();
    } catch (FrameException e) {
      throw new AssertionError(e);
    }
  }

  /** Success costs no byte; and clients of version 1 know no explanations. */
  @Test
  void othersGetRepliesAsBefore() throws FrameException {
    Peer peer = peer();
    Peer older = fixture.new Peer("older").hello(Handshake.EXPLAINS - 1);
    for (Peer each : List.of(peer, older)) {
      long first = each.start();
      long second = each.start();
      each.commit(false, 5, first);
      quiesce();
      ByteBuf reply = each.replies.remove(0);
      assertEquals(Frames.HEADER_BYTES + 2 * Long.BYTES, reply.readableBytes());
      each.commit(false, 5, second);
      quiesce();
      reply = each.replies.remove(0);
      assertEquals(Outcome.ABORTED_CONFLICT, reply.getLong(Frames.HEADER_BYTES));
      int more = each == peer ? Frames.REFUSAL_BYTES : 0;
      assertEquals(Frames.HEADER_BYTES + 2 * Long.BYTES + more, reply.readableBytes());
    }
  }

  /** However many ask, there is one in 10 ms. */
  @Test
  void aSafeSnapshotIsSharedAndSoonReplaced() throws FrameException {
    Peer peer = peer();
    Peer other = peer();
    peer.send(FrameType.SAFE, 3);
    other.send(FrameType.SAFE, 1);
    fixture.endTurn();
    assertEquals(3, Frames.count(peer.replies.get(0), 0));
    long snapshot = peer.answer();
    assertEquals(snapshot, other.answer());
    assertEquals(snapshot + GAP, peer.start(), "one timestamp was issued");
    fixture.nanos += TimeUnit.MILLISECONDS.toNanos(10);
    peer.send(FrameType.SAFE, 1);
    fixture.endTurn();
    assertEquals(snapshot + 2 * GAP, peer.answer());
  }

  /** Readers of a safe snapshot need its versions, though these readers are not known. */
  @Test
  void aSafeSnapshotHoldsTheWatermarkForAMinute() throws FrameException {
    Peer peer = peer();
    peer.send(FrameType.SAFE, 1);
    fixture.endTurn();
    long snapshot = peer.answer();
    long start = peer.start();
    peer.commit(false, 1, start);
    peer.sendOwned(FrameType.CLEANED, start);
    quiesce();
    peer.replies.clear();
    fixture.nanos += TimeUnit.MINUTES.toNanos(1) - 1;
    fixture.desk.tick();
    assertEquals(snapshot, watermark(peer));
    fixture.nanos++;
    fixture.desk.tick();
    assertTrue(watermark(peer) > start);
  }

  private long watermark(Peer peer) throws FrameException {
    peer.send(FrameType.WATERMARK, 1);
    quiesce();
    return peer.answer();
  }

  /** A pivot needs no other if a snapshot was issued behind the change of what it read. */
  @Test
  void nothingIsPlacedBelowASafeSnapshot() throws FrameException {
    Peer peer = peer();
    long late = peer.start();
    long writer = peer.start();
    peer.commit(false, 5, writer);
    quiesce();
    peer.replies.clear();
    peer.send(FrameType.SAFE, 1);
    fixture.endTurn();
    peer.replies.clear();
    peer.commitReads(false, new Reads(late, ids(6), ids(5)));
    quiesce();
    assertEquals(Outcome.ABORTED_PIVOT, peer.answer(), "readers of the snapshot saw row 5 new");
  }

  /** Replies of the fast lane keep their order, though a safe snapshot could be had at once. */
  @Test
  void aSafeSnapshotDoesNotOvertakeBeginsThatWait() throws FrameException {
    Peer greedy = fixture.new Peer("greedy").hello();
    Peer other = fixture.new Peer("other").hello();
    fixture.nanos += 10 * DeskFixture.PERIOD;
    fixture.desk.tick();
    other.start();
    int begin;
    int frames = 0;
    do {
      greedy.replies.clear();
      begin = greedy.begin(16);
      quiesce();
      assertTrue(frames++ < DeskFixture.WINDOW, "it never waits");
    } while (!greedy.replies.isEmpty());
    int snapshot = greedy.send(FrameType.SAFE, 1);
    quiesce();
    assertEquals(List.of(), greedy.ids());
    other.send(FrameType.SAFE, 1);
    fixture.endTurn();
    assertEquals(1, other.replies.size(), "others are not concerned");
    for (int i = 0; i < 2; i++) {
      fixture.nanos += DeskFixture.PERIOD;
      fixture.desk.tick();
      quiesce();
    }
    assertEquals(List.of(begin, snapshot), greedy.ids());
  }

  /** Reads are work like writes: each id is a load from memory. */
  @Test
  void everyIdCountsForTheTurnOfItsHost() throws FrameException {
    Peer peer = peer();
    Peer other = peer();
    long start = peer.start();
    fixture.endTurn();
    fixture.nextTurn();
    peer.commitReads(false, new Reads(start, NONE, range(0, DeskFixture.TURN_UNITS)));
    peer.begin(1);
    assertEquals(Progress.WAITING, peer.progress);
    other.begin(1);
    assertEquals(Progress.INCOMPLETE, other.progress);
  }
}
