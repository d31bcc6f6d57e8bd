package io.retso.hbase.table;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

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
 * Bugs in what clients remember of tables, and in how they send to them: edits of the client's
 * sources, each of which is caught by the test beside it, run on the client with that edit.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(180)
class InjectedTableBugsTest {
  /** An edit, and who catches it. */
  enum Bug {
    SETTINGS_ARE_NOT_READ_AGAIN(
        "table/TableCatalog.java",
        "table != null && table.isOutdated()",
        "false",
        RecreatedTablesTest.class,
        "settingsThatAreChangedWhileItIsDisabledAreReadAgain"),
    A_REFUSED_WRITE_TEACHES_NOTHING(
        "write/WriteBuffer.java",
        "table.learnFrom(Futures.unwrap(failure));",
        "",
        RecreatedTablesTest.class,
        "settingsThatAreChangedWhileItIsDisabledAreReadAgain"),
    A_REFUSED_READ_TEACHES_NOTHING(
        "read/TableReader.java",
        "table.learnFrom(cause);",
        "",
        RecreatedTablesTest.class,
        "aReaderThatDecidesByItselfIsRefusedByRegionsThatDecide"),
    WHAT_OTHERS_FOUND_OUT_IS_IGNORED_AT_THE_COMMIT(
        "commit/CommitProtocol.java",
        "if (outdated != null) {",
        "if (false) {",
        RecreatedTablesTest.class,
        "aTransactionThatHasWrittenByOldSettingsDoesNotCommit"),
    ONE_TRANSACTION_GOES_BY_TWO_SETTINGS(
        "transaction/TransactionCore.java",
        "before == null || before == table.fingerprint()",
        "true",
        RecreatedTablesTest.class,
        "aTransactionGoesByTheSettingsThatItFound"),
    BATCHES_ARE_SENT_AS_A_WHOLE(
        "table/RowBatches.java",
        "Math.min(ROWS_MAX, refused)",
        "refused",
        RowBatchesTest.class,
        "lessIsSentIfTheClientSaysSo");

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

  @ParameterizedTest
  @EnumSource
  void isCaught(Bug bug, RetsoCluster cluster) throws Exception {
    assertNotNull(failure(bug, bug.edit, cluster), "the test passes");
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
