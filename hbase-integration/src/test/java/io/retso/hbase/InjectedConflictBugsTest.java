package io.retso.hbase;

import static org.junit.jupiter.api.Assertions.assertNotNull;

import io.retso.edited.SourceEdit;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Known bugs of what is said of refused transactions, each of which {@link ConflictsTest} shows.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class InjectedConflictBugsTest {
  private static final String BANK = "eachOfManyRefusalsNamesARowThatWasCommittedMeanwhile";
  private static final String PIVOTS = "pivotsNameWhatTheyReadAndWhatWasReadOfThem";

  /** A bug, and the test that shows it. */
  enum Bug {
    ANOTHER_ROW_IS_NAMED(
        "write/WriteBuffer.java", "table.conflictId(row, null, null) == id", "row != null", BANK),
    COLUMNS_HAVE_NO_NAMES(
        "write/WriteBuffer.java", "cells.forEach(cell -> name(table, cell));", "", BANK),
    READS_HAVE_NO_NAMES("read/ReadSet.java", "names.add(table, get, Use.READ);", "", PIVOTS),
    WHAT_OTHERS_READ_IS_LEFT_OUT(
        "commit/CommitProtocol.java",
        "conflict.read().flatMap(this::find)",
        "Optional.empty()",
        PIVOTS),
    SCANS_ARE_NAMED_BY_THEIR_TABLE(
        "read/ReadSet.java",
        "Place.range(table.name(), Use.SCANNED, low, high)",
        "whole(table)",
        "scansAreNamedByTheirRange");

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
        EditedClient.failure(bug.edit, classes, ConflictsTest.class, bug.method, cluster);
    assertNotNull(failure, "the test passes");
  }
}
