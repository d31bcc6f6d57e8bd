package io.retso.hbase.cleanup;

import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.scan;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.table.WrittenRows;
import io.retso.hbase.transaction.Inside;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.metrics.Counter;
import org.apache.hadoop.hbase.metrics.MetricRegistries;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Which rows a client says were written by one batch, and that their cleanup needs no read. */
@ExtendWith(RetsoCluster.Extension.class)
class CleanupNumbersTest {
  private Fixture fixture;
  private TransactionManager manager;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
    name = fixture.table(Options.DEFAULT);
  }

  private static long fromMemory() {
    return MetricRegistries.global().getMetricRegistries().stream()
        .flatMap(registry -> registry.get("cleanedFromMemory").stream())
        .mapToLong(metric -> ((Counter) metric).getCount())
        .sum();
  }

  @Test
  void rowsWrittenByOneBatchBearItsNumber() throws Exception {
    try (Transaction tx = manager.begin()) {
      TransactionalTable table = tx.table(name);
      table.put(List.of(put("a", "1"), put("b", "1")));
      assertEquals("1", read(table, "a")); // which sends them
      table.put(List.of(put("b", "2"), put("c", "2")));
      table.put(put("c", "3"));
      Inside.writes(tx).sendAll().get(30, TimeUnit.SECONDS);
      Map<String, Integer> numbers = new HashMap<>();
      for (WrittenRows rows : Inside.writes(tx).sentRows()) {
        for (int i = 0; i < rows.size(); i++) {
          numbers.put(Fixture.text(rows.key(i)), rows.onlyBatch(i));
        }
      }
      assertEquals(Map.of("a", 1, "b", 0, "c", 2), numbers);
    }
  }

  @Test
  void theirCleanupNeedsNoRead() throws Exception {
    for (int i = 0; i < 100; i++) { // a pause of the machine makes the region forget
      String value = "v" + i;
      long before = fromMemory();
      manager.run(
          tx -> {
            tx.table(name).put(List.of(put("a", value), put("b", value)));
            return null;
          });
      eventually("cleaned up", () -> fixture.marks(name) == 0);
      assertEquals("a=" + value + " b=" + value, manager.run(t -> scan(t.table(name), new Scan())));
      if (fromMemory() == before + 2) {
        return;
      }
    }
    throw new AssertionError("100 cleanups, and all were read");
  }

  @Test
  void rowsOfSeveralBatchesAreCleanedUpWhole() throws Exception {
    manager.run(
        tx -> {
          TransactionalTable table = tx.table(name);
          table.put(put("a", "1"));
          assertEquals("1", read(table, "a"));
          table.put(Fixture.put("a", "2").addColumn(Fixture.G, Fixture.Q, Fixture.Q));
          return null;
        });
    eventually("cleaned up", () -> fixture.marks(name) == 0);
    assertEquals(0, fixture.uncleaned(name));
    assertEquals("a=2", manager.run(t -> scan(t.table(name), new Scan())));
  }
}
