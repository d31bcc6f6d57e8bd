package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.RetsoCluster;
import java.io.IOException;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** A plain writer whose versions are far ahead. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class PlainVersionsTest {
  private static final byte[] Q = Bytes.toBytes("q");
  private static final byte[] OTHER = Bytes.toBytes("other");

  private static AdoptingTable table(RetsoCluster cluster) throws Exception {
    return new AdoptingTable(cluster, table -> table.setValue("retso.plain.ahead.max", "3600000"));
  }

  private static void assertRefused(org.junit.jupiter.api.function.Executable write) {
    IOException e = assertThrows(IOException.class, write);
    assertTrue(e.getMessage().contains("retso.plain.ahead.max"), e.getMessage());
  }

  @Test
  void aVersionOfTheFarFutureIsRefusedAndRegionsGoOnAdopting(RetsoCluster cluster)
      throws Exception {
    try (AdoptingTable t = table(cluster)) {
      long future = System.currentTimeMillis() + 7_200_000;
      assertRefused(() -> t.table.put(new Put(OTHER).addColumn(RawTable.F, Q, future, Q)));
      assertRefused(() -> t.table.delete(new Delete(OTHER).addColumns(RawTable.F, Q, future)));
      assertRefused(() -> t.table.delete(new Delete(OTHER, Long.MAX_VALUE - 1)));
      long start = t.writeWithoutCell(AdoptingTable.ROW);
      t.commitAndAdopt(start, AdoptingTable.ROW);
    }
  }

  @Test
  void versionsOfNowAndOfThePastAreTaken(RetsoCluster cluster) throws Exception {
    try (AdoptingTable t = table(cluster)) {
      long soon = System.currentTimeMillis() + 600_000;
      t.table.put(new Put(OTHER).addColumn(RawTable.F, Q, soon, Bytes.toBytes(1L)));
      t.table.put(new Put(OTHER).addColumn(RawTable.F, Q, 1, Q));
      t.table.delete(new Delete(OTHER));
      byte[] row = Bytes.toBytes("counter");
      t.table.increment(new Increment(row).addColumn(RawTable.F, Q, 1));
      assertEquals(
          2,
          Bytes.toLong(t.table.increment(new Increment(row).addColumn(RawTable.F, Q, 1)).value()));
    }
  }
}
