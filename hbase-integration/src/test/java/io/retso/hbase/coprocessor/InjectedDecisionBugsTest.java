package io.retso.hbase.coprocessor;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.purge.DecidingScannerTest;
import io.retso.hbase.coprocessor.region.WritersTest;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** As {@link InjectedRegionBugsTest}: bugs of outcomes that a region decides. */
@ExtendWith(RetsoCluster.Extension.class)
class InjectedDecisionBugsTest {
  /** A rule that is broken, how, and the test that says so. */
  enum Bug {
    DECISIONS_ARE_IN_THE_MAP_ONLY(
        "coprocessor/write/DecisionWrites.java",
        "mutation.getFamilyCellMap().clear();",
        "mutation.getFamilyCellMap().clear();\n"
            + "    mutation.setDurability(org.apache.hadoop.hbase.client.Durability.SKIP_WAL);",
        DecidedReplayTest.class,
        "aDecisionIsReplayed"),
    DECISIONS_ARE_ANSWERED_BEFORE_THEY_ARE_LOGGED(
        "coprocessor/region/RegionMarks.java",
        "&& durability != Durability.ASYNC_WAL",
        "",
        DecidedOutcomesTest.class,
        "aListThatIsNotForcedToTheLogIsRefused"),
    A_FLUSH_OF_MARKS_WRITES_NO_DECISIONS(
        "coprocessor/region/RegionMarks.java",
        "if (decided != null) {\n      cells.add(decided);",
        "if (decided != null && decided.getValueLength() == 0) {\n      cells.add(decided);",
        DecidedReplayTest.class,
        "aDecisionInAFileIsReplayed"),
    A_FLUSH_OF_MARKS_WRITES_THE_DECISIONS_OF_ITS_MEMORY(
        "coprocessor/purge/MemoryMarkScanner.java",
        "    this.marks = new ArrayDeque<>(marks);\n"
            + "  }\n\n"
            + "  @Override\n"
            + "  public boolean next(List<Cell> result, ScannerContext context) throws IOException"
            + " {\n"
            + "    List<Cell> cells = new ArrayList<>();\n"
            + "    boolean more = source.next(cells, context);\n"
            + "    for (Cell cell : cells) {\n"
            + "      if (DecisionCell.is(cell)) {\n"
            + "        continue;\n"
            + "      }\n",
        "    this.marks = new ArrayDeque<>(marks);\n"
            + "    this.marks.removeIf(DecisionCell::is);\n"
            + "  }\n\n"
            + "  @Override\n"
            + "  public boolean next(List<Cell> result, ScannerContext context) throws IOException"
            + " {\n"
            + "    List<Cell> cells = new ArrayList<>();\n"
            + "    boolean more = source.next(cells, context);\n"
            + "    for (Cell cell : cells) {\n",
        DecidedReplayTest.class,
        "aFlushOfMarksWritesDecisionsThatCameMeanwhile"),
    A_COMPACTION_DROPS_DECISIONS_THAT_ARE_NEEDED(
        "coprocessor/purge/DecisionPurge.java",
        "!decisions.isNeeded(cell)",
        "cell != null",
        DecidedOutcomesTest.class,
        "aFlushOfMarksWritesTheDecisionsThatHaveNotLeft"),
    A_CLEANUP_GOES_ON_WITHOUT_WHAT_IT_HAS_NOT_READ(
        "coprocessor/write/RegionWrites.java",
        "row != null && !row.suffices(committed)",
        "row != null && row.hasCell() && row.all() == null",
        DecidedOutcomesTest.class,
        "aRowThatIsDecidedAfterACleanupHasReadItIsReadAgain"),
    A_FULL_MEMORY_OF_OUTCOMES_WAITS_FOR_THE_NEXT_FLUSH(
        "coprocessor/region/SharedMemory.java",
        "bytes.get() > ENOUGH_BYTES",
        "bytes.get() < 0",
        FullMemoryTest.class,
        "theRegionWithMostOutcomesIsFlushedBeforeTheirMemoryIsFull"),
    A_FULL_MEMORY_OF_OUTCOMES_IS_FLUSHED_WHERE_THERE_ARE_FEW(
        "coprocessor/region/SharedMemory.java",
        ".max(Comparator",
        ".min(Comparator",
        FullMemoryTest.class,
        "theRegionWithMostOutcomesIsFlushedBeforeTheirMemoryIsFull"),
    OUTCOMES_ARE_FORGOTTEN_AT_ONCE(
        "coprocessor/region/RegionDecisions.java",
        "public void decided(long[] starts, long sequence) {",
        "public void decided(long[] starts, long sequence) {\n"
            + "    LongStream.of(starts).forEach(outcomes::forget);",
        DecidedOutcomesTest.class,
        "anAbortedVersionIsDroppedByTheFlush"),
    OUTCOMES_ARE_FORGOTTEN_AS_A_FLUSH_BEGINS(
        "coprocessor/purge/RegionPurge.java",
        "    return decisions.isUsed()",
        "    decisions.writing(store.getColumnFamilyDescriptor().getName(), Long.MAX_VALUE);\n"
            + "    decisions.flushed();\n"
            + "    return decisions.isUsed()",
        DecidedOutcomesTest.class,
        "anAbortedVersionIsDroppedByTheFlush"),
    OUTCOMES_ARE_FORGOTTEN_AFTER_ONE_OF_TWO_FAMILIES(
        "coprocessor/region/RegionDecisions.java",
        "flushed = Math.min(flushed,",
        "flushed = Math.max(flushed,",
        DecidedOutcomesTest.class,
        "anOutcomeStaysUntilAllFamiliesAreFlushed"),
    OUTCOMES_THAT_COME_AS_A_FLUSH_ENDS_LEAVE_WITH_IT(
        "coprocessor/region/RegionDecisions.java",
        "    Map<Long, long[]> before = new HashMap<>(decided);\n"
            + "    if (!before.isEmpty()) {\n"
            + "      long upTo = flushedUpTo();\n",
        "    long upTo = flushedUpTo();\n"
            + "    Map<Long, long[]> before = new HashMap<>(decided);\n"
            + "    if (!before.isEmpty()) {\n",
        DecisionsInFlightTest.class,
        "anOutcomeThatComesAsAFlushEndsStays"),
    A_FLUSH_OF_MARKS_LOOKS_AT_DECISIONS_AMID_A_BATCH(
        "coprocessor/region/RegionMarks.java",
        "    RegionDecisions.Noted noted;\n    HBaseInternals.blockUpdates(region);\n",
        "    RegionDecisions.Noted early = decisions.note();\n"
            + "    if (early.decided().isEmpty()) {\n"
            + "      return List.of();\n"
            + "    }\n"
            + "    RegionDecisions.Noted noted;\n    HBaseInternals.blockUpdates(region);\n",
        DecisionsInFlightTest.class,
        "aFlushOfMarksWaitsForTheDecisionThatTookThem"),
    AN_OUTCOME_COMES_BEHIND_ITS_MARKS(
        "coprocessor/region/Writers.java",
        "          decision.run();\n"
            + "          assert outcomes.outcomeOf(start) != 0 : NO_OUTCOME;\n"
            + "          freed.accept(writer.bytes());\n"
            + "          return null;\n"
            + "        });\n",
        "          freed.accept(writer.bytes());\n"
            + "          return null;\n"
            + "        });\n"
            + "    if (isDecided[0]) {\n"
            + "      decision.run();\n"
            + "    }\n",
        WritersTest.class,
        "hasWhatANaiveListHas"),
    WHAT_A_FLUSH_MADE_A_CELL_IS_DECIDED(
        "coprocessor/region/RegionMarks.java",
        "    writers.real(mark.start());\n",
        "",
        DecidedOutcomesTest.class,
        "whatIsWrittenAgainBehindAFlushIsNotDecided"),
    WHAT_WAS_A_CELL_AT_FIRST_IS_DECIDED(
        "coprocessor/region/RegionMarks.java",
        "if (added == null || movable.size() < writes.size()) {",
        "if (added == null && movable.size() > writes.size()) {",
        DecidedOutcomesTest.class,
        "whatHasAMarkInMemoryBesideACellIsNotDecided"),
    WHAT_WAS_FILED_IS_DECIDED(
        "coprocessor/region/Writers.java",
        "&& !writer.isFiled",
        "",
        DecidedOutcomesTest.class,
        "whatWasFiledIsNotDecided"),
    A_FLUSH_FILES_WHAT_IS_DECIDED_WHILE_IT_LOOKS(
        "coprocessor/region/Writers.java",
        "return outcomes.outcomeOf(start);",
        "return 0;",
        DecisionsInFlightTest.class,
        "whatIsAbortedWhileAFlushLooksIsNotRead"),
    WHAT_HAS_MARKS_THAT_ARE_CELLS_IS_DECIDED(
        "coprocessor/region/Writers.java",
        "&& start > lastReal.get()",
        "",
        DecidedOutcomesTest.class,
        "whatHasMarksThatAreCellsIsNotDecided"),
    ROWS_ARE_NOT_COUNTED(
        "coprocessor/region/Writers.java",
        "writer.rows == rows",
        "writer.rows > 0",
        DecidedOutcomesTest.class,
        "whatHasOtherRowsIsNotDecided"),
    WHAT_IS_BEING_WRITTEN_IS_DECIDED(
        "coprocessor/region/Writers.java",
        "&& writer.underWay == 0",
        "",
        DecidedOutcomesTest.class,
        "whatIsBeingWrittenIsNotDecided"),
    WRITES_OF_DECIDED_TRANSACTIONS_ARE_TAKEN(
        "coprocessor/region/Writers.java",
        "if (outcomes.outcomeOf(start) != 0) {",
        "if (start == 0) {",
        DecidedOutcomesTest.class,
        "writesOfADecidedTransactionAreRefused"),
    WHAT_A_DELETE_MAY_HIDE_IS_DECIDED(
        "coprocessor/write/RegionWrites.java",
        "marks.plain(cell.getTimestamp());",
        "if (cell.getType() == Cell.Type.Put) marks.plain(cell.getTimestamp());",
        DecidedOutcomesTest.class,
        "whatAPlainDeleteMayHideIsNotDecided"),
    WHAT_A_PLAIN_PUT_MAY_COVER_IS_DECIDED(
        "coprocessor/write/RegionWrites.java",
        "marks.plain(cell.getTimestamp());",
        "if (cell.getType() != Cell.Type.Put) marks.plain(cell.getTimestamp());",
        DecidedOutcomesTest.class,
        "whatAPlainPutMayCoverIsNotDecided"),
    LISTS_ARE_TAKEN_IN_ANY_ROW(
        "coprocessor/write/DecisionWrites.java",
        "Arrays.equals(request.row(), LoggedDecisions.row(region))",
        "request.row() != null",
        DecidedOutcomesTest.class,
        "aListOutsideOfTheFirstRowIsNotTaken"),
    PLAIN_DELETES_TAKE_DECISIONS(
        "coprocessor/write/RegionWrites.java",
        "decisions.keep(mutation);",
        "",
        DecidedOutcomesTest.class,
        "aPlainDeleteOfTheFirstRowLeavesDecisions"),
    A_FLUSH_LEAVES_COLUMNS_OUT_OF_ORDER(
        "coprocessor/purge/DecidingScanner.java",
        "column.sort(CellComparator.getInstance());",
        "",
        DecidingScannerTest.class,
        "writesWhatWasDecidedInOrder"),
    A_FLUSH_MOVES_WHAT_A_DELETE_HIDES(
        "coprocessor/purge/DecidingScanner.java",
        "&& !deletes.hide(cell)",
        "",
        DecidingScannerTest.class,
        "writesWhatWasDecidedInOrder"),
    A_FLUSH_WRITES_WHAT_WAS_ABORTED(
        "coprocessor/purge/DecidingScanner.java",
        "    } else {\n      count(false);",
        "    } else {\n      column.add(cell);",
        DecidedOutcomesTest.class,
        "anAbortedVersionIsDroppedByTheFlush"),
    A_REPLAY_IS_BLIND_FOR_DECISIONS(
        "coprocessor/purge/RegionPurge.java",
        "return logged.isEmpty()",
        "return logged.size() >= 0",
        DecidedReplayTest.class,
        "aDecisionInAFileIsReplayed"),
    A_REPLAY_LEAVES_OUT_MARKS_OF_WHAT_IS_FILED(
        "coprocessor/purge/ReplayedMarkScanner.java",
        "&& sequence(cell) > filed",
        "",
        DecidedReplayTest.class,
        "aDecisionThatWasLoggedAndNotTakenIsCarriedOutAfterACrash"),
    A_REGION_IS_SPLIT_BEFORE_ITS_ROWS_ARE_CLEANED_UP(
        "coprocessor/write/Settlement.java",
        "row, decisions::isFound, ROWS_MAX)",
        "row, start -> false, ROWS_MAX)",
        DecidedReplayTest.class,
        "whatAReplayFilesIsCleanedUpBeforeTheRegionIsSplit"),
    A_REGION_THAT_CLOSES_WAITS_FOR_NO_CLEANUP(
        "coprocessor/write/Passes.java",
        "System.nanoTime() - begun) >= millis",
        "System.nanoTime() - begun) >= 0",
        DecidedReplayTest.class,
        "aRegionThatClosesWaitsForARowThatIsBeingCleanedUp"),
    DECISIONS_FROM_BEFORE_THE_REGION_OPENED_ARE_NOT_READ(
        "coprocessor/region/RegionDecisions.java",
        "if (!logged.isEmpty()) {",
        "if (logged.size() < 0) {",
        DecidedReplayTest.class,
        "whatAReplayFilesIsCleanedUpAsItWasDecided"),
    A_FLUSH_MOVES_WHAT_IS_PENDING(
        "coprocessor/purge/DecidingScanner.java",
        "outcomeOf.applyAsLong(version) : 0;",
        "outcomeOf.applyAsLong(version) : 0;\n"
            + "    if (outcome == 0 && Timestamps.isWellFormed(version)) {\n"
            + "      outcome = version + Timestamps.GAP;\n"
            + "    }",
        DecidedOutcomesTest.class,
        "aMovedVersionPassesThoseOfOpenTransactions"),
    A_HORIZON_IS_ACTIVATED_BEFORE_ROWS_ARE_CLEANED_UP(
        "coprocessor/purge/RegionPurge.java",
        "if (!decisions.isSettled()) {",
        "if (decisions == null) {",
        DecidedReplayTest.class,
        "nothingIsPurgedBeforeRowsAreCleanedUpAsTheyWereDecided"),
    OUTCOMES_GO_BEFORE_THEIR_MARKS(
        "coprocessor/write/Settlement.java",
        "decisions.load();\n",
        "decisions.load();\n    decisions.settled();\n",
        DecidedReplayTest.class,
        "anOutcomeStaysUntilTheLastMarkOfItIsGone"),
    OUTCOMES_GO_BEFORE_THE_MARKS_THAT_OTHERS_HAVE(
        "coprocessor/write/Settlement.java",
        "if (!hasMarks) {",
        "if (last != null) {",
        DecidedReplayTest.class,
        "anOutcomeStaysUntilTheLastMarkOfItIsGone"),
    A_CLEANUP_LOOKS_AT_THE_HORIZON_BEHIND_THE_OUTCOMES(
        "coprocessor/write/RegionWrites.java",
        "request.start() >= refused;",
        "request.start() >= horizon.refused();",
        DecisionsInFlightTest.class,
        "whatIsDecidedWhileACleanupLooksIsNotTakenForAborted"),
    WHAT_IS_FORGOTTEN_IS_TAKEN_FOR_ABORTED(
        "coprocessor/write/RegionWrites.java",
        "CleanupRequest.replaced(mutation);",
        "CleanupRequest.replaced(mutation);\n"
            + "      if (!request.isCommitted()) {\n"
            + "        outcomes.decided(request.start(), CleanupRequest.ABORTED);\n"
            + "      }",
        MovedCellsTest.class,
        "whatIsForgottenIsNotTakenForAborted");

    private final EditedCoprocessor.Bug edit;

    Bug(String file, String text, String instead, Class<?> test, String method) {
      this.edit = new EditedCoprocessor.Bug(name(), file, text, instead, test, method);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Timeout(240)
  void isCaught(Bug bug, @TempDir Path directory, RetsoCluster cluster) throws Exception {
    bug.edit.assertCaught(directory, cluster);
  }
}
