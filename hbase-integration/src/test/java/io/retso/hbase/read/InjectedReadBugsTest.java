package io.retso.hbase.read;

import static io.retso.edited.EditedClasses.placeOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.table.GranulesTest;
import io.retso.hbase.write.ProtectedReadsTest;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
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
  private static final Path SOURCES = Path.of("src/main/java/io/retso/hbase");
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
        "high.length > sizes[size] || high[high.length - 1] == 0",
        "high.length > sizes[size]",
        GranulesTest.class,
        "aRowThatTheEndOfTheRangeBeginsWithHasTheLastGranule"),
    SHORT_KEYS_ARE_LEFT_OUT_AT_THE_END(
        "table/Cover.java",
        "last(size - 1), withLast(size - 1)), true);",
        "last(size - 1), withLast(size - 1)), false);",
        GranulesTest.class,
        "whoWritesIntoARangeNamesAGranuleOfIt"),
    SHORT_KEYS_ARE_LEFT_OUT_AT_THE_BEGINNING(
        "table/Cover.java",
        "prefix.length > 0 && low.length <= prefix.length;",
        "false;",
        GranulesTest.class,
        "whoWritesIntoARangeNamesAGranuleOfIt"),
    WHO_WROTE_NOTHING_REPORTS_NO_READS(
        "transaction/Lifecycle.java",
        " && !tx.reads().hasReads()",
        "",
        SerializableReadersTest.class,
        "whatWroteNothingIsCertifiedAsAReader"),
    SERIALIZABLE_READERS_ASK_NOBODY(
        "transaction/HBaseTransactionManager.java",
        "!isSerializable(options)\n",
        "true\n",
        ReadOnlyAnomalyTest.class,
        "aReaderWhoFindsEverythingUnchanged"),
    SNAPSHOT_WRITERS_NAME_NO_GRANULES(
        "write/WriteBuffer.java",
        "!isSerializable && !writes.table.hasGranulesOfAll()",
        "!isSerializable",
        MixedIsolationTest.class,
        "whatWasScannedIsNoticedWithGranules"),
    VALIDATED_READS_ARE_NOT_REPORTED(
        "commit/CommitRequests.java",
        ".withValidated(writes.validated())",
        "",
        ProtectedReadsTest.class,
        "whoValidatesIsInNobodysWay"),
    LOCKED_READS_DO_NOT_COUNT_AS_WRITTEN(
        "transaction/TableReads.java",
        "add(table, List.of(), table.conflictIds(get))",
        "add(table, List.of())",
        ProtectedReadsTest.class,
        "twoLocksConflictThoughNothingIsWritten");

    private final SourceEdit edit;
    private final SourceEdit none;
    private final Class<?> test;
    private final String method;

    Bug(String file, String text, String instead, Class<?> test, String method) {
      this.edit = new SourceEdit(SOURCES.resolve(file), text, instead);
      this.none = new SourceEdit(SOURCES.resolve(file), text, text);
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
    edit.compile(classes);
    try (EditedClasses loader =
            new EditedClasses(
                InjectedReadBugsTest::isOfTheClient,
                List.of(
                    classes.toUri().toURL(),
                    placeOf(TransactionManager.class),
                    placeOf(Fixture.class)));
        AutoCloseable fixture = fixture(loader, cluster)) {
      return run(Class.forName(bug.test.getName(), true, loader), bug.method, fixture);
    }
  }

  /** The cluster is that of this process, and so are its regions. */
  private static boolean isOfTheClient(String name) {
    return name.startsWith("io.retso.hbase.")
        && !name.startsWith("io.retso.hbase.RetsoCluster")
        && !name.startsWith("io.retso.hbase.coprocessor.")
        && !name.startsWith("io.retso.hbase.embedded.");
  }

  private static AutoCloseable fixture(EditedClasses loader, RetsoCluster cluster)
      throws ReflectiveOperationException {
    return (AutoCloseable)
        Class.forName(Fixture.class.getName(), true, loader)
            .getConstructor(RetsoCluster.class)
            .newInstance(cluster);
  }

  /** How the test failed; null if it passed. One with a parameter gets client reads. */
  private static AssertionError run(Class<?> test, String name, Object fixture) throws Exception {
    Constructor<?> constructor = test.getDeclaredConstructor();
    constructor.setAccessible(true);
    Object instance = constructor.newInstance();
    for (Method method : test.getDeclaredMethods()) {
      if (method.isAnnotationPresent(BeforeEach.class)) {
        method.setAccessible(true);
        method.invoke(instance, fixture);
      }
    }
    Method method =
        Arrays.stream(test.getDeclaredMethods())
            .filter(each -> each.getName().equals(name))
            .findFirst()
            .orElseThrow();
    method.setAccessible(true);
    try {
      if (method.getParameterCount() == 0) {
        method.invoke(instance);
      } else {
        Field modes = test.getDeclaredField("MODES");
        modes.setAccessible(true);
        method.invoke(instance, ((List<?>) modes.get(null)).get(1));
      }
      return null;
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof AssertionError caught) {
        return caught;
      }
      throw e;
    }
  }
}
