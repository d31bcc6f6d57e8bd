package io.retso.front;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.front.Conversation.Progress;
import io.retso.front.DeskFixture.Peer;
import io.retso.front.DeskFixture.Reads;
import io.retso.oracle.Changes;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Outcome;
import io.retso.protocol.ServerRole;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One host takes all that it can get, and others do not notice; see also {@link PaceTest}. */
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

  @AfterEach
  void close() {
    fixture.close();
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
  void theMoreHostsThereAreTheLessIsTheShareOfEach() {
    StatusOracle oracle = new StatusOracle(1024, 1024, 100, Changes.NONE);
    oracle.replay().end();
    FairUse fairUse = new FairUse(oracle, DeskFixture.PERIOD, 0);
    oracle.begin(1, 1); // another host's, protected
    oracle.pass(600); // more than half of the window since
    ClientAccount account = new ClientAccount(2, 0);
    fairUse.took(account, 40);
    assertFalse(fairUse.mustWait(account, 1, 2), "a 16th of the window is that of each of two");
    assertTrue(fairUse.mustWait(account, 1, 4), "a 32nd is that of each of four");
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
    for (int i = 1; i < PutOffStarts.MAX; i++) {
      greedy.begin(1);
      quiesce();
      assertEquals(Progress.INCOMPLETE, greedy.progress);
    }
    greedy.begin(1);
    quiesce();
    assertEquals(Progress.WAITING, greedy.progress);
    greedy.replies.clear();
    pass();
    fixture.desk.tick(); // more than a turn
    quiesce();
    assertEquals(PutOffStarts.MAX + 1, greedy.replies.size());
    assertEquals(Progress.INCOMPLETE, greedy.progress);
  }

  @Test
  void whatWasPutOffGoesOnAsFarAsTurnsGo() throws FrameException {
    other.start();
    beginsUntilItWaits(); // which put one off
    int all = 20;
    for (int i = 1; i < all; i++) {
      greedy.begin(FRAME);
      quiesce();
    }
    greedy.replies.clear();
    pass();
    int framesOfATurn = 1 + DeskFixture.TURN_UNITS / (1 + FRAME / 8);
    int answered = greedy.replies.size();
    assertTrue(answered > 0 && answered <= framesOfATurn, answered + " frames");
    for (int ticks = 0; answered < all; ticks++) {
      assertTrue(ticks < all, "they wait for ever");
      fixture.desk.tick();
      quiesce();
      assertTrue(greedy.replies.size() - answered <= framesOfATurn);
      answered = greedy.replies.size();
    }
  }

  @Test
  void aHostAloneNeedNotWaitForItself() throws FrameException {
    other.close();
    for (int i = 0; i < 3 * DeskFixture.WINDOW / FRAME; i++) {
      greedy.begin(FRAME);
      quiesce();
      assertEquals(Progress.INCOMPLETE, greedy.progress);
    }
  }

  @Test
  void anAbandonedTransactionDoesNotEndTheProtectionOfOthers() throws FrameException {
    start(greedy);
    pass();
    long open = other.start();
    beginsUntilItWaits();
    other.commit(false, 1, open);
    quiesce();
    assertTrue(Outcome.isCommitted(other.answer()));
  }

  @Test
  void nobodyWaitsForItsOwnTransactions() throws FrameException {
    long open = start(greedy);
    for (int i = 0; i < DeskFixture.WINDOW / FRAME - 2; i++) {
      greedy.begin(FRAME);
      quiesce();
      assertEquals(i + 1, greedy.replies.size());
    }
    greedy.replies.clear();
    greedy.commit(false, 1, open);
    quiesce();
    assertTrue(Outcome.isCommitted(greedy.answer()));
  }

  @Test
  void theMapIsNotTurnedOverUnderAnOpenTransactionOfAnother() throws FrameException {
    long open = other.start();
    int rows = rowsUntilItWaits();
    assertTrue(rows >= DeskFixture.ROWS / 8, "an eighth is free: " + rows);
    assertTrue(rows <= DeskFixture.ROWS / 8 + 5, "and a grant of the pace: " + rows);
    for (int i = 0; i < 8; i++) { // the other one goes on
      assertTrue(Outcome.isCommitted(commit(other, 3_000 + i)));
    }
    assertEquals(List.of(), greedy.ids());
    other.commit(false, 5_000, open);
    quiesce();
    assertTrue(Outcome.isCommitted(other.answer()));
    fixture.desk.tick();
    quiesce();
    assertTrue(Outcome.isCommitted(greedy.answer()), "and that ends the wait");
  }

  @Test
  void rowsDoNotWaitForTransactionsOfTheirOwnHost() throws FrameException {
    start(fixture.new Peer("greedy").hello());
    for (int i = 0; i < DeskFixture.ROWS / 2; i++) {
      assertTrue(Outcome.isCommitted(commitCleanly(i)));
    }
  }

  @Test
  void whatHasNoRowsDoesNotWait() throws FrameException {
    long reader = start(greedy);
    other.start();
    Peer sibling = fixture.new Peer("greedy").hello();
    rowsUntilItWaits();
    sibling.sendOwned(FrameType.ABORT, reader);
    quiesce();
    assertEquals(Outcome.ABORTED, sibling.answer());
    assertTrue(sibling.start() > 0);
  }

  @Test
  void whoOnlyReadDoesNotWaitAsWhoWroteDoes() throws FrameException {
    long[] none = {};
    Peer sibling = fixture.new Peer("greedy").hello();
    Reads reader = new Reads(start(sibling), none, new long[] {9_001});
    Reads writer = new Reads(start(sibling), new long[] {9_002}, none);
    other.start();
    rowsUntilItWaits();
    sibling.commitReads(false, reader);
    quiesce();
    assertTrue(Outcome.isCommitted(sibling.answer()));
    sibling.commitReads(true, reader, writer);
    quiesce();
    assertEquals(Progress.WAITING, sibling.progress);
    pass();
    assertEquals(1, sibling.replies.size());
  }

  /** Commits one row after the other; returns how many were committed. */
  private int rowsUntilItWaits() throws FrameException {
    for (int rows = 0; rows < DeskFixture.ROWS; rows++) {
      long start = start(greedy);
      greedy.commit(false, rows, start);
      quiesce();
      if (greedy.progress == Progress.WAITING) {
        return rows;
      }
      assertTrue(Outcome.isCommitted(greedy.answer()));
      cleaned(start);
    }
    throw new AssertionError("it never waits");
  }

  private long commitCleanly(long row) throws FrameException {
    long start = start(greedy);
    greedy.commit(false, row, start);
    quiesce();
    assertEquals(Progress.INCOMPLETE, greedy.progress);
    long outcome = greedy.answer();
    cleaned(start);
    return outcome;
  }

  private void cleaned(long start) throws FrameException {
    greedy.sendOwned(FrameType.CLEANED, start);
    quiesce();
    greedy.answer();
  }

  @Test
  void aCommitCountsAlsoIfItSaysThatItIsARepeat() throws FrameException {
    long outcome;
    int commits = 0;
    do {
      assertTrue(commits < DeskFixture.UNCLEANED, "it is never refused");
      long start = start(greedy);
      greedy.commit(true, commits++, start);
      quiesce();
      outcome = greedy.answer();
    } while (outcome != Outcome.REFUSED_UNCLEANED);
  }

  @Test
  void whoDoesNotCleanUpIsRefusedBeforeTheTableIsFullForAll() throws FrameException {
    int commits = commitsUntilRefused(greedy, 0);
    assertEquals(DeskFixture.UNCLEANED / 2 + 2, commits);
    for (int i = 0; i < 20; i++) {
      assertTrue(Outcome.isCommitted(commit(other, 1000 + i)));
    }
    assertEquals(Outcome.REFUSED_UNCLEANED, commit(greedy, 1));
    long start = start(greedy);
    greedy.sendOwned(FrameType.ABORT, start);
    quiesce();
    assertEquals(Outcome.ABORTED, greedy.answer(), "all else is answered");
  }

  @Test
  void anAccountRemembersTwoPeriods() {
    ClientAccount.Taken taken = new ClientAccount.Taken();
    taken.add(7, 10);
    taken.add(8, 1);
    assertEquals(11, taken.in(8));
    assertEquals(1, taken.in(9));
    taken.add(11, 5);
    assertEquals(5, taken.in(11));
    assertEquals(0, taken.in(13));
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
      greedy.sendOwned(FrameType.CLEANED, start);
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
    int commits = commitsUntilRefused(greedy, 0);
    greedy.close();
    greedy = fixture.new Peer("greedy").hello();
    assertEquals(Outcome.REFUSED_UNCLEANED, commit(greedy, commits));
    assertTrue(Outcome.isCommitted(commit(other, 1_000)));
  }

  /** What it took of a term before is forgotten. */
  @Test
  void inANewTermItHasTakenNothing() throws FrameException {
    Peer gone = greedy;
    commitsUntilRefused(gone, 0);
    gone.close();
    fixture.desk.follow(new ServerRole(false, 8, "", "", List.of()));
    fixture.lead(9);
    greedy = fixture.new Peer("a third one").hello();
    fillHalf();
    gone = fixture.new Peer("greedy").hello();
    assertTrue(Outcome.isCommitted(commit(gone, 1)));
  }

  @Test
  void whatOthersCleanedUpForIsForgottenOnceTheTableIsNearlyEmpty() throws FrameException {
    for (int i = 0; i < DeskFixture.UNCLEANED / 3; i++) {
      long start = start(greedy);
      greedy.commit(false, 100 + i, start);
      quiesce();
      assertTrue(Outcome.isCommitted(greedy.answer()));
      other.sendOwned(FrameType.CLEANED, start);
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
    commitsUntilRefused(other, 1_000);
  }

  /** Commits as long as that is not refused; returns the number, the refused one included. */
  private int commitsUntilRefused(Peer peer, long firstRow) throws FrameException {
    long outcome;
    int commits = 0;
    do {
      assertTrue(commits <= DeskFixture.UNCLEANED, "it is never refused");
      outcome = commit(peer, firstRow + commits++);
    } while (outcome != Outcome.REFUSED_UNCLEANED);
    return commits;
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
