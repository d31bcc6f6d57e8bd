package io.retso.hbase.read;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.retso.edited.SourceEdit;
import io.retso.hbase.EditedClient;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.table.GranulesTest;
import io.retso.hbase.write.OwnReadsTest;
import io.retso.hbase.write.ProtectedReadsTest;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Bugs in what serializable transactions remember and report: edits of the client's sources, each
 * of which is caught by the test beside it, run on the client with that edit.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(180)
class InjectedReadBugsTest {
  private static final int ATTEMPTS = 4;

  /** An edit, and who catches it. */
  enum Bug {
    SCANS_FORGET_WHAT_THEY_DID_NOT_FIND(
        "read/ScanRange.java",
        "if (!toEnd && last == null) {",
        "if (last == null) {",
        WriteSkewTest.class,
        "everyKindOfReadIsCertified"),
    SCANS_FORGET_WHERE_A_FILTER_ENDED_THEM(
        "read/SnapshotScan.java",
        "complete(more && isFiltered);",
        "complete(false);",
        WriteSkewTest.class,
        "aFilterThatEndsAScanHasReadMoreThanItShows"),
    ROWS_THAT_WERE_WRITTEN_ARE_DROPPED_WHEN_CONFLICTS_ARE_BY_CELL(
        "read/ReadSet.java",
        "return new Ids(read, ranges.toArray());",
        "return new Ids(read, written.isEmpty() ? ranges.toArray() : NONE);",
        WriteSkewTest.class,
        "twoCellsOfOneRowAreNoExcuse"),
    WRITERS_OF_CELLS_DO_NOT_NAME_THEIR_ROWS(
        "table/Granules.java",
        "if (byCell) {",
        "if (false) {",
        MixedIsolationTest.class,
        "rowsOfConflictsByCellAreNoticedWithGranules"),
    READS_BEYOND_THE_BOUND_ARE_FORGOTTEN(
        "read/ReadSet.java",
        "} else if (!to.contains(id)) {",
        "} else if (false) {",
        WriteSkewTest.class,
        "whatIsReadBeyondTheBoundIsCertified"),
    GRANULES_LACK_THE_LAST_ONE(
        "table/Cover.java",
        ": last == 0;",
        ": false;",
        GranulesTest.class,
        "aRowThatTheEndOfTheRangeBeginsWithHasTheLastGranule"),
    SHORT_KEYS_ARE_LEFT_OUT_AT_THE_END(
        "table/Cover.java",
        "last(step - 1), withLast(step - 1)), true);",
        "last(step - 1), withLast(step - 1)), false);",
        GranulesTest.class,
        "whoWritesIntoARangeNamesAGranuleOfIt"),
    SHORT_KEYS_ARE_LEFT_OUT_AT_THE_BEGINNING(
        "table/Cover.java",
        "label.length > 0 && low.length <= label.length;",
        "false;",
        GranulesTest.class,
        "whoWritesIntoARangeNamesAGranuleOfIt"),
    GROUPS_LACK_THE_LAST_ONE(
        "table/Cover.java",
        "ByteGroup.first(last) < (last & 0xff)",
        "false",
        GranulesTest.class,
        "whoWritesIntoARangeNamesAGranuleOfIt"),
    GROUPS_END_BEFORE_THEIR_LAST_BYTE(
        "table/Step.java",
        "last[bytes] = (byte) ByteGroup.last(label[bytes]);",
        "",
        GranulesTest.class,
        "whoWritesIntoARangeNamesAGranuleOfIt"),
    WRITERS_NAME_NO_GROUPS(
        "table/Granules.java",
        "to.add(RowId.groupGranule(table, sizes[i], row));",
        "",
        GranulesTest.class,
        "whoWritesIntoARangeNamesAGranuleOfIt"),
    WHO_WROTE_NOTHING_REPORTS_NO_READS(
        "transaction/Lifecycle.java",
        " && !tx.reads().hasReads()",
        "",
        SerializableReadersTest.class,
        "whatWroteNothingIsCertifiedAsAReader"),
    SERIALIZABLE_READERS_ASK_NOBODY(
        "transaction/Begins.java",
        "if (!isSerializable(options)) {",
        "if (true) {",
        ReadOnlyAnomalyTest.class,
        "aReaderWhoFindsEverythingUnchanged"),
    SNAPSHOT_WRITERS_NAME_NO_GRANULES(
        "write/WriteBuffer.java",
        "!isSerializable && !writes.table.hasGranulesOfAll()",
        "!isSerializable",
        MixedIsolationTest.class,
        "whatWasScannedIsNoticedWithGranules"),
    VALIDATED_READS_ARE_NOT_REPORTED(
        "commit/CommitProtocol.java",
        ".withValidated(writes.validated())",
        "",
        ProtectedReadsTest.class,
        "whoValidatesIsInNobodysWay"),
    OWN_WRITES_ARE_SHOWN_WHATEVER_THEIR_LABEL(
        "write/OwnReads.java",
        "cell == null || !ProtectedCell.of(cell).isNone()",
        "cell == null",
        OwnReadsTest.class,
        "whatHasALabelIsReadFromHBase"),
    READS_FOR_UPDATE_DO_NOT_COUNT_AS_WRITTEN(
        "transaction/TableReads.java",
        "add(table, List.of(), of)",
        "add(table, List.of(), null)",
        ProtectedReadsTest.class,
        "twoReadsForUpdateConflictThoughNothingIsWritten"),
    UNTRACKED_READS_ARE_CERTIFIED(
        "transaction/TableReads.java",
        "new TableReads(core, reader, ReadSet.UNTRACKED, true)",
        "new TableReads(core, reader, core.begun.reads(), true)",
        ProtectedReadsTest.class,
        "untrackedReadsAreCertifiedOnlyIfTheyAreAddedLater");

    private final SourceEdit edit;
    private final SourceEdit none;
    private final Class<?> test;
    private final String method;

    Bug(String file, String text, String instead, Class<?> test, String method) {
      this.edit = EditedClient.edit(file, text, instead);
      this.none = EditedClient.edit(file, text, text);
      this.test = test;
      this.method = method;
    }
  }

  @TempDir Path classes;

  /**
   * Not each time: ids share stripes of the oracle, so what was not reported may be refused all the
   * same. Each attempt has a table of its own, hence other ids.
   */
  @ParameterizedTest
  @EnumSource
  void isCaught(Bug bug, RetsoCluster cluster) throws Exception {
    AssertionError failure = null;
    for (int attempt = 0; attempt < ATTEMPTS && failure == null; attempt++) {
      failure = failure(bug, bug.edit, cluster);
    }
    assertNotNull(failure, "the test passes");
  }

  /** Tests fail for the edit, not for the way in which they are run here. */
  @ParameterizedTest
  @EnumSource
  void withoutTheEditTheTestPasses(Bug bug, RetsoCluster cluster) throws Exception {
    assertNull(failure(bug, bug.none, cluster));
  }

  private AssertionError failure(Bug bug, SourceEdit edit, RetsoCluster cluster) throws Exception {
    return EditedClient.failure(edit, classes, bug.test, bug.method, cluster);
  }
}
