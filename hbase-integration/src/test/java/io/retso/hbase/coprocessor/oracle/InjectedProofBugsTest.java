package io.retso.hbase.coprocessor.oracle;

import static io.retso.edited.EditedClasses.placeOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import io.retso.hbase.EditedClient;
import io.retso.hbase.coprocessor.oracle.OutcomeProofsTest.Place;
import io.retso.hbase.layout.OracleSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Region servers that believe what is not true, each of which {@link OutcomeProofsTest} sees. */
@Timeout(120)
class InjectedProofBugsTest {
  /** What is done wrong. */
  enum Bug {
    ALL_ARE_TRUSTED(
        "OutcomeProofs.java", "this.isTrusting = isTrusting;", "this.isTrusting = true;"),
    ANOTHER_OUTCOME_IS_AS_GOOD(
        "OutcomeProofs.java",
        "if (known == request.outcome()) {",
        "if (known != io.retso.hbase.layout.Outcome.UNKNOWN) {"),
    ANOTHER_OUTCOME_OF_A_LIST_IS_AS_GOOD(
        "OutcomeProofs.java",
        "if (answer == adoptions.get(i).outcome()) {",
        "if (answer != Outcome.UNKNOWN) {"),
    WHAT_IS_OPEN_COUNTS_AS_ABORTED(
        "OracleLink.java", "case OPEN -> {}", "case OPEN -> outcomes.put(start, Outcome.ABORTED);"),
    WHAT_IS_FORGOTTEN_IS_BELIEVED(
        "OutcomeProofs.java",
        "return new CleanupRequest(request.row(), start, Outcome.ABORTED);",
        "return request;"),
    WHAT_IS_FORGOTTEN_COUNTS_AS_ABORTED_IN_ALL_ROWS(
        "OracleLink.java",
        "case RETRY -> outcomes.put(start, FORGOTTEN);",
        "case RETRY -> outcomes.put(start, Outcome.ABORTED);"),
    A_RECEIPT_IS_NOT_LOOKED_AT(
        "OutcomeProofs.java", "link.keys().prove(start, outcome, receipt)", "true"),
    RECEIPTS_ARE_NEVER_ENOUGH("OutcomeProofs.java", "if (receipt == 0) {", "if (true) {"),
    ANSWERS_ARE_NOT_REMEMBERED("OracleLink.java", "          cache.aborted(start);\n", ""),
    A_LIST_IS_TAKEN_AS_A_WHOLE(
        "OutcomeProofs.java",
        "      if (answer == adoptions.get(i).outcome()) {\n        proved.set(i);",
        "      if (answer == adoptions.get(i).outcome()) {\n"
            + "        proved.set(0, adoptions.size());");

    private final SourceEdit edit;

    Bug(String file, String text, String instead) {
      edit = EditedClient.edit("coprocessor/oracle/" + file, text, instead);
    }
  }

  /** What clients say; made anew by each loader of classes. */
  static final class Claims implements Consumer<Place> {
    private interface Claim {
      void on(OutcomeProofsTest test) throws IOException;
    }

    @Override
    public void accept(Place place) {
      OutcomeProofsTest.use(place);
      run(OutcomeProofsTest::receiptsAreTakenWithoutAQuestion);
      run(OutcomeProofsTest::withoutReceiptsTheOracleIsAskedOnceForEachTransaction);
      run(OutcomeProofsTest::whatTheOracleDoesNotSayIsNotTaken);
      run(OutcomeProofsTest::whatWasNeverBegunHasNoOutcome);
      run(OutcomeProofsTest::whatTheOracleHasForgottenIsAMatterOfTheRow);
    }

    private static void run(Claim claim) {
      OutcomeProofsTest test = new OutcomeProofsTest();
      test.open();
      try {
        claim.on(test);
      } catch (IOException e) {
        throw new AssertionError(e);
      } finally {
        test.close();
      }
    }
  }

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    OutcomeProofsTest.start(directory);
  }

  @AfterAll
  static void stop() {
    OutcomeProofsTest.stop();
  }

  @SuppressWarnings("unchecked") // of a class that is loaded anew
  private static Consumer<Place> claims(EditedClasses edited) throws Exception {
    return edited.make(Claims.class, Consumer.class);
  }

  @ParameterizedTest
  @EnumSource
  void isCaught(Bug bug, @TempDir Path classes) throws Exception {
    bug.edit.compile(classes);
    try (EditedClasses edited = edited(classes)) {
      Consumer<Place> claims = claims(edited);
      AssertionError caught =
          assertThrows(AssertionError.class, () -> claims.accept(OutcomeProofsTest.place()));
      System.out.println(bug + ": " + caught.getMessage());
    }
  }

  @Test
  void withoutABugNothingIsCaught(@TempDir Path classes) throws Exception {
    try (EditedClasses edited = edited(classes)) {
      claims(edited).accept(OutcomeProofsTest.place());
    }
  }

  private static EditedClasses edited(Path classes) throws IOException {
    return new EditedClasses(
        name -> name.startsWith("io.retso.hbase.") && !name.equals(Place.class.getName()),
        List.of(
            classes.toUri().toURL(),
            placeOf(OracleSettings.class),
            placeOf(OutcomeProofsTest.class)));
  }
}
