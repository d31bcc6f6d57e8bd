package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.TableSettings;
import java.io.IOException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A user that may read the family of the marks reads it, again and again. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class PlainReadsOfMarksTest {
  private static AdoptingTable table(RetsoCluster cluster, String pauseMillis) throws Exception {
    return new AdoptingTable(
        cluster, table -> table.setValue("retso.marks.flush.pause", pauseMillis));
  }

  private static Get marksOf(String row) {
    return new Get(Bytes.toBytes(row)).addFamily(PendingWrite.family());
  }

  private static int files(HRegion region) {
    return region.getStore(PendingWrite.family()).getStorefilesCount();
  }

  @Test
  void thousandReadsMakeOneFile(RetsoCluster cluster) throws Exception {
    try (AdoptingTable t = table(cluster, "3600000")) {
      t.writeWithoutCell("b");
      HRegion region = t.region();
      assertEquals(1, region.get(marksOf("b")).size(), "a mark that was no cell");
      int before = files(region);
      t.writeWithCell("c");
      int refused = 0;
      for (int i = 0; i < 1_000; i++) {
        if (i % 100 == 0) {
          t.writeWithoutCell("d" + i);
        }
        try {
          assertEquals(1, region.get(marksOf("b")).size(), "nothing of this row is in memory");
          region.get(marksOf("d" + i / 100 * 100));
        } catch (RegionTooBusyException e) {
          assertTrue(e.getMessage().contains("retso.marks.flush.pause"), e.getMessage());
          refused++;
        }
      }
      assertEquals(1_000, refused);
      assertEquals(before, files(region));
    }
  }

  /** HBase's client repeats what was refused. */
  @Test
  void eachReaderIsServedInTheEnd(RetsoCluster cluster) throws Exception {
    try (AdoptingTable t = table(cluster, "300");
        Table plain = cluster.connection().getTable(t.name)) {
      for (int i = 0; i < 3; i++) {
        t.writeWithoutCell("b" + i);
        assertEquals(1, plain.get(marksOf("b" + i)).size());
        t.writeWithCell("a" + i); // the first one behind a flush
      }
    }
  }

  @Test
  void whatIsNoNumberIsRefused(RetsoCluster cluster) throws Exception {
    try (RawTable t =
        new RawTable(
            cluster,
            TableSettings.Cleanup.REGIONS,
            table -> table.setValue("retso.marks.flush.pause", "soon"))) {
      IOException e =
          assertThrows(IOException.class, () -> t.write(t.oracle.begin(), "a", "q", "1"));
      assertTrue(e.getMessage().contains("retso.marks.flush.pause"), e.getMessage());
    }
  }
}
