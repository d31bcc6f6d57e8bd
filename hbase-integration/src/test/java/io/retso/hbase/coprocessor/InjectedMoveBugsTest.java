package io.retso.hbase.coprocessor;

import io.retso.hbase.RetsoCluster;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * As {@link InjectedRegionBugsTest}: bugs of readers of what a region has adopted, and of moved
 * cells.
 */
@ExtendWith(RetsoCluster.Extension.class)
class InjectedMoveBugsTest {
  /** A rule that is broken, how, and the test that says so: mostly of {@link MovedCellsTest}. */
  enum Bug {
    A_COMMITTED_FLUSH_IS_NOT_COUNTED(
        "coprocessor/region/RegionOutcomes.java",
        "i >= last.lists.size() || HBaseInternals.files(all[i]) != last.lists.get(i)",
        "i >= last.lists.size()",
        "aScanSeesWhatMovesBetweenItsRows"),
    A_SCAN_GOES_ON_OVER_A_FLUSH(
        "coprocessor/read/SnapshotFilter.java",
        "isOutdated |= reader.moves() != moves;",
        "",
        "aScanSeesWhatMovesBetweenItsRows"),
    A_REVERSED_SCAN_TURNS_ROUND(
        "coprocessor/read/SnapshotScanner.java",
        "filter.begin();",
        "rest.setReversed(false);\n    filter.begin();",
        "aReversedScanSeesWhatMovesBetweenItsRows"),
    A_SCAN_ENDS_OVER_A_FLUSH(
        "coprocessor/read/SnapshotScanner.java",
        "result.isEmpty() && filter.isOutdated()",
        "result == null",
        "aScanLooksOnceMoreAtItsEnd"),
    A_SCAN_DOES_NOT_LOOK_WHEN_A_ROW_BEGINS(
        "coprocessor/read/SnapshotFilter.java",
        "    if (isOutdated()) {\n      return true;\n    }\n",
        "",
        "aScanSeesWhatMovesWhileItLooksForARow"),
    A_FILTER_SEES_ROWS_THAT_ARE_READ_AGAIN(
        "coprocessor/read/SnapshotFilter.java",
        "    if (isOutdated()) {\n      return true;\n    }\n    place.set(first);",
        "    isOutdated = false;\n    place.set(first);",
        "aFilterThatCountsRowsSeesNoneThatIsReadAgain"),
    A_ROW_COMES_AGAIN(
        "coprocessor/read/SnapshotScanner.java",
        "!filter.isBehind()",
        "true",
        "aScanSeesWhatMovesBetweenItsRows"),
    A_GET_GOES_ON_OVER_A_FLUSH(
        "coprocessor/read/RegionReads.java",
        "if (filter.isBehind()) {",
        "if (filter != null) {",
        "aGetSeesWhatMovesMeanwhile"),
    A_GET_LOOKS_BEHIND_ITS_FILTER(
        "coprocessor/read/RegionReads.java",
        "    get.setFilter(new SnapshotFilter(reader, rowFilter, shown));\n",
        "    get.setFilter(new SnapshotFilter(reader, rowFilter, shown));\n    note(get);\n",
        AdoptionsInFlightTest.class,
        "aGetSeesItsRowWhereverFlushesComeBetweenItsLooks"),
    A_GET_THAT_IS_READ_AGAIN_LOOKS_BEHIND_ITS_FILTER(
        "coprocessor/read/RegionReads.java",
        "filter.begin();",
        "filter.begin();\n        before = parts.outcomes().moves();",
        AdoptionsInFlightTest.class,
        "aGetSeesItsRowWhereverFlushesComeBetweenItsLooks"),
    A_PLAIN_GET_GOES_ON_OVER_A_FLUSH(
        "coprocessor/read/RegionReads.java",
        "prepareForMarks(new Scan(get));\n    note(get);",
        "prepareForMarks(new Scan(get));",
        "aPlainGetSeesWhatMovesMeanwhile"),
    A_GET_THAT_IS_READ_AGAIN_GOES_ON_OVER_A_FLUSH(
        "coprocessor/read/RegionReads.java",
        "// the scanner gives its memory back\n",
        "\n        before = parts.outcomes().moves();\n",
        "aGetThatIsReadAgainSeesWhatMovesMeanwhile"),
    A_PLAIN_SCAN_LOOKS_BETWEEN_ROWS_ONLY(
        "coprocessor/read/PlainScanner.java",
        "if (hasFilter) {",
        "if (hasFilter || moves >= 0) {",
        "aPlainScanSeesWhatMovesWithinARow"),
    A_PLAIN_SCAN_GOES_ON_OVER_A_FLUSH(
        "coprocessor/read/PlainScanner.java",
        "    check();\n    boolean",
        "    moves = outcomes.moves();\n    boolean",
        "aPlainScanSeesWhatMovesBetweenItsRows"),
    A_SECOND_READ_GOES_ON_OVER_A_FLUSH(
        "coprocessor/read/RowMemory.java",
        "return parts.outcomes().moves() == moves\n        &&",
        "return",
        "aRowInDoubtThatIsReadAgainSeesWhatMovesMeanwhile"),
    THE_FIRST_CHANGE_GOES_ON_OVER_A_FLUSH(
        "coprocessor/read/RowMemory.java",
        "return parts.outcomes().moves() == moves\n        &&",
        "return",
        "theFirstChangeSeesWhatMovesMeanwhile"),
    A_VALIDATING_GET_PASSES_WHAT_WAS_ADOPTED_FROM_BELOW(
        "coprocessor/read/RegionReader.java",
        "    current = seen.isPast(versions, statuses);\n",
        "",
        "aValidatingGetAndTheFirstChangeSeeWhatWasAdoptedFromBelow"),
    THE_FIRST_CHANGE_PASSES_WHAT_WAS_ADOPTED_FROM_BELOW(
        "coprocessor/read/FirstChangeReader.java",
        "new KnownOutcomes(writersOf(cells))",
        "new KnownOutcomes(java.util.Arrays.stream(writersOf(cells)).filter(v -> v >"
            + " from).toArray())",
        "aValidatingGetAndTheFirstChangeSeeWhatWasAdoptedFromBelow"),
    ADOPTED_MARKS_BELOW_THE_HORIZON_COUNT_AS_ABORTED(
        "coprocessor/read/RegionReader.java",
        "start < refusedBelow && !Outcome.isKnown(known.of(start))",
        "start < refusedBelow",
        "anAdoptionCountsThoughAMarkIsThereAndTheHorizonIsAbove"),
    A_CLEANUP_IGNORES_WHAT_THE_REGION_ADOPTED(
        "coprocessor/write/RegionWrites.java",
        "if (Outcome.isKnown(known)) {",
        "if (known < -1) {",
        "anAdoptionCountsThoughAMarkIsThereAndTheHorizonIsAbove"),
    ADOPTED_ROWS_ARE_READ_TWICE(
        "coprocessor/read/RegionReader.java",
        "if (!known.look(parts.outcomes()::outcomeOf)) {",
        "if (!known.look(start -> 0)) {",
        "adoptedRowsAreReadWithoutTheOracleAndWithoutMarks"),
    A_ROW_IN_DOUBT_ENDS_AT_WHAT_WAS_ABORTED(
        "coprocessor/read/RegionReader.java",
        "Outcome.isCommittedBelow(parts.outcomes().outcomeOf(version), timestamp)",
        "parts.outcomes().isKnown(version)",
        HotRowTest.class,
        "eachSnapshotSeesItsOwnVersion"),
    A_ROW_IN_DOUBT_ENDS_AT_WHAT_COMMITTED_ABOVE(
        "coprocessor/read/RegionReader.java",
        "Outcome.isCommittedBelow(parts.outcomes().outcomeOf(version), timestamp)",
        "Outcome.isCommitted(parts.outcomes().outcomeOf(version))",
        HotRowTest.class,
        "eachSnapshotSeesItsOwnVersion"),
    THE_FIRST_CHANGE_ENDS_AT_WHAT_WAS_ABORTED(
        "coprocessor/read/FirstChangeReader.java",
        "Outcome.isCommittedBelow(outcomes.applyAsLong(version), timestamp)",
        "Outcome.isKnown(outcomes.applyAsLong(version))",
        HotRowTest.class,
        "theFirstChangeIsTheNextCommit");

    private final EditedCoprocessor.Bug edit;

    Bug(String file, String text, String instead, String method) {
      this(file, text, instead, MovedCellsTest.class, method);
    }

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
