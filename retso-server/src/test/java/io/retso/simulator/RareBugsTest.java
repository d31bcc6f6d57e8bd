package io.retso.simulator;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.client.OracleClient;
import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import io.retso.sequencer.Sequencer;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.opentest4j.AssertionFailedError;

/**
 * Known bugs that random worlds show too rarely to wait for ({@link InjectedBugsTest} has the
 * others): each must be caught by the test that is named beside it.
 */
class RareBugsTest {
  /** A rule that is broken, how, and who notices. */
  enum Bug {
    /** The list of a segment lacks what left the window while the list was written. */
    UNCLEANED_MOVED_MEANWHILE_MISSING_IN_SNAPSHOT(
        "oracle.UncleanedSnapshotTest",
        "theListAndTheChangesTellAllUncleanedCommits",
        "oracle/UncleanedSnapshot.java",
        "sequence = window.low();\n      leftBelow = sequence;",
        "sequence = window.low();"),
    /** The acknowledgement may have been long under way. */
    LEASE_BEGINS_WITH_THE_ACKNOWLEDGEMENT(
        "sequencer.LeaseTest",
        "anEntryProvesFromTheTimeWhenItWasSent",
        "sequencer/Lease.java",
        "acknowledged = position;\n    led = true;",
        "acknowledged = position;\n"
            + "    led = true;\n"
            + "    sentNanos[slot(position)] = timing.nanoClock().getAsLong();\n"
            + "    sentMillis[slot(position)] = timing.wallClock().getAsLong();"),
    /**
     * A server that follows does not wait for one that has a lease of the writer before to wait
     * for.
     */
    ENDS_WHILE_IT_WAITS(
        "sequencer.LeaseTest",
        "decisionsAreHeldBehindAWriterThatMayHaveALease",
        "sequencer/Sequencer.java",
        "held ? Long.MAX_VALUE : writer.end()",
        "writer.end()"),
    /** A refusal is true of one copy of a request, and taken for all of them. */
    REFUSED_REPEAT_TAKEN_FOR_NOT_DECIDED(
        "front.OlderCopiesTest",
        "whatARefusedRepetitionIsAboutMayBeCommittedByAnOlderCopy",
        "client/call/RefusedCommits.java",
        "call.wasNotSent();",
        "call.maybeSent = false;"),
    /** Ten hosts may take ten shares before anybody is slowed. */
    EACH_HOST_HAS_THE_SHARE_OF_ALL(
        "front.FairUseTest",
        "theMoreHostsThereAreTheLessIsTheShareOfEach",
        "front/FairUse.java",
        "count > free / SHARE_PARTS / hosts",
        "count > free / SHARE_PARTS"),
    /** After a quiet minute all hosts together take what was granted in it. */
    PACE_SAVES_UP(
        "front.PaceTest",
        "whatWasNotTakenIsNobodys",
        "front/Pace.java",
        "left = Math.min(left, 0) + grant;",
        "left += grant;"),
    DEPARTED_HOSTS_KEEP_THEIR_ACCOUNTS(
        "front.FairUseTest",
        "inANewTermItHasTakenNothing",
        "front/Turns.java",
        "departed.clear();",
        ""),
    /** A successor waits for no longer. */
    LEASE_LASTS_LONGER_THAN_ITS_SUCCESSOR_WAITS(
        "sequencer.LeaseTest",
        "itIsOverToTheNanosecond",
        "sequencer/Lease.java",
        "return age < timing.leaseNanos()",
        "return age < timing.leaseNanos() + timing.leaseNanos() / 32"),
    /** ... and that wait counts from a time when the leader before could still append. */
    FENCED_BEFORE_THE_FENCE_IS_COMPLETE(
        "log.LogTailTest",
        "aTakeOverIsFencedWhenTheLastLedgerIs",
        "log/TakeOver.java",
        "all = all.thenRunAsync(() -> fencedNanos = nanoClock.getAsLong(), executor);",
        "fencedNanos = nanoClock.getAsLong();"),
    /** Its ledger may have been deleted by a successor, and its fence with it. */
    STOOD_STILL(
        "sequencer.DeposedServerTest",
        "nothingIsDecidedByOneThatStoodStillForHours",
        "sequencer/LogWriter.java",
        "since > STOOD_STILL_NANOS",
        "since == Long.MAX_VALUE"),
    STOOD_STILL_WITH_ITS_CLOCK(
        "sequencer.DeposedServerTest",
        "norByOneThatSleptForHours",
        "sequencer/Lease.java",
        "Math.max(nanos - sentNanos[before], MILLISECONDS.toNanos(millis - sentMillis[before]))",
        "nanos - sentNanos[before]"),
    /** Where clients have to say who they are. */
    WHAT_IS_ONLY_REGISTERED_IS_NAMED_BY_LEADERS(
        "member.NamedMembersTest",
        "whatIsOnlyRegisteredIsNamedByNobody",
        "member/Announcer.java",
        "return proved.among(roster.members(), proves, now);",
        "return roster.members();"),
    WHAT_IS_ONLY_REGISTERED_IS_NAMED_BY_STANDBYS(
        "member.NamedMembersTest",
        "whatIsOnlyRegisteredIsNamedByNobody",
        "member/Follower.java",
        "return hears() && (named.contains(address) || address.equals(leader.address));",
        "return true;"),
    A_SUCCESSOR_NAMES_NOBODY(
        "member.NamedMembersTest",
        "aSuccessorNamesWhomItsLeaderNamed",
        "member/ProvedMembers.java",
        "now - last < MEMORY_NANOS",
        "now == last"),
    WHO_IS_GONE_STAYS_NAMED(
        "member.NamedMembersTest",
        "aSuccessorNamesWhomItsLeaderNamed",
        "member/ProvedMembers.java",
        "now - last < MEMORY_NANOS",
        "true"),
    FAILED_TAKE_OVER_IS_NEVER_OVER(
        "member.MemberTest",
        "attemptsThatServeNobodyAreFewerAndFewer",
        "member/Member.java",
        "state = State.STANDBY;\n            leadTrouble",
        "leadTrouble");

    private final String test;
    private final String method;
    private final String file;
    private final String text;
    private final String instead;

    Bug(String test, String method, String file, String text, String instead) {
      this.test = test;
      this.method = method;
      this.file = file;
      this.text = text;
      this.instead = instead;
    }
  }

  @ParameterizedTest
  @EnumSource
  void isCaught(Bug bug, @TempDir Path directory) throws Exception {
    Path source =
        Stream.of("src/main/java", "../retso-client/src/main/java")
            .map(root -> Path.of(root, "io/retso", bug.file))
            .filter(Files::exists)
            .findFirst()
            .orElseThrow();
    new SourceEdit(source, bug.text, bug.instead).compile(directory);
    try (EditedClasses edited =
        EditedClasses.of(directory, World.class, Sequencer.class, OracleClient.class)) {
      Class<?> type = edited.loadClass("io.retso." + bug.test);
      Constructor<?> constructor = type.getDeclaredConstructor();
      constructor.setAccessible(true);
      Object test = constructor.newInstance();
      for (Method method : type.getDeclaredMethods()) {
        if (method.isAnnotationPresent(BeforeEach.class)) {
          call(test, method);
        }
      }
      Method method = type.getDeclaredMethod(bug.method);
      InvocationTargetException thrown =
          assertThrows(InvocationTargetException.class, () -> call(test, method));
      System.out.println(
          bug + ": " + assertInstanceOf(AssertionFailedError.class, thrown.getCause()));
    }
  }

  private static void call(Object test, Method method) throws ReflectiveOperationException {
    method.setAccessible(true);
    method.invoke(test);
  }
}
