package io.retso.front;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.front.Conversation.Progress;
import io.retso.front.DeskFixture.Peer;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Outcome;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One host takes all that it can get, and others do not notice. */
class FairUseTest {
  private static final int FRAME = 16;

  private final DeskFixture fixture = new DeskFixture();
  private Peer greedy;
  private Peer other;

  @BeforeEach
  void connect() throws FrameException {
    fixture.nanos = 10 * DeskFixture.PERIOD + 1;
    fixture.desk.tick();
    greedy = fixture.new Peer("greedy").hello();
    other = fixture.new Peer("other").hello();
  }

  /** Ends the turn and lets the log catch up. */
  private void quiesce() {
    fixture.endTurn();
    fixture.acknowledge();
    fixture.nextTurn();
    fixture.acknowledge();
  }

  /** Begins as much as it may; returns how many frames were answered. */
  private int beginsUntilItWaits() throws FrameException {
    int frames = -1;
    int answered;
    do {
      assertTrue(frames < 10 * DeskFixture.WINDOW / FRAME, "it never waits");
      answered = greedy.replies.size();
      greedy.begin(FRAME);
      quiesce();
      frames++;
    } while (greedy.replies.size() > answered);
    return frames;
  }

  /** As much time that nothing open is protected any more. */
  private void pass() {
    for (int i = 0; i < 2; i++) {
      fixture.nanos += DeskFixture.PERIOD;
      fixture.desk.tick();
      quiesce();
    }
  }

  @Test
  void theWindowIsNotMovedOverAnOpenTransactionOfAnother() throws FrameException {
    long open = other.start();
    int frames = beginsUntilItWaits();
    assertTrue(frames * FRAME >= DeskFixture.WINDOW / 2 - FRAME, "half a window is free");
    assertTrue(frames * FRAME <= DeskFixture.WINDOW / 2 + FRAME);
    for (int i = 0; i < 8; i++) { // the other one goes on
      long start = other.start();
      other.commit(false, 3 + i, start);
      quiesce();
      assertTrue(Outcome.isCommitted(other.answer()));
    }
    other.commit(false, 1, open);
    quiesce();
    assertTrue(Outcome.isCommitted(other.answer()));
  }

  @Test
  void itWaitsNoLongerThanTheTransactionIsProtected() throws FrameException {
    other.start();
    beginsUntilItWaits();
    int replies = greedy.replies.size();
    fixture.desk.tick();
    quiesce();
    assertEquals(replies, greedy.replies.size());
    pass();
    assertTrue(greedy.replies.size() > replies);
  }

  @Test
  void whatEndsTransactionsIsNotKeptBehindBeginsThatWait() throws FrameException {
    long own = start(greedy);
    long open = other.start();
    beginsUntilItWaits();
    greedy.replies.clear();
    greedy.commit(false, 7, own);
    quiesce();
    assertTrue(Outcome.isCommitted(greedy.answer()), "it is answered before the begins");
    int last = greedy.begin(1);
    greedy.ping();
    quiesce();
    assertEquals(FrameType.PING, Frames.replyType(greedy.replies.remove(0), 0));
    assertEquals(List.of(), greedy.ids());
    other.commit(false, 1, open);
    quiesce();
    assertTrue(Outcome.isCommitted(other.answer()));
    pass();
    assertEquals(List.of(last - 2, last), greedy.ids(), "begins keep their order");
  }

  @Test
  void aConnectionPutsOffSoManyBeginsAndThenIsNotReadFrom() throws FrameException {
    other.start();
    beginsUntilItWaits(); // which put one off
    for (int i = 1; i < Conversation.PUT_OFF_MAX; i++) {
      greedy.begin(1);
      quiesce();
      assertEquals(Progress.INCOMPLETE, greedy.progress);
    }
    greedy.begin(1);
    quiesce();
    assertEquals(Progress.WAITING, greedy.progress);
    greedy.replies.clear();
    pass();
    assertEquals(Conversation.PUT_OFF_MAX + 1, greedy.replies.size());
    assertEquals(Progress.INCOMPLETE, greedy.progress);
  }

  @Test
  void aHostAloneNeedNotWaitForItself() throws FrameException {
    other.conversation.close();
    for (int i = 0; i < 3 * DeskFixture.WINDOW / FRAME; i++) {
      greedy.begin(FRAME);
      quiesce();
      assertEquals(Progress.INCOMPLETE, greedy.progress);
    }
  }

  @Test
  void whoDoesNotCleanUpIsRefusedBeforeTheTableIsFullForAll() throws FrameException {
    long outcome;
    int commits = 0;
    do {
      assertTrue(commits <= DeskFixture.UNCLEANED, "it is never refused");
      outcome = commit(greedy, commits++);
    } while (outcome != Outcome.REFUSED_UNCLEANED);
    assertEquals(DeskFixture.UNCLEANED / 2 + 2, commits);
    for (int i = 0; i < 20; i++) {
      assertTrue(Outcome.isCommitted(commit(other, 1000 + i)));
    }
    assertEquals(Outcome.REFUSED_UNCLEANED, commit(greedy, 1));
    long start = start(greedy);
    greedy.send(FrameType.ABORT, 1, start);
    quiesce();
    assertEquals(Outcome.ABORTED, greedy.answer(), "all else is answered");
  }

  @Test
  void whatWasTakenInThePeriodBeforeCountsStill() throws FrameException {
    other.start();
    beginsUntilItWaits();
    int replies = greedy.replies.size();
    fixture.nanos += DeskFixture.PERIOD; // what is open began in the period before: protected still
    fixture.desk.tick();
    quiesce();
    assertEquals(replies, greedy.replies.size());
    fixture.nanos += DeskFixture.PERIOD - 1;
    fixture.desk.tick();
    quiesce();
    assertEquals(replies, greedy.replies.size(), "the next period has not begun");
  }

  @Test
  void anAccountRemembersTwoPeriods() {
    ClientAccount account = new ClientAccount();
    account.take(7, 10);
    account.take(8, 1);
    assertEquals(11, account.taken(8));
    assertEquals(1, account.taken(9));
    account.take(11, 5);
    assertEquals(5, account.taken(11));
    assertEquals(0, account.taken(13));
  }

  @Test
  void whoReportsItsCleanupsMayCommitAgain() throws FrameException {
    for (int i = 0; i < DeskFixture.UNCLEANED / 4 + 5; i++) { // so that accounts are not forgotten
      assertTrue(Outcome.isCommitted(commit(other, i)));
    }
    for (int i = 0; i < DeskFixture.UNCLEANED / 5; i++) {
      long start = start(greedy);
      greedy.commit(false, 100 + i, start);
      quiesce();
      assertTrue(Outcome.isCommitted(greedy.answer()));
      greedy.send(FrameType.CLEANED, 1, start);
      quiesce();
      greedy.answer();
    }
    fillHalf();
    for (int i = 0; i < DeskFixture.UNCLEANED / 5; i++) {
      assertTrue(Outcome.isCommitted(commit(greedy, 200 + i)), "its account is empty");
    }
  }

  @Test
  void aHostThatComesAgainStillHasWhatItTook() throws FrameException {
    long outcome;
    int commits = 0;
    do {
      assertTrue(commits <= DeskFixture.UNCLEANED, "it is never refused");
      outcome = commit(greedy, commits++);
    } while (outcome != Outcome.REFUSED_UNCLEANED);
    greedy.conversation.close();
    greedy = fixture.new Peer("greedy").hello();
    assertEquals(Outcome.REFUSED_UNCLEANED, commit(greedy, commits));
    assertTrue(Outcome.isCommitted(commit(other, 1_000)));
  }

  @Test
  void whatOthersCleanedUpForIsForgottenOnceTheTableIsNearlyEmpty() throws FrameException {
    for (int i = 0; i < DeskFixture.UNCLEANED / 3; i++) {
      long start = start(greedy);
      greedy.commit(false, 100 + i, start);
      quiesce();
      assertTrue(Outcome.isCommitted(greedy.answer()));
      other.send(FrameType.CLEANED, 1, start);
      quiesce();
      other.answer();
    }
    assertTrue(Outcome.isCommitted(commit(greedy, 99)));
    fillHalf();
    for (int i = 0; i < DeskFixture.UNCLEANED / 5; i++) {
      assertTrue(Outcome.isCommitted(commit(greedy, 200 + i)), "its account was emptied");
    }
  }

  /** Has the other one commit until half of the table is taken. */
  private void fillHalf() throws FrameException {
    long outcome;
    int commits = 0;
    do {
      assertTrue(commits <= DeskFixture.UNCLEANED, "it is never refused");
      outcome = commit(other, 1_000 + commits++);
    } while (outcome != Outcome.REFUSED_UNCLEANED);
  }

  private long start(Peer peer) throws FrameException {
    peer.begin(1);
    quiesce();
    return peer.answer();
  }

  private long commit(Peer peer, long row) throws FrameException {
    peer.commit(false, row, start(peer));
    quiesce();
    return peer.answer();
  }
}
