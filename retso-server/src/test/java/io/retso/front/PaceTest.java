package io.retso.front;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.front.DeskFixture.Peer;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Outcome;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Hosts above their share are slowed, and neither stopped nor able to hurt a transaction. */
class PaceTest {
  private static final int FRAME = 16;
  private static final long TICK = DeskFixture.PERIOD / 50;

  private final DeskFixture fixture = new DeskFixture();
  private Peer greedy;
  private Peer other;
  private int nextRow = 10_000;

  @BeforeEach
  void connect() throws FrameException {
    fixture.nanos = 10 * DeskFixture.PERIOD + 1;
    tick();
    greedy = fixture.new Peer("greedy").hello();
    other = fixture.new Peer("other").hello();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private void quiesce() {
    fixture.endTurn();
    fixture.acknowledge();
    fixture.nextTurn();
    fixture.acknowledge();
  }

  private void tick() {
    fixture.nanos += TICK;
    fixture.desk.tick();
    quiesce();
  }

  /** Begins again whenever the begin before was answered; returns how many timestamps it got. */
  private int begins(Peer peer, int frame) throws FrameException {
    int got = 0;
    while (got < DeskFixture.WINDOW) {
      if (peer.waits) {
        if (peer.replies.isEmpty()) {
          return got;
        }
        peer.answer();
        peer.waits = false;
        got += frame;
      }
      peer.begin(frame);
      peer.waits = true;
      quiesce();
    }
    throw new AssertionError("it is never slowed");
  }

  /** Commits one row again whenever the commit before was answered, and reports its cleanup. */
  private int commits(Peer peer) throws FrameException {
    int committed = 0;
    while (committed < DeskFixture.ROWS) {
      if (peer.waits) {
        if (peer.replies.isEmpty()) {
          return committed;
        }
        long outcome = peer.answer();
        peer.waits = false;
        assertTrue(Outcome.isCommitted(outcome), Outcome.nameOf(outcome));
        peer.sendOwned(FrameType.CLEANED, peer.open);
        quiesce();
        assertEquals(Outcome.DONE, peer.answer());
        committed++;
      }
      begin(peer);
      peer.commit(false, nextRow++, peer.open);
      peer.waits = true;
      quiesce();
    }
    throw new AssertionError("it is never slowed");
  }

  private void begin(Peer peer) throws FrameException {
    peer.begin(1);
    quiesce();
    peer.open = peer.answer();
  }

  /** The longest that a transaction can be protected, and what a host takes meanwhile. */
  @Test
  void beginsGoOnSteadilyAndTheOpenTransactionCommits() throws FrameException {
    begin(other);
    begins(greedy, FRAME);
    int taken = 0;
    int still = 0;
    for (long left = 2 * DeskFixture.PERIOD; left > 2 * TICK; left -= TICK) {
      tick();
      int now = begins(greedy, FRAME);
      taken += now;
      still = now > 0 ? 0 : still + 1;
      assertTrue(still < 10, "it stands still");
    }
    int pace = DeskFixture.WINDOW / 4;
    assertTrue(taken >= pace / 2 && taken <= pace + FRAME, taken + " timestamps");
    other.commit(false, 1, other.open);
    quiesce();
    assertTrue(Outcome.isCommitted(other.answer()));
  }

  @Test
  void rowsGoOnSteadilyAndTheMapIsNotTurnedOver() throws FrameException {
    begin(other);
    int free = commits(greedy);
    int taken = 0;
    int still = 0;
    for (long left = 2 * DeskFixture.PERIOD; left > 2 * TICK; left -= TICK) {
      tick();
      int now = commits(greedy);
      taken += now;
      still = now > 0 ? 0 : still + 1;
      assertTrue(still < 10, "it stands still");
    }
    int pace = DeskFixture.ROWS / 16;
    assertTrue(taken >= pace / 2 && taken <= pace + 1, taken + " rows");
    assertTrue(free + taken <= DeskFixture.ROWS / 4);
    other.commit(false, 5_000, other.open);
    quiesce();
    assertTrue(Outcome.isCommitted(other.answer()));
  }

  /** Neither many connections nor large frames take what belongs to another host. */
  @Test
  void hostsThatAreSlowedHaveEqualParts() throws FrameException {
    Peer[] many = new Peer[20];
    for (int i = 0; i < many.length; i++) {
      many[i] = fixture.new Peer("greedy").hello();
    }
    Peer modest = fixture.new Peer("modest").hello();
    begin(other);
    for (Peer peer : many) {
      begins(peer, FRAME);
    }
    begins(modest, 1);
    int greedyTook = 0;
    int modestTook = 0;
    for (int i = 0; i < 80; i++) {
      tick();
      for (Peer peer : many) {
        greedyTook += begins(peer, FRAME);
      }
      modestTook += begins(modest, 1);
    }
    assertTrue(
        modestTook >= 0.7 * greedyTook, "one took " + greedyTook + ", the other " + modestTook);
  }

  @Test
  void aCommitThatWouldWaitForLongIsRefused() throws FrameException {
    begin(other);
    commits(greedy); // and one waits
    Peer large = fixture.new Peer("greedy").hello();
    begin(large);
    Peer behind = fixture.new Peer("greedy").hello();
    begin(behind);
    large.commitMany(large.open, 60); // more than is granted in four tenths of a period
    while (large.replies.isEmpty()) {
      tick();
      commits(greedy);
    }
    assertTrue(Outcome.isCommitted(large.answer()), "a debt");
    greedy.replies.clear();
    behind.commit(false, 6_000, behind.open);
    long since = fixture.nanos;
    while (behind.replies.isEmpty()) {
      assertTrue(fixture.nanos - since < DeskFixture.PERIOD / 2, "it waits for long");
      tick();
    }
    long outcome = behind.answer();
    assertEquals(Outcome.REFUSED_SHARE, outcome, Outcome.nameOf(outcome));
    assertTrue(fixture.nanos - since >= DeskFixture.PERIOD / 10 * 4);
    other.commit(false, 5_000, other.open);
    quiesce();
    assertTrue(Outcome.isCommitted(other.answer()), "which ends all waits");
    behind.commit(false, 6_000, behind.open);
    quiesce();
    assertTrue(Outcome.isCommitted(behind.answer()), "nothing was decided");
  }

  /** A tick that comes late, after the process was stopped, grants no more than a usual one. */
  @Test
  void aLateTickIsNoLump() {
    Pace pace = new Pace(2_000, 20_000);
    Pace.Credit host = new Pace.Credit();
    pace.tick(1_000_000, 1);
    int taken = 0;
    for (; pace.admits(host); taken++) {
      pace.took(host, 1);
    }
    assertEquals(100, taken);
  }

  /** After a quiet time all hosts together take no more at once than what is granted in a tick. */
  @Test
  void whatWasNotTakenIsNobodys() {
    Pace pace = new Pace(2_000, 1_000);
    for (int i = 0; i < 100; i++) {
      pace.tick(10, 1); // 20 are granted
    }
    int taken = 0;
    for (int i = 0; i < 50; i++) {
      Pace.Credit host = new Pace.Credit();
      while (pace.admits(host)) {
        pace.took(host, 1);
        taken++;
      }
    }
    assertEquals(20, taken);
  }
}
