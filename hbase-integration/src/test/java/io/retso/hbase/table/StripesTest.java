package io.retso.hbase.table;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.scan;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.layout.RegionSettings;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.StripeStoreEngine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What is warned of is HBase's own: tables of stripes without any of ours. */
@ExtendWith(RetsoCluster.Extension.class)
class StripesTest {
  @Test
  void plainReversedScansOfStripesMissRows(Fixture fixture) throws Exception {
    TableName name = fixture.cluster.freshName("s");
    try (Admin admin = fixture.cluster.connection().getAdmin();
        Table table = fixture.cluster.connection().getTable(name)) {
      admin.createTable(
          Fixture.descriptor(name)
              .setValue(RegionSettings.STORE_ENGINE, StripeStoreEngine.class.getName())
              .setValue("hbase.store.stripe.initialStripeCount", "4")
              .setValue("hbase.store.stripe.compaction.flushToL0", "true")
              .setValue("hbase.hstore.blockingStoreFiles", "100")
              .build());
      for (char row = 'a'; row <= 'h'; row++) {
        table.put(new Put(bytes("" + row)).addColumn(F, Q, bytes("1")));
        for (HRegion region : fixture.regions(name)) {
          region.flush(true);
        }
      }
      for (HRegion region : fixture.regions(name)) {
        region.compact(true);
      }
      assertEquals("a=1 b=1 c=1 d=1 e=1 f=1 g=1 h=1", scan(table, new Scan()));
      Scan back = new Scan().setReversed(true).withStartRow(bytes("h"));
      assertNotEquals(
          "h=1 g=1 f=1 e=1 d=1 c=1 b=1 a=1",
          scan(table, back),
          "HBase reads all stripes now: nobody needs to be warned any more");
    }
  }
}
