package io.retso.member;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.log.LedgerStore;
import io.retso.simulator.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which member takes over and when, to the tick, in virtual time. */
class MemberTest {
  /** A poll, a take-over and two ticks, in milliseconds. */
  private static final long SOON = 40;

  /** A leader serves for so long after it has named a successor that does not begin its epoch. */
  private static final long NAMED = HandOver.NAMED_NANOS_MAX / Simulation.MILLIS;

  private MemberGroup group;
  private TestMember first;
  private TestMember second;
  private TestMember third;

  @BeforeEach
  void startThree() {
    group = new MemberGroup();
    first = group.start("first:1");
    pass(200);
    second = group.start("second:1");
    third = group.start("third:1");
    pass(1_500);
    assertTrue(first.leads());
    assertTrue(second.view().isReady() && third.view().isReady());
  }

  private void pass(long millis) {
    group.simulation.pass(millis * Simulation.MILLIS);
  }

  /** Returns the milliseconds until it leads. */
  private long untilLeads(TestMember member) {
    long begin = group.simulation.now();
    assertTrue(
        group.simulation.run(member::leads, begin + 60_000 * Simulation.MILLIS), "never leads");
    return (group.simulation.now() - begin) / Simulation.MILLIS;
  }

  /** Has a member hand over, until its successor has begun its epoch. */
  private void untilNextEpoch(TestMember leader, TestMember successor) {
    leader.handOver();
    untilEntered(successor);
    assertTrue(leader.leads());
    assertFalse(successor.leads());
  }

  private static void assertBetween(long least, long most, long millis) {
    assertTrue(
        least <= millis && millis <= most, millis + " ms, not " + least + " to " + most + " ms");
  }

  @Test
  void whoFindsAnEmptyLogLeadsAtOnceAndTheOthersFollow() {
    MemberGroup empty = new MemberGroup();
    TestMember alone = empty.start("alone:1");
    empty.simulation.pass(SOON * Simulation.MILLIS);
    assertTrue(alone.leads());
    assertEquals(1, alone.view().epoch());
    assertFalse(second.leads() || third.leads());
    assertTrue(second.view().serves() && third.view().serves());
    assertEquals("first:1", third.view().leader());
    assertEquals(1, third.view().epoch());
  }

  @Test
  void aClosedPortIsEnoughForTheFirstInTheOrderOfRegistration() {
    first.die();
    assertBetween(0, SOON, untilLeads(second));
    pass(1_000);
    assertFalse(third.leads());
    assertEquals("second:1", third.view().leader());
  }

  @Test
  void aDeadOneThatIsStillRegisteredCostsItsTurn() {
    first.die();
    second.die();
    assertBetween(200, 200 + SOON, untilLeads(third));
  }

  /** The third one learns of the next epoch although what it asks of the log is not answered. */
  @Test
  void aMemberWhoseTurnItIsNotHasNotTried() {
    third.pollsHangUntil = group.simulation.now() + 1_000 * Simulation.MILLIS;
    pass(20);
    first.die();
    assertBetween(0, SOON, untilLeads(second));
    pass(300);
    assertEquals(2, third.view().epoch());
    pass(1_000);
    second.die();
    assertBetween(200, 200 + SOON, untilLeads(third)); // a dead one is before it
  }

  /** A third one would have to wait for the same, from the beginning. */
  @Test
  void aTakeOverThatTakesLongIsNotBegunAnew() {
    first.die();
    untilEntered(second);
    second.fencesNotBefore = group.simulation.now() + 1_800 * Simulation.MILLIS;
    assertBetween(1_700, 1_800 + SOON, untilLeads(second));
    pass(3_000);
    assertTrue(second.leads());
    assertEquals(List.of(), third.tookOverAt);
  }

  @Test
  void aTakeOverThatDoesNotEndIsBegunAnewAfterTwoSeconds() {
    first.die();
    untilEntered(second);
    second.fencesNotBefore = group.simulation.now() + 60_000 * Simulation.MILLIS;
    assertBetween(2_000, 2_200 + SOON, untilLeads(third));
  }

  @Test
  void aMemberThatHangsWhileItTakesOverIsBorneForHalfASecond() {
    first.die();
    untilEntered(second);
    second.stopped = true;
    assertBetween(500, 700 + SOON, untilLeads(third));
  }

  private void untilEntered(TestMember successor) {
    long end = group.simulation.now() + SOON * Simulation.MILLIS;
    assertTrue(
        group.simulation.run(() -> !successor.tookOverAt.isEmpty(), end),
        "it is not in the catalog");
  }

  @Test
  void oneThatIsNotReadyHasNoTurn() {
    second.isolated = true;
    pass(4_000); // it has read nothing for so long that it is not ready
    assertFalse(second.view().isReady());
    first.die();
    assertBetween(0, SOON, untilLeads(third));
  }

  @Test
  void silenceIsBorneForHalfASecond() {
    first.stopped = true; // its port is open
    assertBetween(400, 500 + SOON, untilLeads(second));
    first.stopped = false;
    pass(500);
    assertFalse(first.leads());
    assertTrue(first.view().serves());
    assertEquals("second:1", first.view().leader());
  }

  @Test
  void whoStoodStillSuspectsNobodyOfSilence() {
    third.die();
    first.stopped = true;
    second.stopped = true;
    pass(300);
    second.stopped = false;
    assertBetween(490, 500 + SOON, untilLeads(second));
  }

  @Test
  void whoCannotReadTheLogBlamesNobody() {
    second.isolated = true;
    third.isolated = true;
    first.stopped = true;
    pass(5_000);
    first.stopped = false;
    pass(200);
    second.isolated = false;
    third.isolated = false;
    pass(5_000);
    assertTrue(first.leads());
    assertEquals(1, first.view().takeOvers());
  }

  @Test
  void whoSuspectsALeaderThatLivesDeposesItOnce() {
    second.seesNobody = true;
    assertBetween(0, SOON, untilLeads(second));
    pass(5_000);
    assertTrue(second.leads());
    assertEquals(2, first.view().epoch());
    assertTrue(first.view().serves());
  }

  @Test
  void attemptsThatServeNobodyAreFewerAndFewer() {
    third.die();
    first.die();
    second.isolatedFromBookies = true;
    long begin = group.simulation.now();
    pass(95_000);
    List<Long> pauses = new ArrayList<>();
    long before = second.tookOverAt.get(0);
    assertBetween(0, 200, (before - begin) / Simulation.MILLIS); // the poll under way fails first
    for (long time : second.tookOverAt.subList(1, second.tookOverAt.size())) {
      pauses.add(Math.round((time - before) / (1_000.0 * Simulation.MILLIS)));
      before = time;
    }
    assertEquals(List.of(2L, 4L, 8L, 16L, 30L, 30L), pauses);
    assertNotNull(second.view().trouble());
    second.isolatedFromBookies = false;
    assertBetween(0, 30_000, untilLeads(second));
    assertNull(second.view().trouble());
  }

  @Test
  void handsOverToTheFirstThatIsReady() {
    CompletableFuture<Void> done = first.handOver();
    assertBetween(0, SOON, untilLeads(second));
    assertTrue(done.isDone() && !done.isCompletedExceptionally());
    pass(5_000);
    assertEquals(2, third.view().epoch());
    assertTrue(first.view().serves());
    second.handOver();
    assertBetween(0, SOON, untilLeads(first));
  }

  /** So its epoch begins while everybody is served. */
  @Test
  void whoIsNamedBeginsItsEpochAndWaitsForTheLeadersEnd() {
    untilNextEpoch(first, second);
    assertBetween(1, SOON, untilLeads(second));
    assertFalse(first.leads());
    pass(5_000);
    assertEquals(2, third.view().epoch());
    assertEquals(List.of(), third.tookOverAt, "what ended is the log of the leader before");
    assertTrue(third.view().serves());
  }

  /** The third one knows of the new epoch when it reads that the leader of the one before ended. */
  @Test
  void theEndOfOneLeaderIsNotThatOfTheNext() {
    untilNextEpoch(first, second);
    first.stopped = true;
    pass(300);
    assertEquals(2, third.view().epoch());
    first.stopped = false;
    untilLeads(second);
    pass(5_000);
    assertEquals(List.of(), third.tookOverAt);
    assertTrue(second.leads() && third.view().serves());
  }

  @Test
  void aLeaderThatDiesBeforeItHasEndedIsNotWaitedFor() {
    untilNextEpoch(first, second);
    first.die();
    assertBetween(0, SOON, untilLeads(second));
  }

  @Test
  void aLeaderThatHangsBeforeItHasEndedIsWaitedForHalfASecond() {
    untilNextEpoch(first, second);
    first.stopped = true;
    assertBetween(500 - SOON, 500 + SOON, untilLeads(second));
    first.stopped = false;
    pass(1_000);
    assertFalse(first.leads());
    assertTrue(first.view().isReady());
  }

  /** It knows what it has logged: there is nothing to be read back. */
  @Test
  void whoHandedOverIsReadyAtOnceAndWhoWasDeposedIsNot() {
    first.handOver();
    untilLeads(second);
    assertTrue(first.view().isReady());
    pass(SOON); // it connects to the port of the new leader
    second.handOver();
    assertBetween(0, SOON, untilLeads(first));
    first.isolatedFromBookies = true;
    untilLeads(third); // the second one holds off
    assertTrue(group.simulation.run(() -> !first.leads(), Long.MAX_VALUE));
    pass(1);
    assertFalse(first.view().isReady(), "what the log lacks is forgotten, and the rest read");
  }

  @Test
  void handsOverToNobodyWhoIsNotReady() {
    second.isolated = true;
    third.isolated = true;
    pass(4_000);
    assertTrue(first.handOver().isCompletedExceptionally());
    second.die();
    third.die();
    pass(1_000);
    assertTrue(first.handOver().isCompletedExceptionally());
    assertTrue(first.leads());
    TestMember fourth = group.start("fourth:1");
    pass(500);
    assertTrue(fourth.handOver().isCompletedExceptionally(), "it does not lead");
    assertFalse(first.handOver().isCompletedExceptionally());
    assertBetween(0, SOON, untilLeads(fourth));
  }

  /** Otherwise the epoch of its successor would depose it, and it would have to read the log. */
  @Test
  void aLeaderThatChangesTheCatalogLetsThatEndBeforeItNamesASuccessor() {
    first.changesNotBefore = group.simulation.now() + 105 * Simulation.MILLIS;
    first.issue(TestMember.WINDOW / 2); // a ledger is prepared for the next segment
    pass(100);
    first.handOver();
    assertBetween(0, SOON, untilLeads(second));
    assertTrue(first.view().isReady(), "it was deposed");
  }

  @Test
  void aChangeOfTheCatalogThatHangsIsNotWaitedForLong() {
    first.changesNotBefore = group.simulation.now() + 60_000 * Simulation.MILLIS;
    first.issue(TestMember.WINDOW / 2);
    pass(100);
    first.handOver();
    long least = HandOver.REST_NANOS_MAX / Simulation.MILLIS;
    assertBetween(least, least + SOON, untilLeads(second));
  }

  /** A server of ZooKeeper may be behind the one that was asked before. */
  @Test
  void aCatalogThatIsReadLateSaysNothing() {
    first.handOver();
    untilLeads(second);
    LedgerStore.Catalog before = first.catalog();
    pass(1_000);
    second.handOver();
    untilLeads(first);
    pass(1_000);
    first.staleCatalog = before;
    third.seesNobody = true;
    untilLeads(third);
    assertTrue(group.simulation.run(() -> !first.leads(), Long.MAX_VALUE));
    for (int i = 0; i < 100; i++) {
      pass(10);
      assertEquals(3, first.view().epoch());
    }
    first.staleCatalog = null;
    pass(1_000);
    assertEquals(4, first.view().epoch());
    assertEquals("third:1", first.view().leader());
  }

  /** The leader of the next epoch is the one that wanted to hand over in the epoch before. */
  @Test
  void whatALeaderSaidInAnotherEpochSaysNothing() {
    second.hearsRolesLate = true;
    third.hearsRolesLate = true;
    first.handOver();
    second.isolated = true;
    third.isolated = true;
    pass(NAMED + SOON);
    assertFalse(first.leads());
    untilLeads(first);
    assertEquals(2, first.view().epoch());
    second.isolated = false;
    third.isolated = false;
    pass(2_000);
    assertEquals(2, second.view().epoch());
    assertTrue(second.view().serves() && third.view().serves());
    second.hearRoles();
    third.hearRoles();
    pass(1_000);
    assertTrue(first.leads());
    assertEquals(2, first.view().takeOvers());
  }

  @Test
  void takesUpAgainWhatNobodyTookInThreeSeconds() {
    first.handOver();
    second.die();
    third.die(); // both are still registered
    pass(NAMED + SOON);
    assertFalse(first.leads());
    assertBetween(3_000 - SOON, 3_000 + SOON, untilLeads(first));
    assertEquals(2, first.view().epoch());
  }

  @Test
  void whoIsAboutToStopTakesOverNoMore() {
    second.retire();
    first.die();
    assertBetween(200, 200 + SOON, untilLeads(third));
  }

  @Test
  void aStandbyRehearsesOnceAndIsReadyThen() {
    TestMember fourth = group.start("fourth:1");
    fourth.rehearsal = new CompletableFuture<>();
    pass(2_000);
    assertFalse(fourth.view().isReady() || fourth.view().serves());
    fourth.rehearsal.complete(null);
    pass(SOON);
    assertTrue(fourth.view().isReady() && fourth.view().serves());
    pass(2_000);
    assertEquals(1, fourth.rehearsals);
    assertEquals(0, first.rehearsals, "it has led before it stood by");
  }

  /** Those that are ready have their chance before. */
  @Test
  void whoRehearsesTakesOverIfNobodyElseDoes() {
    TestMember fourth = group.start("fourth:1");
    fourth.rehearsal = new CompletableFuture<>();
    pass(2_000);
    for (TestMember dies : List.of(second, third, first)) {
      dies.die();
    }
    assertBetween(400, 400 + SOON, untilLeads(fourth));
  }
}
