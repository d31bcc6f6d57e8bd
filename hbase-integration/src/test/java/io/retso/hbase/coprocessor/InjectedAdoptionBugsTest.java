package io.retso.hbase.coprocessor;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.purge.AdoptingScannerTest;
import io.retso.hbase.coprocessor.region.WritersTest;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** As {@link InjectedRegionBugsTest}: bugs of outcomes that a region adopts. */
@ExtendWith(RetsoCluster.Extension.class)
class InjectedAdoptionBugsTest {
  /** A rule that is broken, how, and the test that says so. */
  enum Bug {
    ADOPTIONS_ARE_IN_THE_MAP_ONLY(
        "coprocessor/write/AdoptionWrites.java",
        "mutation.getFamilyCellMap().clear();",
        "mutation.getFamilyCellMap().clear();\n"
            + "    mutation.setDurability(org.apache.hadoop.hbase.client.Durability.SKIP_WAL);",
        AdoptedReplayTest.class,
        "anAdoptionIsReplayed"),
    ADOPTIONS_ARE_ANSWERED_BEFORE_THEY_ARE_LOGGED(
        "coprocessor/region/RegionMarks.java",
        "&& durability != Durability.ASYNC_WAL",
        "",
        RefusedAdoptionsTest.class,
        "aListThatIsNotForcedToTheLogIsRefused"),
    A_FLUSH_OF_MARKS_WRITES_NO_ADOPTIONS(
        "coprocessor/region/RegionMarks.java",
        "if (adopted != null) {\n      cells.add(adopted);",
        "if (adopted != null && adopted.getValueLength() == 0) {\n      cells.add(adopted);",
        AdoptedReplayTest.class,
        "anAdoptionInAFileIsReplayed"),
    A_FLUSH_OF_MARKS_WRITES_THE_ADOPTIONS_OF_ITS_MEMORY(
        "coprocessor/purge/MemoryMarkScanner.java",
        "    this.marks = new ArrayDeque<>(marks);\n"
            + "  }\n\n"
            + "  @Override\n"
            + "  void rewrite(List<Cell> cells, boolean more, List<Cell> result) {\n"
            + "    for (Cell cell : cells) {\n"
            + "      if (AdoptionCell.is(cell)) {\n"
            + "        continue;\n"
            + "      }\n",
        "    this.marks = new ArrayDeque<>(marks);\n"
            + "    this.marks.removeIf(AdoptionCell::is);\n"
            + "  }\n\n"
            + "  @Override\n"
            + "  void rewrite(List<Cell> cells, boolean more, List<Cell> result) {\n"
            + "    for (Cell cell : cells) {\n",
        AdoptedReplayTest.class,
        "aFlushOfMarksWritesAdoptionsThatCameMeanwhile"),
    A_COMPACTION_DROPS_ADOPTIONS_THAT_ARE_NEEDED(
        "coprocessor/purge/RegionPurge.java",
        "!adoptions.isNeeded(cell)",
        "cell != null",
        AdoptedOutcomesTest.class,
        "aFlushOfMarksWritesTheAdoptionsThatHaveNotLeft"),
    A_CLEANUP_GOES_ON_WITHOUT_WHAT_IT_HAS_NOT_READ(
        "coprocessor/write/RegionWrites.java",
        "row != null && !row.suffices(outcome)",
        "row != null && row.hasCell() && row.all() == null",
        AdoptedOutcomesTest.class,
        "aRowThatIsAdoptedAfterACleanupHasReadItIsReadAgain"),
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
        "coprocessor/region/AdoptedOutcomes.java",
        "public void adopted(long[] starts, long sequence) {",
        "public void adopted(long[] starts, long sequence) {\n"
            + "    LongStream.of(starts).forEach(outcomes::forget);",
        AdoptedOutcomesTest.class,
        "anAbortedVersionIsDroppedByTheFlush"),
    OUTCOMES_ARE_FORGOTTEN_AS_A_FLUSH_BEGINS(
        "coprocessor/purge/RegionPurge.java",
        "    return adoptions.isUsed()",
        "    adoptions.writing(store.getColumnFamilyDescriptor().getName(), Long.MAX_VALUE);\n"
            + "    adoptions.flushed();\n"
            + "    return adoptions.isUsed()",
        AdoptedOutcomesTest.class,
        "anAbortedVersionIsDroppedByTheFlush"),
    OUTCOMES_ARE_FORGOTTEN_AFTER_ONE_OF_TWO_FAMILIES(
        "coprocessor/region/AdoptedOutcomes.java",
        "flushed = Math.min(flushed,",
        "flushed = Math.max(flushed,",
        AdoptedOutcomesTest.class,
        "anOutcomeStaysUntilAllFamiliesAreFlushed"),
    OUTCOMES_THAT_COME_AS_A_FLUSH_ENDS_LEAVE_WITH_IT(
        "coprocessor/region/AdoptedOutcomes.java",
        "    Map<Long, long[]> before = new HashMap<>(adopted);\n"
            + "    if (!before.isEmpty()) {\n"
            + "      long upTo = flushedUpTo();\n",
        "    long upTo = flushedUpTo();\n"
            + "    Map<Long, long[]> before = new HashMap<>(adopted);\n"
            + "    if (!before.isEmpty()) {\n",
        AdoptionsInFlightTest.class,
        "anOutcomeThatComesAsAFlushEndsStays"),
    A_FLUSH_OF_MARKS_LOOKS_AT_ADOPTIONS_AMID_A_BATCH(
        "coprocessor/region/RegionMarks.java",
        "    AdoptedOutcomes.Noted noted;\n    HBaseInternals.blockUpdates(region);\n",
        "    AdoptedOutcomes.Noted early = adoptions.note();\n"
            + "    if (early.adopted().isEmpty()) {\n"
            + "      return List.of();\n"
            + "    }\n"
            + "    AdoptedOutcomes.Noted noted;\n    HBaseInternals.blockUpdates(region);\n",
        AdoptionsInFlightTest.class,
        "aFlushOfMarksWaitsForTheAdoptionThatTookThem"),
    AN_OUTCOME_COMES_BEHIND_ITS_MARKS(
        "coprocessor/region/Writers.java",
        "          adoption.run();\n"
            + "          assert outcomes.isKnown(start) : NO_OUTCOME;\n"
            + "          freed.accept(writer.bytes());\n"
            + "          return null;\n"
            + "        });\n",
        "          freed.accept(writer.bytes());\n"
            + "          return null;\n"
            + "        });\n"
            + "    if (isAdopted[0]) {\n"
            + "      adoption.run();\n"
            + "    }\n",
        WritersTest.class,
        "hasWhatANaiveListHas"),
    WHAT_A_FLUSH_MADE_A_CELL_IS_ADOPTED(
        "coprocessor/region/RegionMarks.java",
        "    writers.raiseFloor(mark.start());\n",
        "",
        RefusedAdoptionsTest.class,
        "whatIsWrittenAgainBehindAFlushIsNotAdopted"),
    WHAT_WAS_A_CELL_AT_FIRST_IS_ADOPTED(
        "coprocessor/region/RegionMarks.java",
        "if (added == null || movable.size() < writes.size()) {",
        "if (added == null && movable.size() > writes.size()) {",
        RefusedAdoptionsTest.class,
        "whatHasAMarkInMemoryBesideACellIsNotAdopted"),
    WHAT_WAS_FLUSHED_BEFORE_IS_ADOPTED(
        "coprocessor/region/Writers.java",
        "&& !writer.isFlushedUnadopted",
        "",
        RefusedAdoptionsTest.class,
        "whatWasFlushedBeforeIsNotAdopted"),
    A_FLUSH_PASSES_WHAT_IS_ADOPTED_WHILE_IT_LOOKS(
        "coprocessor/region/Writers.java",
        "return outcomes.outcomeOf(start);",
        "return 0;",
        AdoptionsInFlightTest.class,
        "whatIsAbortedWhileAFlushLooksIsNotRead"),
    WHAT_HAS_MARKS_THAT_ARE_CELLS_IS_ADOPTED(
        "coprocessor/region/Writers.java",
        "&& start > floor.get()",
        "",
        RefusedAdoptionsTest.class,
        "whatHasMarksThatAreCellsIsNotAdopted"),
    ROWS_ARE_NOT_COUNTED(
        "coprocessor/region/Writers.java",
        "writer.rows == rows",
        "writer.rows > 0",
        RefusedAdoptionsTest.class,
        "whatHasOtherRowsIsNotAdopted"),
    WHAT_IS_BEING_WRITTEN_IS_ADOPTED(
        "coprocessor/region/Writers.java",
        "&& writer.underWay == 0",
        "",
        RefusedAdoptionsTest.class,
        "whatIsBeingWrittenIsNotAdopted"),
    WRITES_OF_ADOPTED_TRANSACTIONS_ARE_TAKEN(
        "coprocessor/region/Writers.java",
        "if (outcomes.isKnown(start)) {",
        "if (start == 0) {",
        AdoptedOutcomesTest.class,
        "writesOfAnAdoptedTransactionAreRefused"),
    WHAT_A_DELETE_MAY_HIDE_IS_ADOPTED(
        "coprocessor/write/RegionWrites.java",
        "marks.plain(cell.getTimestamp());",
        "if (cell.getType() == Cell.Type.Put) marks.plain(cell.getTimestamp());",
        RefusedAdoptionsTest.class,
        "whatAPlainDeleteMayHideIsNotAdopted"),
    WHAT_A_PLAIN_PUT_MAY_COVER_IS_ADOPTED(
        "coprocessor/write/RegionWrites.java",
        "marks.plain(cell.getTimestamp());",
        "if (cell.getType() != Cell.Type.Put) marks.plain(cell.getTimestamp());",
        RefusedAdoptionsTest.class,
        "whatAPlainPutMayCoverIsNotAdopted"),
    LISTS_ARE_TAKEN_IN_ANY_ROW(
        "coprocessor/write/AdoptionWrites.java",
        "Arrays.equals(request.row(), LoggedAdoptions.row(region))",
        "request.row() != null",
        RefusedAdoptionsTest.class,
        "aListOutsideOfTheFirstRowIsNotTaken"),
    PLAIN_DELETES_TAKE_ADOPTIONS(
        "coprocessor/write/RegionWrites.java",
        "adoptions.keep(mutation);",
        "",
        AdoptedOutcomesTest.class,
        "aPlainDeleteOfTheFirstRowLeavesAdoptions"),
    A_FLUSH_LEAVES_COLUMNS_OUT_OF_ORDER(
        "coprocessor/purge/AdoptingScanner.java",
        "column.sort(CellComparator.getInstance());",
        "",
        AdoptingScannerTest.class,
        "writesWhatWasAdoptedInOrder"),
    A_FLUSH_MOVES_WHAT_A_DELETE_HIDES(
        "coprocessor/purge/AdoptingScanner.java",
        "&& !deletes.hide(cell)",
        "",
        AdoptingScannerTest.class,
        "writesWhatWasAdoptedInOrder"),
    A_FLUSH_WRITES_WHAT_WAS_ABORTED(
        "coprocessor/purge/AdoptingScanner.java",
        "    } else {\n      count(false);",
        "    } else {\n      column.add(cell);",
        AdoptedOutcomesTest.class,
        "anAbortedVersionIsDroppedByTheFlush"),
    A_REPLAY_IS_BLIND_FOR_ADOPTIONS(
        "coprocessor/purge/RegionPurge.java",
        "return logged.isEmpty()",
        "return logged.size() >= 0",
        AdoptedReplayTest.class,
        "anAdoptionInAFileIsReplayed"),
    A_REPLAY_LEAVES_OUT_MARKS_OF_WHAT_IS_IN_FILES(
        "coprocessor/purge/RegionPurge.java",
        "&& RewritingScanner.sequence(cell) > inFiles",
        "",
        AdoptedReplayTest.class,
        "anAdoptionThatWasLoggedAndNotTakenIsCarriedOutAfterACrash"),
    A_REGION_IS_SPLIT_BEFORE_ITS_ROWS_ARE_CLEANED_UP(
        "coprocessor/write/ReplayCleanup.java",
        "if (adoptions.isFound(start)) {",
        "if (adoptions == null) {",
        AdoptedReplayTest.class,
        "whatAReplayFilesIsCleanedUpBeforeTheRegionIsSplit"),
    A_REGION_THAT_CLOSES_WAITS_FOR_NO_CLEANUP(
        "coprocessor/write/ReplayCleanup.java",
        "System.nanoTime() - begun) >= millis",
        "System.nanoTime() - begun) >= 0",
        AdoptedReplayTest.class,
        "aRegionThatClosesWaitsForARowThatIsBeingCleanedUp"),
    ADOPTIONS_FROM_BEFORE_THE_REGION_OPENED_ARE_NOT_READ(
        "coprocessor/region/AdoptedOutcomes.java",
        "if (!logged.isEmpty()) {",
        "if (logged.size() < 0) {",
        AdoptedReplayTest.class,
        "whatAReplayFlushesIsCleanedUpAsItWasAdopted"),
    A_FLUSH_MOVES_WHAT_IS_PENDING(
        "coprocessor/purge/AdoptingScanner.java",
        "outcomeOf.applyAsLong(version) : Outcome.UNKNOWN;",
        "outcomeOf.applyAsLong(version) : Outcome.UNKNOWN;\n"
            + "    if (outcome == 0 && Timestamps.isWellFormed(version)) {\n"
            + "      outcome = version + Timestamps.GAP;\n"
            + "    }",
        AdoptedOutcomesTest.class,
        "aMovedVersionPassesThoseOfOpenTransactions"),
    A_HORIZON_IS_ACTIVATED_BEFORE_ROWS_ARE_CLEANED_UP(
        "coprocessor/purge/RegionPurge.java",
        "if (!adoptions.isReplayDone()) {",
        "if (adoptions == null) {",
        AdoptedReplayTest.class,
        "nothingIsPurgedBeforeRowsAreCleanedUpAsTheyWereAdopted"),
    OUTCOMES_GO_BEFORE_THEIR_MARKS(
        "coprocessor/write/ReplayCleanup.java",
        "adoptions.load();\n",
        "adoptions.load();\n    adoptions.replayDone();\n",
        AdoptedReplayTest.class,
        "anOutcomeStaysUntilTheLastMarkOfItIsGone"),
    OUTCOMES_GO_BEFORE_THE_MARKS_THAT_OTHERS_HAVE(
        "coprocessor/write/ReplayCleanup.java",
        "if (!hasMarks) {",
        "if (last != null) {",
        AdoptedReplayTest.class,
        "anOutcomeStaysUntilTheLastMarkOfItIsGone"),
    A_CLEANUP_LOOKS_AT_THE_HORIZON_BEHIND_THE_OUTCOMES(
        "coprocessor/write/RegionWrites.java",
        "request.start() < refused ?",
        "request.start() < horizon.refused() ?",
        AdoptionsInFlightTest.class,
        "whatIsAdoptedWhileACleanupLooksIsNotTakenForAborted"),
    WHAT_IS_FORGOTTEN_IS_TAKEN_FOR_ABORTED(
        "coprocessor/write/RegionWrites.java",
        "RowCleaner.Written row = batch.row(request);",
        "RowCleaner.Written row = batch.row(request);\n"
            + "      if (!request.isCommitted()) {\n"
            + "        outcomes.adopted(request.start(), Outcome.ABORTED);\n"
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
