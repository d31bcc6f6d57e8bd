package io.retso.simulator;

import static org.junit.jupiter.api.Assertions.fail;

import io.retso.client.OracleClient;
import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import io.retso.sequencer.Sequencer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.IntBinaryOperator;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Known bugs, each of which the simulator must catch: otherwise its silence means nothing. A bug is
 * an edit of a source file, mostly of one in production; the whole simulator runs on the edited
 * classes.
 */
class InjectedBugsTest {
  private static final int SEEDS_MAX = 1_500;
  private static final long OPERATIONS = 5_000;

  /** A rule that is broken, and how. */
  enum Bug {
    /** Section 3.3: answers to queries leave without waiting for what they rest on. */
    NO_NULL_WRITE(
        "sequencer/Sequencer.java",
        "private long queryPosition() {\n    return decisionPosition();",
        "private long queryPosition() {\n    return 0;"),
    REPLY_BEFORE_ACKNOWLEDGEMENT(
        "sequencer/Sequencer.java",
        "oracle.commit(batch);\n    writer.reserveAhead();\n    replyAt(decisionPosition());",
        "oracle.commit(batch);\n    writer.reserveAhead();\n    replyAt(decisionPosition() - 1);"),
    /** Stamps are used that no record reserves. */
    FORGOTTEN_RESERVATION(
        "sequencer/LogWriter.java",
        "entry.reserved(reservation.renew(oracle.nextTimestamp(), ring.filling()));",
        "reservation.renew(oracle.nextTimestamp(), ring.filling());"),
    /** A reservation that lasts is not written again when a segment begins. */
    SEGMENT_WITHOUT_A_RESERVATION(
        Sizes::reservingMoreThanAWindow,
        "sequencer/LogWriter.java",
        "reserve();\n    snapshot.begin(entry);",
        "reserveAhead();\n    snapshot.begin(entry);"),
    HOLE_A_ALGORITHM_3_AS_PRINTED(
        "oracle/StatusOracle.java", "return !window.contains(sequence);", "return false;"),
    HOLE_B_OPEN_IS_NOT_COMMITTED_FOR_EVER(
        "oracle/DecidedTransactions.java",
        "PRESUMED_OPEN -> Outcome.OPEN;",
        "PRESUMED_OPEN -> Outcome.ABORTED;"),
    /** Algorithm 4, line 6, as printed: an open transaction is one of the missing ones. */
    HOLE_B_RETRY_FOR_OPEN(
        "oracle/DecidedTransactions.java",
        "PRESUMED_OPEN -> Outcome.OPEN;",
        "PRESUMED_OPEN -> Outcome.RETRY;"),
    /** What left the window is not looked up among the uncleaned commits. */
    HOLE_C_UNCLEANED_FORGOTTEN(
        "oracle/DecidedTransactions.java",
        "return commit != 0 ? commit << Timestamps.GAP_BITS : Outcome.RETRY;",
        "return Outcome.RETRY;"),
    UNCLEANED_MISSING_IN_SNAPSHOT(
        "sequencer/SegmentSnapshot.java", "entry.uncleaned(start, commit);", ""),
    /** Recovery begins with a segment whose writer died before the end of its list. */
    INCOMPLETE_SNAPSHOT_TAKEN_FOR_COMPLETE(
        "log/SegmentSearch.java", "reached = listed && head.start", "reached = head.start"),
    /** The next commit gets the timestamp that a reader has. */
    TIMESTAMP_NOT_ISSUED("oracle/StatusOracle.java", "window.pass();", ""),
    /** A successor may commit below the timestamp that a reader has. */
    TIMESTAMP_BEFORE_ITS_RESERVATION(
        "sequencer/Sequencer.java",
        "oracle.timestamp();\n    writer.reserveAhead();\n    replyPosition = startsPosition();",
        "oracle.timestamp();\n    writer.reserveAhead();\n    replyPosition = 0;"),
    POSITION_OF_THE_REQUEST_BEFORE(
        "sequencer/Sequencer.java",
        "long first = oracle.begin(count, host);\n"
            + "    writer.reserveAhead();\n"
            + "    replyPosition = startsPosition();",
        "replyPosition = startsPosition();\n"
            + "    long first = oracle.begin(count, host);\n"
            + "    writer.reserveAhead();"),
    /** What waited for the log leaves before what has waited for the end of its burst. */
    REPLY_OVERTAKES_IN_ITS_LANE(
        Sizes::reservingOften,
        "front/Conversation.java",
        "writeLeaving(); // a reply that waited",
        "// a reply"),
    /** The watermark passed timestamps of readers, and a successor takes them for transactions. */
    WATERMARK_NOT_LOGGED(
        "oracle/Watermark.java", "changes.watermark(low << Timestamps.GAP_BITS);", ""),
    /** A repeated commit that is no longer remembered is said to be aborted. */
    REPEAT_JUDGED_AS_FIRST(
        "oracle/StatusOracle.java",
        "decided.beforeWindow(sequence, batch.repeats[i])",
        "decided.beforeWindow(sequence, false)"),
    /** The time limit aborts transactions without a record. */
    EXPIRY_NOT_LOGGED(
        "oracle/Watermark.java", "changes.expired(window.low() << Timestamps.GAP_BITS);", ""),
    /** What a sweep finished is not finished for a successor. */
    SWEEP_NOT_LOGGED("oracle/Watermark.java", "changes.swept(timestamp);", ""),
    WATERMARK_IGNORES_THE_UNCLEANED(
        "oracle/Watermark.java",
        "Math.min(window.finished(WALK_MAX), uncleaned.lowest())",
        "window.finished(WALK_MAX)"),
    HOLD_IGNORED_BY_THE_WATERMARK(
        "oracle/Watermark.java", "return Math.min(low, holds.lowest());", "return low;"),
    HOLD_NOT_LOGGED("oracle/StatusOracle.java", "changes.held(hold);", ""),
    HOLD_NOT_RECOVERED("sequencer/Recovery.java", "oracle.replay().held(hold);", ""),
    /** A hold is known as long as the segment in which it was taken. */
    HOLD_LOST_WITH_ITS_SEGMENT(
        Sizes::withAShortWindow, "sequencer/SegmentSnapshot.java", "entry.held(hold);", ""),
    /** A successor has it back, and its watermark is lower. */
    END_OF_A_HOLD_NOT_LOGGED("oracle/StatusOracle.java", "changes.released(timestamp);", ""),
    HOLD_ANSWERED_BEFORE_IT_IS_DURABLE(
        "sequencer/Sequencer.java",
        "wallMillis, nowNanos);\n    writer.reserveAhead();\n    replyAt(decisionPosition());",
        "wallMillis, nowNanos);\n    writer.reserveAhead();\n    replyAt(decisionPosition() - 1);"),
    /** A hold ends before its time. */
    HOLD_ENDS_EARLY(
        "sequencer/HeldSnapshots.java",
        "if (leftNanos(hold) <= 0) {",
        "if (leftNanos(hold) <= TimeUnit.DAYS.toNanos(1)) {"),
    /** Timestamps go to where the clock is, whatever is open. */
    CLOCK_FOLLOWED_AT_ONCE(
        "server/ClockFollower.java", "Math.min(wanted, Math.max(tolerable, asTheClock))", "wanted"),
    /** A sweep reports a timestamp that it took after it had gone over the marks. */
    SWEEP_TIMESTAMP_TAKEN_LAST(
        "simulator/Sweeper.java", "report(sweep);\n", "client.begin(this::report);\n"),
    REPEATS_NOT_FLAGGED(
        "client/call/FrameWriter.java", " | (call.maybeSent ? FrameType.REPEAT_FLAG : 0)", ""),
    /** Answers are expected in the order of their requests, as if there were one lane. */
    ONE_LANE_FOR_ALL_REPLIES(
        "client/call/Lanes.java",
        "if (type.isLogged()) {\n      return logLane;",
        "if (true) {\n      return logLane;"),
    UNKNOWN_TOLD_AS_ABORTED(
        "client/call/Replies.java",
        "if (outcome == Outcome.UNKNOWN) {\n      forgotten(next(frame));",
        "if (outcome == Outcome.UNKNOWN) {\n"
            + "      next(frame).answer(CommitResult.aborted(CommitResult.AbortReason.EARLIER));"),
    UNKNOWN_TOLD_AS_NOT_SENT(
        "client/call/Call.java",
        "if (outcomeIsOpen()) {",
        "if (outcomeIsOpen()) {\n"
            + "      OracleException.Category none = OracleException.Category.UNAVAILABLE;\n"
            + "      completeExceptionally(new OracleException(none, message, cause));\n"
            + "    } else if (outcomeIsOpen()) {"),
    /** The log lets go of segments that a recovery still needs. */
    TRIMMED_TOO_EARLY("log/LedgerLog.java", "trim(windowStartOfSegment);", "trim(Long.MAX_VALUE);"),
    RECOVERY_WITHOUT_FENCE(
        "log/TakeOver.java",
        "(ledger, isFinished) -> store.openFenced(ledger));",
        "(ledger, isFinished) -> store.openUnfenced(ledger));"),
    CATALOG_WITHOUT_COMPARE(
        "simulator/SimulatedLedgers.java", "expected.version() != before.version()", "false"),
    /** What was refused is taken for something that never happened. */
    REFUSED_LEDGER_GIVEN_BACK_ALTHOUGH_THE_CATALOG_NAMES_IT(
        "log/TakeOver.java", "found.ledgers().contains(own.id())", "false"),
    /** A reader that was too slow ends with a call for help. */
    DELETED_LEDGER_TAKEN_FOR_LOST("log/Gone.java", "now.ledgers().contains(e.ledger())", "true"),
    /** The end of a ledger is read while its writer goes on. */
    STANDBY_SERVES_BEFORE_FENCING(
        "log/TakeOver.java",
        "this.opening = store.openFenced(ledger);",
        "this.opening = store.openUnfenced(ledger);"),
    /** What has arrived at a bookie is taken for confirmed: a fence may take it back. */
    APPLIED_BEYOND_WHAT_IS_CONFIRMED(
        "simulator/Bookie.java",
        "copy.entries.lastEntry().getValue().confirmed()",
        "copy.entries.lastKey() + 1"),
    /** A standby that was too slow goes on behind what was deleted meanwhile. */
    STANDBY_OVERLOOKS_A_GAP(
        Sizes::withAShortWindow,
        "log/LogTail.java",
        "Gap.unlessFollows(entry, last);\n      segmentStarts",
        "segmentStarts"),
    /** A deposed writer may append to a ledger that was deleted together with its fence. */
    ZOMBIES_LEDGER_DELETED(
        Sizes::withAShortWindow,
        "log/SegmentList.java",
        "if (!segment.inherited() || !retained) {",
        "if (true) {"),
    /** What was open at a crash is no longer in the window: safe, and useless. */
    OPEN_TRANSACTIONS_ABORTED_BY_RECOVERY(
        "sequencer/Recovery.java",
        "leaveWindow(reserved);\n      oracle.replay().end();",
        "oracle.replay().windowLow(oracle.nextTimestamp());\n      oracle.replay().end();"),
    RESERVATION_NOT_RECOVERED("sequencer/Recovery.java", "oracle.replay().time(reserved);", ""),
    /** The first of several reservations counts. */
    OLD_RESERVATION_RECOVERED(
        "sequencer/Recovery.java",
        "reserved = Math.max(reserved, timestamp);",
        "reserved = reserved == 0 ? timestamp : reserved;"),
    LAST_RESERVED_TIMESTAMP_ISSUED_AGAIN(
        "sequencer/Recovery.java",
        "oracle.replay().time(reserved);",
        "oracle.replay().time(reserved == 0 ? 0 : reserved - Timestamps.GAP);"),
    /** After a clean stop the last timestamp is issued again. */
    END_LOGGED_TOO_EARLY(
        "sequencer/LogWriter.java",
        "entry.ended(oracle.nextTimestamp());",
        "entry.ended(oracle.nextTimestamp() - Timestamps.GAP);"),
    /** A server that said where its timestamps end goes on. */
    SERVES_BEHIND_ITS_END(
        "sequencer/Sequencer.java",
        "if (writer.isStopped() || writer.hasEnded()) {",
        "if (writer.isStopped()) {"),
    /** Only the newest segment is replayed. */
    WINDOW_NOT_REPLAYED(
        "log/SegmentSearch.java",
        "head.start <= newestStart - windowSpan",
        "head.start <= newestStart"),
    UNCLEANED_NOT_RECOVERED(
        "sequencer/Recovery.java", "oracle.replay().uncleaned(start, commit);", ""),
    ABORTS_NOT_RECOVERED("sequencer/Recovery.java", "oracle.replay().aborted(start);", ""),
    EXPIRY_NOT_RECOVERED("sequencer/Recovery.java", "oracle.replay().expired(below);", ""),
    WATERMARK_NOT_RECOVERED("sequencer/Recovery.java", "oracle.replay().watermark(below);", ""),
    /** What left the smaller window of a predecessor may be open again. */
    WINDOW_OF_THE_PREDECESSOR_FORGOTTEN(
        "sequencer/Recovery.java", "if (windowTimestamps > 0) {", "if (false) {"),
    EPOCH_NOT_RAISED("log/LedgerStore.java", "new Content(epoch + 1,", "new Content(epoch,"),
    /** A successor does not know of a ledger that is in use. */
    LEDGER_NOT_IN_THE_CATALOG("log/Housekeeping.java", ".thenCompose(ledger -> addMade())", ""),
    /** A successor acknowledges commits while its predecessor may still answer begins. */
    LEASE_WAIT_FORGOTTEN(
        "sequencer/Lease.java",
        "heldUntil = fenced + timing.leaseNanos() + timing.leaseNanos() / DRIFT_PART;",
        "heldUntil = fenced;"),
    /** Entries that were not acknowledged prove nothing. */
    LEASE_OF_AN_UNACKNOWLEDGED_ENTRY(
        "sequencer/Lease.java", "led && isRecent(acknowledged", "led && isRecent(newest"),
    /** It leads until the catalog says otherwise. */
    TRUSTS_THE_CATALOG_ALONE(
        "sequencer/Lease.java", "led && isRecent(acknowledged, nanos, millis)", "led"),
    /** A machine sleeps, and so does its monotonic clock. */
    SLEEP_NOT_NOTICED(
        "sequencer/Lease.java",
        "MILLISECONDS.toNanos(wallAge) <= timing.leaseNanos()",
        "wallAge != 0"),
    /** A standby applies what it has heard of, and not what else is in the log that it fenced. */
    STANDBY_LEADS_BEFORE_IT_HAS_READ_THE_END(
        "log/TakeOver.java",
        "entries.read(next, entries.count(), executor, this::show)",
        "entries.read(next, next, executor, this::show)"),
    /** A server that found that another one had replaced the catalog leads all the same. */
    LOST_RACE_TAKEN_FOR_WON(
        "log/TakeOver.java",
        ".readCatalog()\n"
            + "                        .thenComposeAsync(changed -> enter(changed, epoch),"
            + " executor)",
        ".readCatalog()"),
    /** A take-over by suspicion is treated as if the leader had said its last word. */
    SUSPECT_TAKEN_FOR_ENDED(
        "sequencer/Sequencer.java", "if (replayed.hasWriter()) {", "if (false) {"),
    DEPOSED_LEADER_GOES_ON(
        "member/Member.java",
        "if (state == State.LEADING) {\n        stepDown();",
        "if (false) {\n        stepDown();"),
    /** What a deposed leader decided and the log does not have stays in its oracle. */
    DEPOSED_LEADER_KEEPS_ITS_ORACLE(
        "member/Follower.java", "recovery.restart();\n    begin();", "begin();"),
    /** ... whether its log has got its end or not. */
    KEEPS_WHAT_THE_LOG_LACKS(
        "sequencer/LogWriter.java",
        "return endedAt > 0 && ring.durable() >= endedAt;",
        "return true;"),
    /** ... if that end may get lost, as it was not acknowledged. */
    KEEPS_WHAT_THE_LOG_MAY_LACK(
        "sequencer/LogWriter.java",
        "return endedAt > 0 && ring.durable() >= endedAt;",
        "return endedAt > 0;"),
    /** Answers that waited for the log leave in a later term of their server. */
    REPLIES_OUTLIVE_THEIR_TERM(
        "front/FrontDesk.java", "conversations.forEach(Conversation::dropReplies);", ""),
    /** What was under way when its server handed over is asked again as if for the first time. */
    UNDER_WAY_TAKEN_FOR_NOT_CARRIED_OUT(
        "client/connection/Connection.java", "if (code != ErrorCode.DEPOSED) {", "if (true) {"),
    /** What is certified again after a crash is judged by snapshot isolation alone. */
    SERIALIZABLE_DROPPED_IN_A_REPEAT(
        Sizes::serializable,
        "client/call/FrameWriter.java",
        "flags |= request.isSerializable() ?",
        "flags |= request.isSerializable() && !repeat ?"),
    VALIDATED_ROWS_NOT_JUDGED_IN_A_REPEAT(
        Sizes::serializable,
        "oracle/CommitDecision.java",
        "judge(batch, batch.writesEnd(i), batch.validatedEnd(i), sequence)",
        "judge(batch, batch.writesEnd(i),\n"
            + "batch.repeats[i] ? batch.writesEnd(i) : batch.validatedEnd(i), sequence)"),
    VALIDATED_ROWS_NOT_JUDGED(
        Sizes::serializable,
        "oracle/CommitDecision.java",
        "judge(batch, batch.writesEnd(i), batch.validatedEnd(i), sequence)",
        "judge(batch, batch.writesEnd(i), batch.writesEnd(i), sequence)"),
    /** They are looked at, and no transaction that comes later learns of them. */
    LOCKED_ROWS_NOT_PUT_INTO_THE_MAP(
        Sizes::serializable,
        "simulator/Footprint.java",
        "inMap.addAll(locked);",
        "validated.addAll(locked);"),
    REPEATS_OF_CERTIFICATIONS_NOT_FLAGGED(
        Sizes::serializable,
        "client/call/FrameWriter.java",
        "int flags = repeat ? FrameType.REPEAT_FLAG : 0;",
        "int flags = 0;"),
    /** A successor writes below what readers saw before the crash. */
    READERS_FORGOTTEN_BY_RECOVERY(
        Sizes::serializable, "oracle/Replay.java", "certifier.clear(window.next());", ""),
    /** A successor may commit below a safe snapshot that a reader has. */
    SAFE_SNAPSHOT_BEFORE_ITS_RESERVATION(
        Sizes::serializable,
        "sequencer/Sequencer.java",
        "long snapshot = safeSnapshots.current(nowNanos);\n"
            + "    writer.reserveAhead();\n"
            + "    replyPosition = startsPosition();",
        "long snapshot = safeSnapshots.current(nowNanos);\n"
            + "    writer.reserveAhead();\n"
            + "    replyPosition = 0;"),
    /** The verdict about a transaction that wrote nothing leaves before the log has it. */
    READ_ONLY_VERDICT_BEFORE_ACKNOWLEDGEMENT(
        Sizes::serializable,
        "sequencer/Sequencer.java",
        "oracle.commit(batch);\n    writer.reserveAhead();\n    replyAt(decisionPosition());",
        "oracle.commit(batch);\n"
            + "    writer.reserveAhead();\n"
            + "    replyAt(batch.newRows() > 0 ? decisionPosition() : 0);");

    /** Makes worlds in which it shows within seconds: it is rare, or impossible, in others. */
    private final UnaryOperator<Sizes> sizes;

    private final String file;
    private final String text;
    private final String instead;

    Bug(String file, String text, String instead) {
      this(UnaryOperator.identity(), file, text, instead);
    }

    Bug(UnaryOperator<Sizes> sizes, String file, String text, String instead) {
      this.sizes = sizes;
      this.file = file;
      this.text = text;
      this.instead = instead;
    }

    private SourceEdit edit() {
      Path source =
          Stream.of("src/main/java", "../retso-client/src/main/java", "src/test/java")
              .map(root -> Path.of(root, "io/retso", file))
              .filter(Files::exists)
              .findFirst()
              .orElseThrow();
      return new SourceEdit(source, text, instead);
    }
  }

  /**
   * Where bugs showed that few worlds show, when these were written down: the first worlds to look
   * at, so that it takes seconds and not a minute each. What a world does depends on all of the
   * sources, so a bug may hide there later; then it is looked for as the others are.
   */
  private static final Map<Bug, Integer> SEEN =
      Map.ofEntries(
          Map.entry(Bug.SEGMENT_WITHOUT_A_RESERVATION, 60),
          Map.entry(Bug.INCOMPLETE_SNAPSHOT_TAKEN_FOR_COMPLETE, 227),
          Map.entry(Bug.POSITION_OF_THE_REQUEST_BEFORE, 13),
          Map.entry(Bug.REPLY_OVERTAKES_IN_ITS_LANE, 8),
          Map.entry(Bug.WATERMARK_NOT_LOGGED, 5),
          Map.entry(Bug.EXPIRY_NOT_LOGGED, 4),
          Map.entry(Bug.SWEEP_TIMESTAMP_TAKEN_LAST, 3),
          Map.entry(Bug.RECOVERY_WITHOUT_FENCE, 78),
          Map.entry(Bug.REFUSED_LEDGER_GIVEN_BACK_ALTHOUGH_THE_CATALOG_NAMES_IT, 19),
          Map.entry(Bug.STANDBY_OVERLOOKS_A_GAP, 3),
          Map.entry(Bug.ZOMBIES_LEDGER_DELETED, 23),
          Map.entry(Bug.WATERMARK_NOT_RECOVERED, 9),
          Map.entry(Bug.WINDOW_OF_THE_PREDECESSOR_FORGOTTEN, 3),
          Map.entry(Bug.LEASE_WAIT_FORGOTTEN, 3),
          Map.entry(Bug.LEASE_OF_AN_UNACKNOWLEDGED_ENTRY, 10),
          Map.entry(Bug.SLEEP_NOT_NOTICED, 3),
          Map.entry(Bug.SUSPECT_TAKEN_FOR_ENDED, 9),
          Map.entry(Bug.DEPOSED_LEADER_GOES_ON, 23),
          Map.entry(Bug.KEEPS_WHAT_THE_LOG_MAY_LACK, 26),
          Map.entry(Bug.REPLIES_OUTLIVE_THEIR_TERM, 3),
          Map.entry(Bug.UNDER_WAY_TAKEN_FOR_NOT_CARRIED_OUT, 25),
          Map.entry(Bug.SERIALIZABLE_DROPPED_IN_A_REPEAT, 10),
          Map.entry(Bug.VALIDATED_ROWS_NOT_JUDGED_IN_A_REPEAT, 10),
          Map.entry(Bug.READERS_FORGOTTEN_BY_RECOVERY, 10),
          Map.entry(Bug.SAFE_SNAPSHOT_BEFORE_ITS_RESERVATION, 11));

  /** Runs a world, by a bug's number and a seed; made anew by each loader of classes. */
  static final class Worlds implements IntBinaryOperator {
    @Override
    public int applyAsInt(int bug, int seed) {
      World world = new World(seed, Bug.values()[bug].sizes);
      world.run(OPERATIONS);
      return (int) world.operations();
    }
  }

  @ParameterizedTest
  @EnumSource
  void isCaught(Bug bug, @TempDir Path directory) throws Exception {
    bug.edit().compile(directory);
    try (EditedClasses edited =
        EditedClasses.of(directory, World.class, Sequencer.class, OracleClient.class)) {
      IntBinaryOperator worlds = edited.make(Worlds.class, IntBinaryOperator.class);
      int[] seeds =
          IntStream.concat(
                  Stream.ofNullable(SEEN.get(bug)).mapToInt(seen -> seen),
                  IntStream.rangeClosed(1, SEEDS_MAX))
              .toArray();
      for (int seed : seeds) {
        try {
          worlds.applyAsInt(bug.ordinal(), seed);
        } catch (AssertionError | IllegalStateException caught) { // the judge, or an assertion
          System.out.println(bug + ": seed " + seed + ", " + caught.getMessage());
          return;
        }
      }
    }
    fail(bug + " stays hidden in all worlds up to seed " + SEEDS_MAX);
  }
}
