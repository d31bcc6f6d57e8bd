package io.retso.hbase.coprocessor;

import static io.retso.hbase.coprocessor.AdoptingTable.ROW;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.coprocessor.FailingLog.At;
import io.retso.hbase.layout.Outcome;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.util.JVMClusterUtil.RegionServerThread;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A log that fails once: HBase's client tries again by itself, and then the server dies. What is
 * replayed must have been logged with its mark.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(240)
class FailingLogTest {
  private AdoptingTable t;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new AdoptingTable(cluster, table -> {});
  }

  @AfterEach
  void drop() throws Exception {
    t.close();
  }

  private void writeTwiceAndCrash(At at) throws Exception {
    FailingLog log = FailingLog.of(t.region(), ROW, at);
    long start = t.oracle.begin();
    t.write(start, ROW, "a", "1");
    assertTrue(log.hasFailed());
    assertEquals(Map.of(), t.read());
    t.crash();
    assertEquals(Map.of(), t.read(), "it is open");
    t.oracle.abort(start);
    assertEquals(Map.of(), t.read(), "it is aborted");
  }

  @Test
  void aWriteThatIsTriedAgainHasItsMark() throws Exception {
    writeTwiceAndCrash(At.APPEND);
  }

  @Test
  void aWriteThatIsForcedToDiskAgainHasItsMark() throws Exception {
    writeTwiceAndCrash(At.SYNC);
  }

  /** HBase's default, which keeps what was not forced to disk, and appends it to the next log. */
  @Test
  void aWriteToHBasesDefaultLogHasItsMark() throws Exception {
    RegionServerThread server =
        t.cluster.hbase().startRegionServer(Map.of("hbase.wal.provider", "asyncfs"));
    try (Admin admin = t.cluster.connection().getAdmin()) {
      admin.move(
          t.region().getRegionInfo().getEncodedNameAsBytes(),
          server.getRegionServer().getServerName());
    }
    t.writeWithCell("second");
    writeTwiceAndCrash(At.SYNC);
  }

  @ParameterizedTest
  @EnumSource
  void anAdoptionThatIsTriedAgainIsReplayed(At at) throws Exception {
    long start = t.writeWithoutCell(ROW);
    long committed = t.commit(start, ROW);
    FailingLog log = FailingLog.of(t.region(), "\0", at);
    boolean isAdopted = t.adopt(start, committed, 1);
    assertTrue(log.hasFailed());
    if (!isAdopted) { // the server has stopped, and the mark is a cell now
      t.cleanUp(start, committed, ROW);
    }
    t.forget(start);
    t.crash();
    assertEquals(Map.of("a", "1"), t.read());
  }

  @Test
  void aCleanupThatIsTriedAgainRemovesTheMark() throws Exception {
    long start = t.writeWithoutCell(ROW);
    t.oracle.abort(start);
    FailingLog log = FailingLog.of(t.region(), ROW, At.APPEND);
    t.cleanUp(start, Outcome.ABORTED, ROW);
    assertTrue(log.hasFailed());
    t.crash();
    assertEquals(Map.of(), t.read());
    assertEquals(List.of("first"), t.rowsWithMarks());
  }
}
