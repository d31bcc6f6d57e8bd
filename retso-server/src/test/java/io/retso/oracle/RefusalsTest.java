package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.retso.client.OracleClient;
import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import io.retso.protocol.Outcome;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What is said of refused commits, and known bugs of it, each of which random requests must show.
 */
class RefusalsTest {
  private static final int EXPLANATIONS = 150_000;
  private static final int SEEDS = 40;

  /** A wrong explanation, and how it comes about. */
  enum Bug {
    THE_NEXT_ROW_IS_NAMED("CommitDecision", "k - batch.from(i), met", "k - batch.from(i) + 1, met"),
    ROWS_COUNT_FROM_THE_BATCH("CommitDecision", "k - batch.from(i), met", "k, met"),
    THE_COMMIT_IS_ONE_TOO_LOW("CommitDecision", "sequence + after <<", "sequence + after - 1 <<"),
    ROWS_THAT_WERE_NOT_CHANGED_ARE_NAMED("CommitDecision", "if (after > 0 &&", "if (after > -9 &&"),
    FORGOTTEN_ROWS_ARE_NAMED_FOR_KNOWN_ONES(
        "CommitDecision",
        "CommittedMap.isPresent(place) == certainly",
        "(CommittedMap.isPresent(place) || certainly)"),
    THE_FIRST_PIECE_IS_SEARCHED(
        "CommitDecision", "refusedEnd = end;", "refusedEnd = Math.min(end, from + PIECE);"),
    WHAT_AN_EARLIER_BATCH_SAID_STAYS("StatusOracle", "batch.refusals.clear(i);", ""),
    ANOTHER_REQUEST_IS_EXPLAINED(
        "Refusals", "offending[i] = offendingId", "offending[0] = offendingId"),
    THE_COMMIT_OF_ANOTHER_REQUEST("Refusals", "met[i] = commit", "met[i + 1 & 31] = commit"),
    READS_COUNT_FROM_THE_BATCH("Certifier", "offending - batch.from(i), met", "offending, met"),
    THE_NEXT_READ_IS_NAMED("Certifier", "offending = k;", "offending = k + 1;"),
    THE_GRANULES_COMMIT_BEFORE(
        "Certifier", "writes.newest(writes.find(batch", "writes.previous(writes.find(batch"),
    WHAT_NOBODY_READ_IS_NAMED(
        "Certifier", "long highest = Math.max(start, safeSnapshot);", "long highest = -1;"),
    READ_ROWS_ARE_NAMED_AS_WRITTEN(
        "Certifier", "if (isRow || k >= batch.rangeReadsEnd(i)) {", "if (true) {"),
    WHAT_WAS_READ_COUNTS_FROM_THE_BATCH("Certifier", "? k - batch.from(i) : found", "? k : found");

    private final String type;
    private final String text;
    private final String instead;

    Bug(String type, String text, String instead) {
      this.type = type;
      this.text = text;
      this.instead = instead;
    }
  }

  @Test
  void eachRefusalNamesWhatItMet() {
    RandomRefusals random = new RandomRefusals();
    long explained = 0;
    for (long seed = 0; explained < EXPLANATIONS; seed++) {
      try {
        explained += random.applyAsLong(seed);
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
    }
    // A test that never meets the rarer ones proves nothing of them.
    for (long outcome :
        List.of(
            Outcome.ABORTED_CONFLICT,
            Outcome.ABORTED_TOO_OLD,
            Outcome.ABORTED_PIVOT,
            Outcome.ABORTED_READ_ONLY,
            Outcome.ABORTED_UNKNOWN_SUCCESSOR)) {
      assertTrue(
          random.counts().getOrDefault(outcome, 0) > 300,
          () -> Outcome.nameOf(outcome) + ": " + random.counts());
    }
  }

  @ParameterizedTest
  @EnumSource
  void bugsAreCaught(Bug bug, @TempDir Path directory) throws Exception {
    Path file = Path.of("src/main/java/io/retso/oracle", bug.type + ".java");
    new SourceEdit(file, bug.text, bug.instead).compile(directory);
    try (EditedClasses edited =
        EditedClasses.of(directory, RandomRefusals.class, StatusOracle.class, OracleClient.class)) {
      LongUnaryOperator random = edited.make(RandomRefusals.class, LongUnaryOperator.class);
      for (long seed = 0; seed < SEEDS; seed++) {
        try {
          random.applyAsLong(seed);
        } catch (AssertionError | IndexOutOfBoundsException caught) {
          return;
        }
      }
    }
    fail(bug + " stays hidden with " + SEEDS + " seeds");
  }
}
