package io.retso.hbase.check;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.retso.edited.SourceEdit;
import io.retso.hbase.EditedClient;
import io.retso.hbase.RetsoCluster;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Bugs in how a table's data is judged: edits of the check's sources, each of which is caught by a
 * method of {@link DataCheckTest}, run on the client with that edit.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(180)
class InjectedCheckBugsTest {
  /** An edit, and what catches it. */
  enum Bug {
    WHAT_A_SCAN_SHOWS_WITHOUT_A_MARK_IS_BELIEVED(
        "UnmarkedVersions.java",
        ": hasVersion(suspect, rows.get(i));",
        ": true;",
        "whatARegionHasAdoptedIsNotWrong"),
    DELETES_OF_COMMITTED_TRANSACTIONS_HIDE_WHAT_THEY_SHOULD_NOT(
        "UnmarkedVersions.java",
        "if (state != State.ABORTED && state != State.OPEN) {",
        "if (false) {",
        "whatARegionHasAdoptedIsNotWrong"),
    TOMBSTONES_WITHOUT_MARKS_ARE_PASSED(
        "CellJudge.java",
        "if (transactionsOnly || isTombstone) {",
        "if (transactionsOnly) {",
        "deletesWithoutTheirMarksAreFoundWhereverOthersWrite"),
    PLAIN_VERSIONS_ARE_TAKEN_FOR_LOST_MARKS(
        "CellJudge.java",
        "if (transactionsOnly || isTombstone) {",
        "if (true) {",
        "versionsWithoutTheirMarksAreFound"),
    MARKS_OF_THE_FUTURE_ARE_THOSE_OF_TRANSACTIONS_THAT_ARE_OVER(
        "Settling.java",
        "suspect.isMark() && suspect.version() < times.watermark()",
        "suspect.isMark()",
        "whatIsAheadOfTheOracleIsFound"),
    LOST_COMMITS_ARE_MENDED(
        "Settling.java",
        "if (!lost.isEmpty()) {",
        "if (false) {",
        "aCommitThatWillBeTakenForAbortedIsFoundAndNotMended"),
    OUTCOMES_ARE_NOT_COMPARED(
        "AdoptedOutcomesCheck.java",
        "if (!agree(one.outcome, status)) {",
        "if (false) {",
        "cellsAmongTheMarksThatAreNoneAreFound");

    private final SourceEdit edit;
    private final String method;

    Bug(String file, String text, String instead, String method) {
      this.edit = EditedClient.edit("check/" + file, text, instead);
      this.method = method;
    }
  }

  @TempDir Path classes;

  @ParameterizedTest
  @EnumSource
  void isCaught(Bug bug, RetsoCluster cluster) throws Exception {
    AssertionError failure =
        EditedClient.failure(bug.edit, classes, DataCheckTest.class, bug.method, cluster);
    assertNotNull(failure, "the test passes");
    System.out.println(bug + ": " + failure.toString().lines().findFirst().orElse(""));
  }
}
