package io.retso.hbase.coprocessor;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.purge.VersionPurgeTest;
import io.retso.hbase.coprocessor.region.HorizonTest;
import io.retso.hbase.resolve.SnapshotRowModelTest;
import io.retso.hbase.resolve.SnapshotRowTest;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Known bugs of region servers, each of which a test must catch: otherwise its silence means
 * nothing. A bug is an edit of a source file; the test named beside it is run on the edited
 * classes.
 */
@ExtendWith(RetsoCluster.Extension.class)
class InjectedRegionBugsTest {
  /** A rule that is broken, how, and the test that says so. */
  enum Bug {
    WRITES_ENTER_DURING_CLEANUP(
        "coprocessor/write/RowLatches.java",
        "old == CLEANER ? CLEANER : old + one) != CLEANER",
        "old == CLEANER ? CLEANER : old + one) != 0",
        InFlightTest.class,
        "aWriteIsRefusedDuringACleanupOfItsTransaction"),
    CLEANUPS_ENTER_DURING_WRITES(
        "coprocessor/write/RowLatches.java",
        "return held.putIfAbsent(latch, CLEANER) == null;",
        "return held.putIfAbsent(latch, CLEANER) != Integer.valueOf(CLEANER);",
        InFlightTest.class,
        "aCleanupIsTurnedAwayDuringAWriteOfItsTransaction"),
    CLEANUPS_ENTER_DURING_CLEANUPS(
        "coprocessor/write/RowLatches.java",
        "return held.putIfAbsent(latch, CLEANER) == null;",
        "Integer old = held.putIfAbsent(latch, CLEANER); return old == null || old < 0;",
        InFlightTest.class,
        "aSecondCleanupLetsNoWriteInDuringTheFirst"),
    A_CLEANUP_LOOKS_FOR_NEW_VERSIONS_ONLY(
        "coprocessor/write/VersionFilter.java",
        "return ReturnCode.SEEK_NEXT_USING_HINT;",
        "return ReturnCode.NEXT_COL;",
        HotRowTest.class,
        "aCleanupRemovesItsVersionOnly"),
    READS_BY_OTHER_SETTINGS_ARE_ANSWERED(
        "layout/SettingsCheck.java",
        "return ReadAttribute.fingerprintOf(read) == fingerprint;",
        "return true;",
        OtherSettingsTest.class,
        "readsAreRefused"),
    WRITES_BY_OTHER_SETTINGS_ARE_TAKEN(
        "coprocessor/write/RegionWrites.java",
        "!SettingsCheck.passes(mutation, settings.fingerprint())",
        "false",
        OtherSettingsTest.class,
        "writesAreRefused"),
    CLIENTS_THAT_TAKE_IT_FOR_A_TABLE_WITH_CLIENT_READS_ARE_ANSWERED(
        "layout/SettingsCheck.java",
        "value == null || isOf(value, 0, value.length, fingerprint)",
        "true",
        OtherSettingsTest.class,
        "readsOfClientsThatDecideAreRefused"),
    MARKS_ARE_KEPT_WITH_THE_FINGERPRINT(
        "layout/PendingWrite.java",
        "value.length == SENT_BYTES ? Arrays.copyOf(value, Integer.BYTES) : value",
        "value",
        OtherSettingsTest.class,
        "marksAreKeptWithoutTheFingerprint"),
    CLEANS_UP_WITHOUT_THE_MARK(
        "coprocessor/write/RowCleaner.java",
        "if (!hasCell && !isInMemory) {",
        "if (false) {",
        CleanupTest.class,
        "doesNothingWithoutTheMark"),
    LEAVES_WHAT_A_DELETE_HIDES(
        "layout/RawVersion.java",
        "new Scan().setRaw(true)",
        "new Scan()",
        LateDuplicateTest.class,
        "ofAnAbortedTransactionStaysAwayWhenTheMarkerIsCompactedAway"),
    MOVES_WHAT_A_DELETE_HIDES(
        "coprocessor/write/RowCleaner.java",
        "for (KeyValue cell : written.visible) {",
        "for (KeyValue cell : written.all) {",
        LateDuplicateTest.class,
        "whatAPlainDeleteHidesIsNeitherMovedNorLeft"),
    CLEANS_UP_AS_IT_WAS_READ(
        "coprocessor/write/WriteBatch.java",
        "shared.changes.isCurrent(cleanup.moment)",
        "cleanup.moment >= 0",
        InFlightTest.class,
        "whatAPlainDeleteRemovesAfterTheReadOfACleanupIsNotMoved"),
    ADOPTS_WHAT_A_FILE_HIDES(
        "coprocessor/TransactionalRegion.java",
        "marks.writers().opened(HBaseInternals.lastVersion(region));",
        "marks.writers().opened(0);",
        PlainChangesTest.class,
        "whatAFileMayHideIsNotAdopted"),
    PLAIN_CHANGES_ARE_NOT_COUNTED(
        "coprocessor/write/RegionWrites.java",
        "if (batch != null) { // otherwise",
        "if (batch != null && mutation == null) { // otherwise",
        InFlightTest.class,
        "whatAPlainDeleteRemovesAfterTheReadOfACleanupIsNotMoved"),
    CHANGES_OF_OTHER_COPROCESSORS_ARE_NOT_SEEN(
        "coprocessor/write/RegionWrites.java",
        "mutations.getOperationsFromCoprocessors(i) != null\n          || write != null",
        "write != null",
        PlainChangesTest.class,
        "whatOtherCoprocessorsMayHideIsNotAdopted"),
    MOVES_BELOW_THE_HORIZON(
        "coprocessor/write/RegionWrites.java",
        "request.start() < refused ?",
        "request.start() < 0 ?",
        CleanupTest.class,
        "aLateDuplicateOfACleanedUpWriteIsRemovedWhateverTheRequestSays"),
    REMOVES_AT_THE_HORIZON(
        "coprocessor/write/RegionWrites.java",
        "request.start() < refused ?",
        "request.start() <= refused ?",
        PurgeTest.class,
        "theOldestTransactionStandsAtTheHorizonAndLosesNothing"),
    REFUSES_WRITES_AT_THE_HORIZON(
        "coprocessor/write/RegionWrites.java",
        "if (start < refused) {",
        "if (start <= refused) {",
        PurgeTest.class,
        "theOldestTransactionStandsAtTheHorizonAndLosesNothing"),
    ADMITS_WRITES_BELOW_THE_HORIZON(
        "coprocessor/write/RegionWrites.java",
        "if (start < refused) {",
        "if (false) {",
        CleanupTest.class,
        "writesBelowTheHorizonAreRefused"),
    MARKS_AT_THE_HORIZON_COUNT_AS_ABORTED(
        "coprocessor/read/RegionReader.java",
        "start < refusedBelow &&",
        "start <= refusedBelow &&",
        PurgeTest.class,
        "theOldestTransactionStandsAtTheHorizonAndLosesNothing"),
    A_HORIZON_THAT_RISES_WITHIN_A_READ_ABORTS(
        "coprocessor/read/RegionReader.java",
        "removeUnseen(row, known, refusedBelow);",
        "removeUnseen(row, known, parts.horizon().refused());",
        MarksInFlightTest.class,
        "theHorizonThatRisesWithinAReadAbortsNothing"),
    ASKS_ABOUT_MARKS_IN_MEMORY_BELOW_THE_HORIZON(
        "coprocessor/read/RegionReader.java",
        "version < refused ? null : parts.marks()",
        "parts.marks()",
        PurgeTest.class,
        "marksInMemoryBelowTheHorizonAreNotAskedAbout"),
    NEWER_VERSIONS_LEAVE_A_READ_CURRENT(
        "coprocessor/read/SnapshotFilter.java",
        "hasNewer = true;",
        "hasNewer = false;",
        ValidatingReadTest.class,
        "learnsWhetherItIsCurrent"),
    WRITERS_IN_DOUBT_LEAVE_A_READ_CURRENT(
        "coprocessor/read/RegionReader.java",
        "current = seen.isPast(versions, statuses);",
        "",
        ValidatingReadTest.class,
        "learnsOfThoseWhoBeganBeforeIt"),
    WHAT_IS_GONE_COUNTS_AS_PAST(
        "resolve/SnapshotRow.java",
        "version >= readTimestamp || !hasVersion(version)",
        "version >= readTimestamp",
        SnapshotRowTest.class,
        "whatWasInQuestionIsOfThePastIfItCommittedBelowTheReader"),
    THE_NEWEST_COMMIT_COUNTS_AS_THE_FIRST(
        "resolve/SnapshotRow.java",
        "covering = shown ? Long.MAX_VALUE : commit;\n",
        "covering = shown ? Long.MAX_VALUE : commit;\n        break;\n",
        SnapshotRowTest.class,
        "theFirstCommitIsFoundInAllColumns"),
    LOOKS_FOR_THE_FIRST_CHANGE_AMONG_THE_NEWEST(
        "coprocessor/read/FirstChangeReader.java",
        "version <= timestamp\n                && (CellVersion",
        "(CellVersion",
        ValidatingReadTest.class,
        "aRegionTellsTheFirstChange"),
    THE_FIRST_CHANGE_TELLS_OF_WHAT_IS_HIDDEN(
        "coprocessor/read/FirstChangeReader.java",
        "new ShownCells(get.getFilter())",
        "new ShownCells(null)",
        HiddenVersionsTest.class,
        "whatIsHiddenHasNotChanged"),
    A_VALIDATING_GET_TELLS_OF_WHAT_IS_HIDDEN(
        "coprocessor/read/RegionReads.java",
        "new ShownCells(get.getFilter())",
        "new ShownCells(null)",
        HiddenVersionsTest.class,
        "whatIsHiddenHasNotChanged"),
    A_VALIDATING_GET_TELLS_OF_HIDDEN_WRITERS(
        "coprocessor/read/SnapshotFilter.java",
        "shown.columnsOf(cells)",
        "cells",
        HiddenVersionsTest.class,
        "whatIsHiddenHasNotChanged"),
    A_TOMBSTONE_COUNTS_AS_SHOWN(
        "coprocessor/read/ShownCells.java",
        "!Tombstone.is(version) && passes(version)",
        "passes(version)",
        HiddenVersionsTest.class,
        "whatIsHiddenHasNotChanged"),
    A_VALIDATING_GET_PASSES_WHAT_HIDES_A_SHOWN_VERSION(
        "coprocessor/read/SnapshotFilter.java",
        "covers.add(KeyValueUtil.copyToNewKeyValue(cell));",
        "",
        HiddenVersionsTest.class,
        "whatHidesAShownVersionIsAChange"),
    THE_FIRST_CHANGE_PASSES_WHAT_HIDES_A_SHOWN_VERSION(
        "resolve/SnapshotRow.java",
        "first = shown ? Math.min(first, covering) : first;",
        "",
        SnapshotRowTest.class,
        "aCommitThatTheUserIsShownNothingOfIsNoChange"),
    THE_FIRST_CHANGE_IS_NOT_READ_DOWN_TO_WHAT_IT_HIDES(
        "coprocessor/read/FirstChangeReader.java",
        "Outcome.isCommittedBelow(outcomes.applyAsLong(version), timestamp)",
        "Outcome.isCommitted(outcomes.applyAsLong(version))",
        HiddenVersionsTest.class,
        "whatHidesAShownVersionIsAChangeAlsoIfItBeganBefore"),
    THE_FILTER_OF_A_VALIDATING_GET_IS_LOST(
        "resolve/RowFilter.java",
        "return of(get, ReadAttribute.takenFilter(get));",
        "return of(get, null);",
        HiddenVersionsTest.class,
        "theApplicationsFilterSeesWhatIsCurrent"),
    THE_FILTER_OF_A_VALIDATING_GET_COUNTS_AS_THAT_OF_RIGHTS(
        "layout/ReadAttribute.java",
        "      get.setFilter(null);\n",
        "",
        HiddenVersionsTest.class,
        "theApplicationsFilterSeesWhatIsCurrent"),
    WHAT_COMES_UP_IN_THE_SECOND_READ_COUNTS_AS_COMMITTED(
        "coprocessor/read/RegionReader.java",
        "|| Timestamps.isWellFormed(version) && !known.isAsked(version)",
        "",
        SnapshotReadTest.class,
        "aVersionThatComesUpInTheSecondReadOfARowIsLeftOut"),
    HORIZON_ONE_TIMESTAMP_TOO_HIGH(
        "coprocessor/purge/RegionPurge.java",
        "horizon.refuse(link.watermarkSoon());",
        "horizon.refuse(link.watermarkSoon() + 16);",
        PurgeTest.class,
        "whatAnOpenSnapshotSeesStays"),
    HORIZON_NOT_TESTED_AFTER_READING(
        "coprocessor/read/SnapshotFilter.java",
        "reader.checkHorizon();\n    return rowFilter.isDone();",
        "return rowFilter.isDone();",
        PurgeTest.class,
        "aScanFailsWhenItsSnapshotIsPurgedUnderIt"),
    OLD_VERSIONS_OF_EMPTY_QUALIFIERS_ARE_TAKEN(
        "coprocessor/read/SnapshotFilter.java",
        "emptyQualifierDone = CellUtil.cloneFamily(cell);",
        "emptyQualifierDone = null;",
        EmptyQualifierTest.class,
        "showNothingThatIsDeleted"),
    AN_EMPTY_QUALIFIER_HIDES_THAT_OF_THE_NEXT_ROW(
        "coprocessor/read/SnapshotFilter.java",
        "    hasNewer = false;\n    emptyQualifierDone = null;\n",
        "    hasNewer = false;\n",
        EmptyQualifierTest.class,
        "showTheNewestCommittedVersionOnly"),
    AN_EMPTY_QUALIFIER_HIDES_THAT_OF_THE_NEXT_FAMILY(
        "coprocessor/read/SnapshotFilter.java",
        "&& CellUtil.matchingFamily(cell, emptyQualifierDone)",
        "",
        EmptyQualifierTest.class,
        "showTheNewestCommittedVersionOnly"),
    ROWS_THAT_LEAVE_NOTHING_PASS_AS_EMPTY(
        "coprocessor/read/SnapshotFilter.java",
        "if (passed.isEmpty()) {\n      excluded = true;",
        "if (passed.isEmpty()) {\n      cells.clear();",
        ScanLimitsTest.class,
        "theTimeLimitHoldsAtRowsThatLeaveNothing"),
    REJECTS_EVERYTHING_AFTER_A_ROW_THAT_LEAVES_NOTHING(
        "coprocessor/read/SnapshotFilter.java",
        "    excluded = false;\n",
        "",
        ScanLimitsTest.class,
        "countsTheRowsThatHBaseWouldCount"),
    OPENED_WITHOUT_A_HORIZON(
        "coprocessor/TransactionalRegion.java",
        "if (horizonKnown) {",
        "if (true) {",
        PurgeTest.class,
        "aRegionThatOpensKnowsWhatWasPurgedBefore"),
    BECOMES_ACTIVE_WITHOUT_WAITING(
        "coprocessor/region/Horizon.java",
        "candidate > active && batches.drain(millis)",
        "candidate > active",
        InFlightTest.class,
        "purgeCountsOnNothingThatABatchInFlightMayChange"),
    PURGES_BY_THE_REFUSED_HORIZON(
        "coprocessor/region/Horizon.java",
        "long active() {\n    return active;",
        "long active() {\n    return refused;",
        InFlightTest.class,
        "purgeCountsOnNothingThatABatchInFlightMayChange"),
    COUNTS_EDITS_BEFORE_THEY_ARE_COMPLETE(
        "coprocessor/region/Horizon.java",
        "if (candidate > active && batches.drain(millis)) {\n"
            + "      long sequence = editSequence.getAsLong();\n",
        "long sequence = editSequence.getAsLong();\n"
            + "    if (candidate > active && batches.drain(millis)) {\n",
        HorizonTest.class,
        "whatIsWaitedForIsBelowTheSequenceNumber"),
    PURGES_BY_WHAT_SCANNERS_DO_NOT_SEE(
        "coprocessor/purge/VersionPurge.java",
        " || sequence(cell) > readPoint",
        "",
        VersionPurgeTest.class,
        "whatAScannerDoesNotSeeCoversNothing"),
    ENTERS_AN_EPOCH_WITHOUT_A_SECOND_LOOK(
        "coprocessor/region/BatchesInFlight.java",
        "if (seen == current) {",
        "if (seen.count.get() > 0) {",
        HorizonTest.class,
        "aBatchThatWasHeldUpDoesNotEnterAnEpochThatIsDone"),
    DRAINS_THE_LAST_EPOCH_ONLY(
        "coprocessor/region/BatchesInFlight.java",
        "      old.add(current);\n",
        "      old.clear();\n      old.add(current);\n",
        HorizonTest.class,
        "theOldestBatchIsWaitedForThoughLaterOnesAreOver"),
    DROPS_DELETES_THAT_OLDER_FILES_NEED(
        "coprocessor/purge/CleanupDeletePurge.java",
        "!inOtherFiles.test(cell.getTimestamp())",
        "!inOtherFiles.test(-1)",
        PurgeTest.class,
        "deletesStayWhileAnOlderFileHoldsWhatTheyDelete"),
    DROPS_DELETES_THAT_HALVES_OF_FILES_NEED(
        "coprocessor/hbase/HBaseInternals.java",
        "return file.getHFileReader().getEntries() == 0;",
        "return file.getEntries() == 0;",
        MergeTest.class,
        "whatAnAbortedTransactionWroteBeforeAMergeStaysAway"),
    ADOPTS_WHAT_HALF_A_FILE_HIDES(
        "coprocessor/hbase/HBaseInternals.java",
        "isEmpty(reader) ?",
        "reader.getEntries() == 0 ?",
        MergeTest.class,
        "aPlainDeleteBeforeAMergeHidesWhatIsWrittenAfterIt"),
    DROPS_DELETES_BEFORE_THEIR_CELLS(
        "coprocessor/purge/CleanupDeletePurge.java",
        "&& next.getTimestamp() == held.getTimestamp()",
        "&& next.getTimestamp() < held.getTimestamp()",
        PurgeTest.class,
        "deletesStayForScannersThatDoNotSeeThemYet"),
    CLEANS_UP_TWICE_IN_A_BATCH(
        "coprocessor/write/RegionWrites.java",
        "if (batch.isCleaned(request)) {",
        "if (mutation == null) {",
        PlainChangesTest.class,
        "aRowIsCleanedUpOnceInABatch"),
    CLEANS_UP_BEFORE_THE_HORIZON_IS_KNOWN(
        "coprocessor/TransactionRegionObserver.java",
        "region.awaitHorizonFor(put);\n",
        "",
        PurgeTest.class,
        "aLateDuplicateBelowTheHorizonIsNotMoved"),
    ASKS_ABOUT_MARKS_BELOW_THE_HORIZON(
        "coprocessor/read/RegionReader.java",
        "dead.add(start);",
        "",
        PurgeTest.class,
        "aLateDuplicateBelowTheHorizonIsOfNoCommit"),
    DROPS_TOMBSTONES_THAT_THE_MEMORY_NEEDS(
        "coprocessor/purge/RegionPurge.java",
        "boolean memoryEmpty = HBaseInternals.isMemoryEmpty(store);",
        "boolean memoryEmpty = true;",
        PurgeTest.class,
        "tombstonesStayForWhatIsInMemory"),
    DROPS_TOMBSTONES_THAT_OTHER_FILES_NEED(
        "coprocessor/purge/RegionPurge.java",
        "if (!new HashSet<Object>(request.getFiles()).equals(new HashSet<Object>(files))) {",
        "if (files == null) {",
        PurgeTest.class,
        "tombstonesStayInACompactionOfTheOtherFiles"),
    ADOPTS_WHAT_A_LOADED_FILE_HIDES(
        "coprocessor/TransactionalRegion.java",
        "loads.end(HBaseInternals.lastVersion(region));",
        "loads.end(0);",
        LoadedFilesTest.class,
        "whatALoadedFileMayHideIsNotAdopted"),
    ADOPTS_WHILE_FILES_ARE_LOADED(
        "coprocessor/region/Writers.java",
        "loads.incrementAndGet();",
        "",
        LoadedFilesTest.class,
        "whatAFileMayHideThatIsBeingLoadedIsNotAdopted"),
    FILES_ARE_LOADED_BESIDE_WHAT_IS_ADOPTED_AND_IN_MEMORY(
        "coprocessor/write/FileLoads.java",
        "      flushAdopted();\n",
        "",
        LoadedFilesTest.class,
        "aLoadWaitsForAFlushThatIsUnderWay"),
    A_BATCH_TAKES_THE_PLACE_OF_THE_OUTER_ONE(
        "coprocessor/write/OpenBatches.java",
        "open.set(current.outer);",
        "open.remove();",
        PlainChangesTest.class,
        "aBatchWithinABatchLeavesItsPlace"),
    WHAT_MAY_BE_PENDING_COVERS(
        "coprocessor/purge/VersionPurge.java",
        "!CellVersion.isCommitted(version) || ",
        "",
        PurgeTest.class,
        "whatMayBePendingCoversNothing"),
    WHAT_MAY_BE_PENDING_DECIDES(
        "resolve/SnapshotRow.java",
        "else if (version < readTimestamp) {\n        long status",
        "else if (version > readTimestamp) {\n        long status",
        SnapshotRowModelTest.class,
        "serverReadsSeeTheSnapshot"),
    COMMITTED_ABOVE_THE_READER_DECIDES(
        "resolve/SnapshotRow.java",
        "else if (Outcome.isCommittedBelow(status, readTimestamp))",
        "else if (Outcome.isCommitted(status))",
        SnapshotRowModelTest.class,
        "serverReadsSeeTheSnapshot"),
    MARKS_ARE_NOT_LOOKED_AT(
        "resolve/SnapshotRow.java",
        "Arrays.binarySearch(marks, version) >= 0",
        "false",
        SnapshotRowModelTest.class,
        "serverReadsSeeTheSnapshot"),
    FORGOTTEN_MEANS_ABORTED(
        "resolve/SnapshotRow.java",
        "return unknown ? Next.ASK : Next.READ_AGAIN;\n        }\n",
        "continue;\n        }\n",
        SnapshotRowModelTest.class,
        "serverReadsSeeTheSnapshot"),
    STOPS_AT_THE_LIMIT_OF_VERSIONS(
        "resolve/SnapshotRow.java",
        "end - begin >= versions ? Next.READ_AGAIN : Next.RESOLVED",
        "Next.RESOLVED",
        SnapshotRowModelTest.class,
        "clientReadsSeeTheSnapshot");

    private final EditedCoprocessor.Bug edit;

    Bug(String file, String text, String instead, Class<?> test, String method) {
      this.edit = new EditedCoprocessor.Bug(name(), file, text, instead, test, method);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Timeout(180)
  void isCaught(Bug bug, @TempDir Path directory, RetsoCluster cluster) throws Exception {
    bug.edit.assertCaught(directory, cluster);
  }
}
