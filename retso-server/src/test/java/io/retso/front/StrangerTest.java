package io.retso.front;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.retso.front.DeskFixture.Peer;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A client that knows every start timestamp, as all can guess them, and none of the tickets. It can
 * do nothing to transactions of others: neither to the oracle's state, nor to its log, nor to their
 * shares.
 */
class StrangerTest {
  private static final long ROW = 77;

  private final DeskFixture fixture = new DeskFixture();
  private Peer owner;
  private Peer stranger;

  @BeforeEach
  void connect() throws FrameException {
    owner = fixture.new Peer("owner").hello();
    stranger = fixture.new Peer("stranger").hello();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private void settle() {
    fixture.endTurn();
    fixture.acknowledge();
    fixture.endTurn();
  }

  /** How a stranger makes up a ticket. */
  enum Guess {
    NONE(start -> 0),
    THE_START_ITSELF(start -> start),
    OF_THE_NEXT_ONE(start -> TestTickets.of(start + Timestamps.GAP)),
    ONE_BIT_OFF(start -> TestTickets.of(start) ^ 1);

    final ToLongFunction<Long> ticket;

    Guess(ToLongFunction<Long> ticket) {
      this.ticket = ticket;
    }
  }

  private void assertNotOwner(FrameType type, long start, Guess guess) throws FrameException {
    stranger.send(FrameType.STATUS, 1, start, start); // changes nothing
    settle();
    stranger.answer();
    int nothing = fixture.entryBytes;
    long ticket = guess.ticket.applyAsLong(start);
    switch (type) {
      case COMMIT -> stranger.commitWith(start, ticket);
      case COMMIT_READS -> stranger.commitReadsWith(start, ticket);
      default -> stranger.send(type, 1, start, ticket);
    }
    settle();
    assertEquals(Outcome.NOT_OWNER, stranger.answer(), () -> type + " with ticket " + guess);
    assertEquals(nothing, fixture.entryBytes, "something was logged");
  }

  @ParameterizedTest
  @EnumSource
  void neitherEndsNorReportsWhatOthersBegan(Guess guess) throws FrameException {
    long open = owner.start();
    owner.commit(false, ROW, owner.start());
    settle();
    long committed = fixture.sequencer.oracle().nextTimestamp() - 2 * Timestamps.GAP;
    long at = owner.answer();
    assertTrue(Outcome.isCommitted(at));
    for (long start : new long[] {open, committed}) {
      for (FrameType type :
          new FrameType[] {
            FrameType.COMMIT, FrameType.COMMIT_READS, FrameType.ABORT, FrameType.CLEANED
          }) {
        assertNotOwner(type, start, guess);
      }
    }
    assertEquals(Outcome.OPEN, fixture.sequencer.oracle().status(open, open));
    assertEquals(at, fixture.sequencer.oracle().status(committed, at));
    assertEquals(1, fixture.sequencer.oracle().uncleanedCommits());
    owner.commit(false, ROW + 1, open);
    settle();
    assertTrue(Outcome.isCommitted(owner.answer()), "its owner ends it");
    owner.sendOwned(FrameType.CLEANED, committed);
    settle();
    assertEquals(Outcome.DONE, owner.answer(), "and reports it");
  }

  /** Whatever else is in the frame is carried out. */
  @Test
  void oneForeignTransactionInAFrameIsRefusedAlone() throws FrameException {
    long foreign = owner.start();
    long[] own = {stranger.start(), stranger.start()};
    stranger.send(
        FrameType.ABORT,
        3,
        own[0],
        TestTickets.of(own[0]),
        foreign,
        TestTickets.of(own[0]),
        own[1],
        TestTickets.of(own[1]));
    settle();
    ByteBuf reply = stranger.replies.remove(0);
    assertEquals(3, Frames.count(reply, 0));
    assertEquals(Outcome.ABORTED, reply.getLong(Frames.HEADER_BYTES));
    assertEquals(Outcome.NOT_OWNER, reply.getLong(Frames.HEADER_BYTES + Long.BYTES));
    assertEquals(Outcome.ABORTED, reply.getLong(Frames.HEADER_BYTES + 2 * Long.BYTES));
    assertEquals(Outcome.OPEN, fixture.sequencer.oracle().status(foreign, foreign));
  }

  /** A later report would let the oracle forget a commit of others: it is as if it did not come. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void sweepsAreReportedFromTheServersOwnMachineOnly(boolean isLocal) throws FrameException {
    long committed = owner.start();
    owner.commit(false, ROW, committed);
    settle();
    long at = owner.answer();
    stranger.setLocal(isLocal);
    long sweep = stranger.start();
    stranger.commit(false, ROW + 1, stranger.start()); // its answer comes first, then the refusal
    stranger.sendOwned(FrameType.SWEPT, sweep);
    int ping = stranger.ping();
    settle();
    stranger.replies.removeIf(reply -> Frames.frameId(reply, 0) == ping);
    assertTrue(Outcome.isCommitted(stranger.answer()));
    ByteBuf reply = stranger.replies.remove(0);
    assertEquals(!isLocal, Frames.isError(reply, 0));
    if (isLocal) {
      assertEquals(Outcome.DONE, reply.getLong(Frames.HEADER_BYTES));
      assertTrue(fixture.sequencer.oracle().lowWatermark() > committed, "it is forgotten");
    } else {
      assertEquals(ErrorCode.NOT_PERMITTED, Frames.errorCode(reply, 0));
      assertTrue(Frames.errorText(reply, 0).contains("./retso hbase sweep"));
      assertEquals(at, fixture.sequencer.oracle().status(committed, at));
      assertEquals(2, fixture.sequencer.oracle().uncleanedCommits());
    }
    fixture.nextTurn();
    int later = stranger.ping();
    settle();
    assertTrue(
        stranger.replies.stream().anyMatch(each -> Frames.frameId(each, 0) == later),
        "the connection goes on");
  }

  /** What a host has not cleaned up is counted, once there is much of it in all. */
  @Test
  void foreignReportsDoNotCountForItsShare() throws FrameException {
    int commits = DeskFixture.UNCLEANED / 2;
    long first = 0;
    for (int i = 0; i < commits; i++) {
      long start = stranger.start();
      first = first == 0 ? start : first;
      stranger.commit(false, ROW + i, start);
      settle();
      stranger.replies.clear();
    }
    long counted = stranger.conversation.share().account.uncleaned();
    assertTrue(counted > commits / 2, () -> "only " + counted);
    long[] words = new long[20];
    for (int i = 0; i < words.length; i += 2) {
      words[i] = first + (long) i * Timestamps.GAP;
    }
    stranger.send(FrameType.CLEANED, words.length / 2, words);
    settle();
    assertEquals(counted, stranger.conversation.share().account.uncleaned());
  }
}
