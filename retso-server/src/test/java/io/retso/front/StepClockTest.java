package io.retso.front;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.retso.front.Conversation.Progress;
import io.retso.front.DeskFixture.Peer;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Outcome;
import io.retso.protocol.Steps;
import io.retso.protocol.Timestamps;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StepClockTest {
  private final DeskFixture fixture = new DeskFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  private Peer peer() throws FrameException {
    return fixture.new Peer("host").hello();
  }

  private void pass(long micros) {
    fixture.nanos += TimeUnit.MICROSECONDS.toNanos(micros);
  }

  /** The next reply of a peer, checked, and its steps. */
  private static long[] steps(Peer peer) throws FrameException {
    ByteBuf reply = peer.replies.remove(0);
    Frames.checkReply(reply, 0, reply.readableBytes());
    assertTrue(Steps.areIn(reply, 0));
    return LongStream.range(0, Steps.NUMBERS).map(i -> Steps.get(reply, 0, (int) i)).toArray();
  }

  @Test
  void aCommitWaitsForTheLog() throws FrameException {
    Peer peer = peer();
    long start = peer.start();
    peer.replies.clear();
    pass(5);
    peer.commitAsking(7, start);
    pass(20);
    fixture.endTurn();
    pass(300);
    fixture.acknowledge();
    assertArrayEquals(new long[] {0, 320, 0}, steps(peer));
  }

  /** What waits for the log's room waits from its arrival on, and is looked at several times. */
  @Test
  void aFrameThatIsNotTakenWaitsFromItsArrivalOn() throws FrameException {
    Peer peer = peer();
    long start = peer.start();
    while (peer.progress == Progress.TAKEN) {
      peer.commit(false, 5, start);
      peer.begin(1);
      fixture.endTurn();
      start += Timestamps.GAP;
    }
    peer.commitAsking(7, start);
    fixture.endTurn();
    pass(40); // it is behind others, and has not been looked at
    peer.replies.clear();
    fixture.acknowledge();
    fixture.endTurn();
    pass(1);
    fixture.acknowledge();
    fixture.endTurn();
    ByteBuf last = peer.replies.get(peer.replies.size() - 1);
    assertTrue(Steps.areIn(last, 0));
    assertTrue(Steps.get(last, 0, 0) <= 41, () -> "decided after " + Steps.get(last, 0, 0));
  }

  @Test
  void aReplyThatNeedNotWaitTookNoTime() throws FrameException {
    long[] now = {0};
    StepClock clock = new StepClock(() -> now[0]);
    clock.look(asking(), 0);
    now[0] = 7_000;
    ByteBuf reply = Unpooled.buffer();
    Frames.writeReplyHeader(reply, FrameType.COMMIT, 1, 1);
    reply.writeZero(2 * Long.BYTES);
    clock.decided(reply, 0, false);
    Frames.checkReply(reply, 0, reply.readableBytes());
    assertEquals(7, Steps.get(reply, 0, 0));
    assertEquals(0, Steps.get(reply, 0, 1));
    assertEquals(0, Steps.get(reply, 0, 2));
  }

  private static ByteBuf asking() {
    ByteBuf request = Unpooled.buffer();
    Frames.writeHeader(request, FrameType.COMMIT, 1, 1, 0);
    Steps.ask(request, 0);
    return request;
  }

  /** Frames of one log position share a buffer; those of others that ask for nothing stay alike. */
  @Test
  void othersInTheSameBufferAreLeftAlone() throws FrameException {
    Peer peer = peer();
    long first = peer.start();
    long second = peer.start();
    long third = peer.start();
    peer.replies.clear();
    peer.commit(false, 7, first);
    pass(1);
    peer.commitAsking(7, second);
    pass(2);
    peer.commitAsking(8, third);
    pass(3);
    fixture.endTurn();
    pass(4);
    fixture.acknowledge();
    ByteBuf reply = peer.replies.remove(0);
    assertFalse(Steps.areIn(reply, 0));
    assertEquals(Frames.HEADER_BYTES + 2 * Long.BYTES, reply.readableBytes());
    ByteBuf refused = peer.replies.get(0);
    assertEquals(Outcome.ABORTED_CONFLICT, refused.getLong(Frames.HEADER_BYTES));
    assertEquals(first + 3 * Timestamps.GAP, refused.getLong(Frames.refusals(refused, 0) + 8));
    assertArrayEquals(new long[] {0, 9, 0}, steps(peer));
    assertArrayEquals(new long[] {0, 7, 0}, steps(peer));
  }

  /** Decisions may have to wait on when they are durable. */
  @Test
  void theWaitForOthersCountsAsTheAnswers() {
    long[] now = {0};
    StepClock clock = new StepClock(() -> now[0]);
    clock.look(asking(), 0);
    now[0] = 3_000;
    clock.look(asking(), 0); // the same one: it could not be taken
    now[0] = 5_000;
    ReplyLane lane = new ReplyLane();
    ByteBuf reply = lane.hold(6, 1, now[0], UnpooledByteBufAllocator.DEFAULT);
    Frames.writeReplyHeader(reply, FrameType.COMMIT, 1, 1);
    reply.writeZero(2 * Long.BYTES);
    clock.decided(reply, 0, true);
    lane.tellSteps();
    clock.taken();
    assertFalse(clock.isAsked());
    now[0] = 10_000;
    lane.logged(5, () -> now[0]);
    now[0] = 25_000;
    lane.logged(6, () -> now[0]);
    now[0] = 45_000;
    lane.logged(7, () -> now[0]);
    lane.release(
        6,
        held -> {
          assertTrue(held.tellsSteps());
          StepClock.left(held.replies(), held.loggedNanos(now[0]), now[0]);
          assertEquals(5, Steps.get(held.replies(), 0, 0));
          assertEquals(20, Steps.get(held.replies(), 0, 1));
          assertEquals(20, Steps.get(held.replies(), 0, 2));
          held.replies().release();
        });
    assertTrue(lane.isEmpty());
  }

  @Test
  void whatDoesNotAskCostsNoLookAtAClock() {
    StepClock clock =
        new StepClock(
            () -> {
              throw new AssertionError("a look at the clock");
            });
    ByteBuf request = Unpooled.buffer();
    Frames.writeHeader(request, FrameType.COMMIT, 1, 1, 0);
    clock.look(request, 0);
    assertFalse(clock.isAsked());
    ReplyLane lane = new ReplyLane();
    ByteBuf reply = lane.hold(6, 1, 0, UnpooledByteBufAllocator.DEFAULT);
    lane.logged(
        6,
        () -> {
          throw new AssertionError("a look at the clock");
        });
    lane.clear();
    assertEquals(0, reply.refCnt());
  }
}
