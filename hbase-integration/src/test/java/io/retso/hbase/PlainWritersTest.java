package io.retso.hbase;

import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.hbase.admin.TablePreparation.Options;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Table;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Transactions and writers that know nothing of them, with versions of "now", on an oracle that no
 * other asks: its timestamps keep up with the clock.
 */
@ExtendWith(RetsoCluster.Extension.class)
class PlainWritersTest {
  private Fixture fixture;
  private TransactionManager manager;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
  }

  /** On a quiet machine at once. */
  private void untilSnapshotsAreAboveNow() throws Exception {
    long now = System.currentTimeMillis();
    eventually(
        "the oracle has reached " + now,
        () -> {
          try (Transaction tx = manager.begin()) {
            return tx.startTimestamp() > now;
          }
        });
  }

  @ParameterizedTest
  @FieldSource("io.retso.hbase.Fixture#MODES")
  void plainDeletesDoNotSwallowWhatIsCommittedAfterThem(Options options) throws Exception {
    TableName name = fixture.table(options);
    manager.run(
        tx -> {
          tx.table(name).put(put("r", "before"));
          return null;
        });
    try (Table plain = fixture.cluster.connection().getTable(name)) {
      plain.delete(new Delete(bytes("r")));
    }
    untilSnapshotsAreAboveNow();
    manager.run(
        tx -> {
          tx.table(name).put(put("r", "after"));
          return null;
        });
    manager.run(
        tx -> {
          assertEquals("after", read(tx.table(name), "r"));
          return null;
        });
    manager.sweep();
    manager.run(
        tx -> {
          assertEquals("after", read(tx.table(name), "r"));
          return null;
        });
  }

  @ParameterizedTest
  @FieldSource("io.retso.hbase.Fixture#MODES")
  void plainPutsAreSeenBySnapshotsOfLater(Options options) throws Exception {
    TableName name = fixture.table(options);
    try (Table plain = fixture.cluster.connection().getTable(name)) {
      plain.put(put("r", "plain"));
    }
    untilSnapshotsAreAboveNow();
    manager.run(
        tx -> {
          assertEquals("plain", read(tx.table(name), "r"));
          return null;
        });
    manager.run(
        tx -> {
          tx.table(name).put(put("r", "transaction"));
          return null;
        });
    manager.run(
        tx -> {
          assertEquals("transaction", read(tx.table(name), "r"));
          return null;
        });
  }
}
