package io.retso.hbase.cleanup;

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
 * Bugs in how clients tell regions of outcomes: edits of the client's sources, each of which is
 * caught by a method of {@link AdoptedCleanupTest}, run on the client with that edit.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(180)
class InjectedCleanupBugsTest {
  /** An edit, and what catches it. */
  enum Bug {
    REPORTED_WHEN_THE_FIRST_OF_TWO_REGIONS_HAS_ANSWERED(
        "cleanup/CleanupJob.java",
        "return rowsLeft == 0;",
        "return rowsLeft < size;",
        "isReportedWhenTheLastRegionHasAnswered"),
    ROW_BY_ROW_IS_TAKEN_FOR_ADOPTED(
        "cleanup/TableAdoptions.java",
        "if (adopted != null && adopted.get(i)) {",
        "if (adopted != null) {",
        "whatARegionDoesNotAdoptIsCleanedUpRowByRow"),
    ROWS_OF_ALL_REGIONS_ARE_COUNTED(
        "cleanup/CleanupPart.java",
        "job.receipt(), size())",
        "job.receipt(), rows.size())",
        "aRegionIsToldOnceOfManyTransactionsHowManyRowsItHas"),
    ROWS_BEHIND_A_REGION_ARE_NOT_LOOKED_FOR(
        "cleanup/TableAdoptions.java",
        "unlocated.push(part.slice(end, part.to()));",
        "answers.ended(part.slice(end, part.to()), 0, null);",
        "aRegionIsToldOnceOfManyTransactionsHowManyRowsItHas"),
    FAILED_REQUESTS_ARE_NOT_SENT_AGAIN(
        "cleanup/Cleaner.java",
        "later(part.attempt() - 1, () -> enqueue(List.of(part)));",
        "",
        "aRegionThatFailsIsAskedAgain"),
    ROWS_ARE_GIVEN_BACK_TOO_EARLY(
        "cleanup/CleanupAdmission.java",
        "return rows > 0 && rows + job.size > rowsMax;",
        "return rows > rowsMax;",
        "rowsAreBoundedUntilTheirRegionsHaveAnswered"),
    WHAT_IS_THROWN_AMID_A_LIST_STOPS_ALL(
        "cleanup/TableAdoptions.java",
        "} catch (RuntimeException | Error e) {",
        "} catch (ClassCastException e) {",
        "whatIsThrownAmidAListIsAFailedAttempt"),
    WHAT_WAS_ABORTED_STAYS_UNTIL_A_FLUSH(
        "cleanup/CleanupPart.java",
        "|| isSmall && job.outcome() == Outcome.ABORTED",
        "",
        "whatWasAbortedIsRemovedAtOnceUnlessItIsMuch"),
    TIME_RUNS_FROM_EACH_ATTEMPT(
        "cleanup/CleanupPart.java",
        "attempt == 1 ? sent : begun",
        "sent",
        "itsTimeRunsFromTheFirstAttempt");

    private final SourceEdit edit;
    private final String method;

    Bug(String file, String text, String instead, String method) {
      this.edit = EditedClient.edit(file, text, instead);
      this.method = method;
    }
  }

  @TempDir Path classes;

  @ParameterizedTest
  @EnumSource
  void isCaught(Bug bug, RetsoCluster cluster) throws Exception {
    AssertionError failure =
        EditedClient.failure(bug.edit, classes, AdoptedCleanupTest.class, bug.method, cluster);
    assertNotNull(failure, "the test passes");
    System.out.println(bug + ": " + failure.toString().lines().findFirst().orElse(""));
  }
}
