package io.retso.hbase.coprocessor;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.region.WritersTest;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** As {@link InjectedRegionBugsTest}: bugs of marks that are in memory and no cells. */
@ExtendWith(RetsoCluster.Extension.class)
class InjectedMarkBugsTest {
  private static final String TAKES =
      "      writers.forEach(\n"
          + "          mark -> {\n"
          + "            if (mark.isNumbered() && !mark.isCleaned()) {\n"
          + "              take(mark);\n"
          + "              cells.add(mark.cell());\n"
          + "            }\n"
          + "          });\n";

  /** A rule that is broken, how, and the test that says so. */
  enum Bug {
    A_MARK_COMES_AFTER_ITS_CELLS(
        "coprocessor/region/RegionMarks.java",
        "memory.take(size) ? writers.add(marks) : null;",
        "!memory.take(size) || java.util.concurrent.CompletableFuture.runAsync("
            + "() -> writers.add(marks),"
            + " java.util.concurrent.CompletableFuture.delayedExecutor(1, TimeUnit.MINUTES))"
            + ".isDone() ? null : marks;",
        MarksInMemoryTest.class,
        "theMarkIsThereWithItsCells"),
    MARKS_ARE_NOT_LOGGED(
        "coprocessor/write/WriteBatch.java",
        "edit.add(added.get(logged).cell(), PendingWrite.family());",
        "",
        MarksInMemoryTest.class,
        "aCrashMakesThemCellsAndTheirDeletesCount"),
    MARKS_ARE_LOGGED_WITH_A_MUTATION_OF_THE_BATCH(
        "coprocessor/write/RegionWrites.java",
        "    addMarks();\n",
        "    addMarks();\n"
            + "    WriteBatch batch = batches.begun();\n"
            + "    if (batch != null) {\n"
            + "      WALEdit edit = new WALEdit();\n"
            + "      batch.log(edit);\n"
            + "      edit.getCells().forEach(mark -> MiniBatches.log(mutations, 0, mark));\n"
            + "    }\n",
        AdoptedReplayTest.class,
        "marksAreLoggedThoughAnotherCoprocessorRefusesTheirFirstWrite"),
    DELETES_OF_MARKS_ARE_NOT_LOGGED(
        "coprocessor/write/RegionWrites.java",
        ".forEach(delete -> MiniBatches.log(mutations, i, delete))",
        ".size()",
        MarksInMemoryTest.class,
        "aCrashMakesThemCellsAndTheirDeletesCount"),
    A_FLUSH_FORGETS_WHAT_IS_NO_CELL(
        "coprocessor/purge/RegionPurge.java",
        "new MemoryMarkScanner(source, marks.take(adoptions))",
        "new MemoryMarkScanner(source, marks.take(adoptions).subList(0, 0))",
        MarksInMemoryTest.class,
        "aFlushOfMarksWritesThoseInMemory"),
    A_REGION_THAT_CLOSES_FORGETS_WHAT_IS_NO_CELL(
        "coprocessor/purge/RegionPurge.java",
        "if (isOfMarks(store)) {\n      return new MemoryMarkScanner",
        "if (isOfMarks(store) && ((org.apache.hadoop.hbase.regionserver.HRegion)"
            + " region).areWritesEnabled()) {\n      return new MemoryMarkScanner",
        MarksInMemoryTest.class,
        "aRegionThatClosesWritesThem"),
    THE_FIRST_MARK_AFTER_A_FLUSH_IS_NO_CELL(
        "coprocessor/region/RegionMarks.java",
        "store.getMemStoreSize().getCellsCount() > 0",
        "store.getMemStoreSize().getCellsCount() >= 0",
        MarksInMemoryTest.class,
        "theFirstMarkAfterAFlushIsACell"),
    MARKS_THAT_ARE_NOT_LOGGED_ARE_NO_CELLS(
        "coprocessor/region/RegionMarks.java",
        "durability != Durability.SKIP_WAL",
        "durability != null",
        MarksInMemoryTest.class,
        "whatIsNotLoggedIsACell"),
    THE_MEMORY_OF_MARKS_HAS_NO_BOUND(
        "coprocessor/region/SharedMemory.java",
        "bytes.addAndGet(more) <= BYTES_MAX",
        "bytes.addAndGet(more) > 0",
        MarksInMemoryTest.class,
        "whatHasNoRoomIsACell"),
    MARKS_HAVE_THE_TAGS_OF_THEIR_CELLS(
        "layout/PendingWrite.java",
        "Arrays.copyOf(value, Integer.BYTES) : value);",
        "Arrays.copyOf(value, Integer.BYTES) : value,\n"
            + "        org.apache.hadoop.hbase.PrivateCellUtil.getTags(mark));",
        TagsTest.class,
        "marksHaveNone"),
    A_CLEANUP_LOSES_TAGS(
        "coprocessor/write/RowCleaner.java",
        "copies.add(KeyValueUtil.copyToNewKeyValue(cell))",
        "copies.add(new KeyValue(CellUtil.cloneRow(cell), CellUtil.cloneFamily(cell),"
            + " CellUtil.cloneQualifier(cell), cell.getTimestamp(), CellUtil.cloneValue(cell)))",
        TagsTest.class,
        "rowsThatAreCleanedUpKeepThem"),
    A_FLUSH_OF_ADOPTED_OUTCOMES_LOSES_TAGS(
        "coprocessor/purge/AdoptingScanner.java",
        "KeyValue moved = KeyValueUtil.copyToNewKeyValue(cell);",
        "KeyValue moved = new KeyValue(CellUtil.cloneRow(cell), CellUtil.cloneFamily(cell),"
            + " CellUtil.cloneQualifier(cell), cell.getTimestamp(), CellUtil.cloneValue(cell));",
        TagsTest.class,
        "flushesOfAdoptedOutcomesKeepThem"),
    READERS_OF_MARKS_MISS_THOSE_IN_MEMORY(
        "coprocessor/read/RegionReads.java",
        "    prepareForMarks(scan);\n",
        "",
        MarksInMemoryTest.class,
        "whoReadsMarksOrAllVersionsFindsThem"),
    REVERSED_READERS_OF_MARKS_MISS_THOSE_IN_MEMORY(
        "coprocessor/read/RegionReads.java",
        "plain.isReversed() ? plain.getStopRow() : plain.getStartRow();",
        "plain.getStartRow();",
        MarksInMemoryTest.class,
        "aReversedScanOfMarksFindsThoseBetweenItsBounds"),
    COPIES_OF_A_REGION_MISS_MARKS_IN_MEMORY(
        "coprocessor/read/RegionReads.java",
        "last.length == 0 || end.length != 0 && Bytes.compareTo(last, end) >= 0",
        "last.length == 0",
        MarksInMemoryTest.class,
        "aScanOfAllRowsOfARegionFindsThem"),
    A_CLEANUP_LOOKS_FOR_A_MARK_IN_MEMORY_LAST(
        "coprocessor/write/RowCleaner.java",
        "if (!hasCell && !isInMemory) {",
        "if (!hasCell && marks.writers().find(row, start) == null) {",
        MarksInFlightTest.class,
        "aCleanupFindsAMarkThatAFlushMakesACellMeanwhile"),
    A_READ_THAT_MISSES_A_MARK_GOES_ON(
        "coprocessor/read/RowMemory.java",
        "!isMissing || parts.marks().removals(row) == removals",
        "true",
        MarksInFlightTest.class,
        "aReadThatMissesAMarkReadsAgain"),
    WHAT_WAS_FORGOTTEN_COUNTS_AS_ABORTED_WITHOUT_A_SECOND_READ(
        "coprocessor/read/RegionReader.java",
        "WriterStatuses.BEFORE_ALL_ANSWERS",
        "statuses.moment()",
        MarksInFlightTest.class,
        "whatWasForgottenIsReadAgainInEachRow"),
    ROWS_WHOSE_MARKS_ARE_IN_MEMORY_ARE_READ_TWICE(
        "coprocessor/read/RegionReader.java",
        "version < refused ? null : parts.marks().writers().find(key, version)",
        "null",
        MarksInFlightTest.class,
        "aRowWhoseMarksAreInMemoryIsReadOnce"),
    A_MARK_GOES_BEFORE_IT_IS_COUNTED(
        "coprocessor/region/RegionMarks.java",
        "removals.incrementAndGet(counterOf(mark.row()))",
        "removals.get(0)",
        MarksInFlightTest.class,
        "aReadThatMissesAMarkReadsAgain"),
    A_MARK_GOES_BEFORE_ITS_CLEANUP_IS_VISIBLE(
        "coprocessor/write/RegionWrites.java",
        "batch.cleaned(request, mark);",
        "batch.cleaned(request, null);\n"
            + "    if (mark != null) {\n"
            + "      marks.cleaned(mark);\n"
            + "      marks.cleanupEnded(mark);\n"
            + "    }\n",
        MarksInFlightTest.class,
        "theMarkStaysUntilItsCleanupIsVisible"),
    THE_END_OF_A_FLUSH_TAKES_THE_MARK_OF_A_LATE_DUPLICATE(
        "coprocessor/region/RegionMarks.java",
        "      for (Mark mark : taken) {\n"
            + "        assert mark.isTaken() : mark;\n"
            + "        writers.remove(mark);\n"
            + "      }\n",
        "      writers.forEach(writers::remove);\n",
        MarksInFlightTest.class,
        "aLateDuplicateKeepsItsMarkWhenAFlushEnds"),
    A_FLUSH_TAKES_MARKS_AMID_A_BATCH(
        "coprocessor/region/RegionMarks.java",
        "    HBaseInternals.blockUpdates(region);\n    try {\n" + TAKES,
        TAKES + "    HBaseInternals.blockUpdates(region);\n    try {\n",
        MarksInFlightTest.class,
        "aFlushWritesNoMarkWhoseDeleteIsInTheLogOnly"),
    A_MARK_THAT_IS_PERHAPS_NOT_IN_THE_LOG_STANDS_FOR_ANOTHER(
        "coprocessor/region/Writers.java",
        "!old.isApplied() || old.isTaken()",
        "!old.isNumbered() || old.isTaken()",
        FailingLogTest.class,
        "aWriteThatIsTriedAgainHasItsMark"),
    A_MARK_THAT_BECOMES_A_CELL_STANDS_FOR_ANOTHER(
        "coprocessor/region/Writers.java",
        "!old.isApplied() || old.isTaken()",
        "!old.isApplied()",
        WritersTest.class,
        "hasWhatANaiveListHas"),
    A_BATCH_THAT_FAILS_BEHIND_THE_LOG_LEAVES_NO_MARK(
        "coprocessor/region/RegionMarks.java",
        "if (!mark.isNumbered()) {\n      writers.remove(mark);",
        "if (!mark.isApplied()) {\n      writers.remove(mark);",
        MarksInFlightTest.class,
        "aBatchThatFailsBehindTheLogLeavesItsMark"),
    A_LATE_DUPLICATE_OF_A_FORMER_BATCH_IS_WRITTEN(
        "coprocessor/region/Writers.java",
        "if (number < batch) {",
        "if (number < 0) {",
        LateDuplicateTest.class,
        "ofAFormerBatchOfItsTransactionIsRefused"),
    A_FORMER_BATCH_IS_FORGOTTEN_WITH_THE_MARKS(
        "coprocessor/region/Writers.java",
        "            later.begin(key, batch);\n",
        "",
        LateDuplicateTest.class,
        "ofAFormerBatchIsRefusedWhenTheMarksHaveLeftTheMemory"),
    A_BATCH_IS_WRITTEN_BESIDE_A_LATE_DUPLICATE(
        "coprocessor/region/Writers.java",
        "number > batch && underWay > 0",
        "number > batch && underWay < 0",
        LateDuplicateTest.class,
        "ofAFormerBatchIsWaitedFor"),
    MARKS_OF_REFUSED_WRITES_STAY(
        "coprocessor/write/WriteBatch.java",
        "added.forEach(shared.marks::writeEnded);",
        "",
        AdoptedOutcomesTest.class,
        "aWriteThatIsRefusedBehindOurHookIsNotCounted"),
    THE_DELETE_OF_A_MARK_THAT_IS_A_CELL_IS_NONE(
        "coprocessor/write/RegionWrites.java",
        "!mark.isTaken() && !row.hasCell()",
        "!row.hasCell()",
        MarksInFlightTest.class,
        "aCleanupDuringAFlushDeletesTheMarkThatItWrites"),
    A_CLEANUP_MISSES_THE_SECOND_MARK_OF_A_ROW(
        "coprocessor/write/RegionWrites.java",
        "!mark.isTaken() && !row.hasCell()",
        "!mark.isTaken()",
        MarksInMemoryTest.class,
        "aCleanupRemovesBothMarksOfARow");

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
