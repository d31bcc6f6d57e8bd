package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Regions that are merged and not yet compacted: they read halves of the files of those before
 * them. HBase counts the cells of a half as half of those of the file, rounded down.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class MergeTest {
  private RawTable t;
  private Admin admin;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new RawTable(cluster, Bytes.toBytes("m"));
    admin = cluster.connection().getAdmin();
    admin.compactionSwitch(false, List.of()); // they are slow to come
  }

  @AfterEach
  void drop() throws Exception {
    admin.compactionSwitch(true, List.of());
    admin.close();
    t.close();
  }

  private void merge() throws Exception {
    byte[][] all =
        admin.getRegions(t.name).stream()
            .map(RegionInfo::getEncodedNameAsBytes)
            .toArray(byte[][]::new);
    admin.mergeRegionsAsync(all, false).get(60, TimeUnit.SECONDS);
    assertHalves();
  }

  private void assertHalves() {
    assertEquals(1, t.regions().size());
    assertTrue(
        t.regions().stream()
            .flatMap(region -> region.getStores().stream())
            .flatMap(store -> store.getStorefiles().stream())
            .allMatch(file -> file.isReference() && file.getReader().getEntries() == 0),
        "all files are halves that seem to be empty");
  }

  @Test
  void whatAnAbortedTransactionWroteBeforeAMergeStaysAway() throws Exception {
    long aborted = t.oracle.begin();
    t.write(aborted, "c", "a", "never");
    Put other = PendingWrite.mark(new Put(Bytes.toBytes("x")), aborted);
    t.table.put(other.addColumn(RawTable.G, Bytes.toBytes("a"), aborted, Bytes.toBytes("never")));
    t.flush();
    merge();
    t.oracle.abort(aborted);
    t.cleanUp(aborted, Outcome.ABORTED, "c");
    t.cleanUp(aborted, Outcome.ABORTED, "x");
    assertEquals(List.of(), t.cells("c"));
    t.flush();
    assertEquals(List.of(), t.cells("c"), "the delete left, what it deletes did not");
    assertEquals(List.of(), t.cells("x"));
    assertEquals(Map.of(), t.read(t.oracle.begin(), "c"));
    t.compact();
    assertEquals(List.of(), t.raw("c"));
  }

  @Test
  void aPlainDeleteBeforeAMergeHidesWhatIsWrittenAfterIt() throws Exception {
    RawTable other = t;
    t = RawTable.adopting(other.cluster, Bytes.toBytes("m"));
    other.close();
    long earlier = t.oracle.begin();
    long start = t.oracle.begin();
    byte[] row = Bytes.toBytes("c");
    t.table.put(PendingWrite.mark(new Put(Bytes.toBytes("x")), t.oracle.begin()));
    t.table.delete(new Delete(row).addColumns(RawTable.F, Bytes.toBytes("a"), start));
    t.flush();
    merge();
    t.write(earlier, "first", "a", "1"); // its mark is a cell
    t.write(start, "c", "a", "1");
    long committed = t.commit(start, "c");
    assertFalse(t.adopt(start, committed, 1));
    t.cleanUp(start, committed, "c");
    assertEquals(Map.of(), t.read(t.snapshot(), "c"));
  }
}
