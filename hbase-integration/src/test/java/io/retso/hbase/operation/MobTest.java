package io.retso.hbase.operation;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.KeyOnlyFilter;
import org.apache.hadoop.hbase.filter.ValueFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Values that HBase stores apart from their cells. */
@ExtendWith(RetsoCluster.Extension.class)
class MobTest {
  private static final String LARGE = "v".repeat(1_000);

  /** HBase shows them the reference to a value that has been flushed; docs/differences.md. */
  @ParameterizedTest
  @FieldSource("io.retso.hbase.Fixture#MODES")
  void filtersAreShownValuesNotReferences(Options options, Fixture fixture) throws Exception {
    TableName name = fixture.cluster.freshName("mob");
    fixture
        .preparation()
        .create(
            TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(
                    ColumnFamilyDescriptorBuilder.newBuilder(F)
                        .setMobEnabled(true)
                        .setMobThreshold(100)
                        .build())
                .build(),
            options);
    TransactionManager manager = fixture.manager();
    manager.run(
        tx -> {
          tx.table(name).put(put("r", LARGE));
          return null;
        });
    Fixture.eventually("cleaned up", () -> fixture.marks(name) == 0);
    fixture.compact(name);
    Filter equal =
        new ValueFilter(CompareOperator.EQUAL, new BinaryComparator(Fixture.bytes(LARGE)));
    byte[] length = Bytes.toBytes(LARGE.length());
    try (Table plain = fixture.cluster.connection().getTable(name)) {
      assertTrue(plain.get(get("r").setFilter(equal)).isEmpty(), "HBase's own");
    }
    manager.read(
        tx -> {
          Table table = tx.table(name).asTable();
          assertEquals(LARGE, Fixture.read(table, "r"));
          assertEquals(LARGE, Fixture.text(table.get(get("r").setFilter(equal)).getValue(F, Q)));
          Get withLength = get("r").setFilter(new KeyOnlyFilter(true));
          Result result = table.get(withLength);
          assertArrayEquals(length, result.getValue(F, Q));
          return null;
        });
  }
}
