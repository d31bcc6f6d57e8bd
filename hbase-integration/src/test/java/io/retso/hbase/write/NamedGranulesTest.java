package io.retso.hbase.write;

import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.put;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.retso.client.RowId;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Isolation;
import io.retso.hbase.table.Granules;
import io.retso.hbase.transaction.Inside;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Which granules writers name. */
@ExtendWith(RetsoCluster.Extension.class)
class NamedGranulesTest {
  private static final long ROOM = 1000;

  private static long[] sorted(LongStream ids) {
    return ids.sorted().toArray();
  }

  private static long[] named(WriteBuffer writes, boolean isSerializable, long room) {
    return sorted(LongStream.of(writes.granules(isSerializable, room)));
  }

  @Test
  void serializableWritersNameThemInAllTablesAndOthersWhereAllDo(Fixture fixture) throws Exception {
    TransactionManager manager = fixture.manager();
    TableName without = fixture.table(Options.DEFAULT);
    TableName with = fixture.table(Options.DEFAULT.withConflicts(Conflicts.CELL).withGranules("2"));
    try (Transaction tx = manager.begin()) {
      tx.table(without).put(List.of(put("a1", "x"), put("a2", "x")));
      tx.table(with).put(List.of(put("b11", "x"), put("b12", "x")));
      tx.table(with).getForUpdate(Fixture.get("c").addColumn(Fixture.F, Fixture.Q)); // not written
      WriteBuffer writes = Inside.writes(tx);
      assertEquals(0, writes.granules(true, ROOM).length, "nothing was sent");
      writes.sendAll().get(30, TimeUnit.SECONDS);
      byte[] one = without.getName();
      byte[] other = with.getName();
      long[] ofOther = {
        RowId.granule(other, 0, bytes("")),
        RowId.granule(other, 2, bytes("b1")), // of the finest size, so without short keys
        RowId.rowGranule(other, bytes("b11")),
        RowId.rowGranule(other, bytes("b12"))
      };
      assertArrayEquals(sorted(LongStream.of(ofOther)), named(writes, false, ROOM));
      LongStream ofOne =
          LongStream.of(
              RowId.granule(one, 0, bytes("")),
              RowId.groupGranule(one, 0, bytes("a")), // a digit is a group of its own
              RowId.granule(one, 1, bytes("a")),
              RowId.granule(one, 2, bytes("a1")),
              RowId.rowGranule(one, bytes("a1")),
              RowId.granule(one, 2, bytes("a2")),
              RowId.rowGranule(one, bytes("a2")));
      assertArrayEquals(
          sorted(LongStream.concat(LongStream.of(ofOther), ofOne)), named(writes, true, ROOM));
    }
  }

  /**
   * It may name 2,000 ids more than it may write rows. Serializable, it names what it has read,
   * too; the table's granules are those of writers of both isolations.
   */
  @Test
  void whoWritesAsManyRowsAsItMayNamesTheTable(Fixture fixture) throws Exception {
    TransactionManager manager = fixture.manager();
    TableName name = fixture.table(Options.DEFAULT.withGranules("2"));
    TransactionOptions serializable =
        TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE);
    try (Transaction tx = manager.begin(serializable)) {
      try (ResultScanner rows = tx.table(name).getScanner(new Scan())) {
        assertNull(rows.next());
      }
      List<Put> puts = new ArrayList<>();
      for (int i = 0; i < WriteLimits.DEFAULT.rowsMax(); i++) {
        puts.add(put("row" + i, "x"));
      }
      tx.table(name).put(puts);
      tx.commit();
    }
  }

  @Test
  void thoseOfManyNameTheTable(Fixture fixture) throws Exception {
    TransactionManager manager = fixture.manager();
    TableName name = fixture.table(Options.DEFAULT);
    try (Transaction tx = manager.begin()) {
      tx.table(name).put(List.of(put("a1", "x"), put("a2", "x")));
      WriteBuffer writes = Inside.writes(tx);
      writes.sendAll().get(30, TimeUnit.SECONDS);
      Granules granules = Inside.tables(manager).find(name).get(30, TimeUnit.SECONDS).granules();
      long[] table = sorted(LongStream.of(granules.whole(), granules.bulk()));
      assertEquals(7, named(writes, true, 7).length);
      assertArrayEquals(table, named(writes, true, 6));
      assertArrayEquals(table, named(writes, true, -1));
    }
  }
}
