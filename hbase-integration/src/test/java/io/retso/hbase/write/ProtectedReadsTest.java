package io.retso.hbase.write;

import static io.retso.hbase.Fixture.F;
import static io.retso.hbase.Fixture.G;
import static io.retso.hbase.Fixture.Q;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.text;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.AsyncReadTable;
import io.retso.hbase.AsyncTransactionalTable;
import io.retso.hbase.Fixture;
import io.retso.hbase.ReadTable;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.TransactionalTable;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.errors.WriteSetTooLargeException;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Isolation;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What was read, or was not even read, is protected under snapshot isolation, too. */
@ExtendWith(RetsoCluster.Extension.class)
public class ProtectedReadsTest {
  static final List<Options> MODES =
      List.of(Options.DEFAULT, Options.DEFAULT.withConflicts(Conflicts.CELL));

  private static final TransactionOptions SERIALIZABLE =
      TransactionOptions.DEFAULT.withIsolation(Isolation.SERIALIZABLE);

  private Fixture fixture;
  private TransactionManager manager;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
  }

  private void table(Options options) throws Exception {
    name = fixture.table(options);
    manager.run(
        tx -> {
          tx.table(name).put(List.of(put("a", "old"), put("b", "old")));
          return null;
        });
  }

  private static Get column(String row) {
    return get(row).addColumn(F, Q);
  }

  private Transaction writes(String row) throws IOException {
    Transaction tx = manager.begin();
    tx.table(name).put(put(row, "new"));
    return tx;
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void whatIsReadForUpdateCountsAsWritten(Options options) throws Exception {
    table(options);
    Transaction first = writes("b");
    assertEquals("old", text(first.table(name).getForUpdate(column("a")).value()));
    Transaction second = writes("a");
    assertEquals("old", text(second.table(name).getForUpdate(column("b")).value()));
    first.commit();
    assertThrows(ConflictException.class, second::commit);
    Fixture.eventually("cleaned up", () -> fixture.marks(name) == 0);
    Transaction both = manager.begin();
    both.table(name).getForUpdate(column("a"));
    assertTrue(both.commit().isPresent(), "the oracle decided it");
    assertEquals(0, fixture.marks(name), "nothing is written to HBase");
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void twoReadsForUpdateConflictThoughNothingIsWritten(Options options) throws Exception {
    table(options);
    Transaction first = manager.begin();
    Transaction second = manager.begin();
    first.table(name).getForUpdate(column("a"));
    second.table(name).getForUpdate(column("a"));
    first.commit();
    assertThrows(ConflictException.class, second::commit);
    Transaction locked = manager.begin();
    locked.table(name).getForUpdate(column("a"));
    locked.rollback();
    Transaction later = writes("a");
    later.commit();
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void whatIsValidatedMustBeUnchanged(Options options) throws Exception {
    table(options);
    Transaction first = writes("b");
    AsyncTransactionalTable async = first.asyncTable(name).get(30, TimeUnit.SECONDS);
    assertEquals("old", text(async.getValidated(column("a")).get(30, TimeUnit.SECONDS).value()));
    Transaction second = writes("a");
    second.table(name).getValidated(column("b"));
    first.commit();
    assertThrows(ConflictException.class, second::commit);
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void whoValidatesIsInNobodysWay(Options options) throws Exception {
    table(options);
    Transaction first = writes("x");
    Transaction second = writes("y");
    Transaction writer = writes("a");
    first.table(name).getValidated(column("a"));
    second.table(name).getValidated(column("a"));
    first.commit();
    second.commit();
    writer.commit();
    Transaction none = manager.begin();
    none.table(name).getValidated(column("a"));
    assertEquals(OptionalLong.empty(), none.commit(), "it wrote nothing");
    Transaction late = manager.begin();
    late.table(name).getValidated(column("a"));
    writes("a").commit();
    assertThrows(ConflictException.class, late::commit, "though it wrote nothing");
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void whatASerializableTransactionValidatesWasRead(Options options) throws Exception {
    table(options);
    whatComesLaterIsBehind(TransactionalTable::getValidated);
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void whatASerializableTransactionAddsCountsAsRead(Options options) throws Exception {
    table(options);
    whatComesLaterIsBehind(TransactionalTable::addReadConflict);
  }

  /** A way to have a row unchanged at the commit. */
  private interface Protection {
    void of(TransactionalTable table, Get get) throws IOException;
  }

  /** A transaction that comes later, and writes what is protected, comes behind in the order. */
  private void whatComesLaterIsBehind(Protection protection) throws IOException {
    Transaction first = manager.begin(SERIALIZABLE);
    Transaction second = manager.begin(SERIALIZABLE);
    protection.of(first.table(name), column("a"));
    first.table(name).put(put("b", "new"));
    second.table(name).get(column("b"));
    second.table(name).put(put("a", "new"));
    first.commit();
    assertThrows(SerializationException.class, second::commit);
  }

  @ParameterizedTest
  @FieldSource("MODES")
  void conflictsNeedNoRead(Options options) throws Exception {
    table(options);
    Transaction first = writes("b");
    first.table(name).addWriteConflict(column("a"));
    Transaction second = manager.begin();
    second.asyncTable(name).get(30, TimeUnit.SECONDS).addWriteConflict(column("a")).get();
    Transaction third = writes("c");
    third.table(name).addReadConflict(column("b"));
    Transaction fourth = manager.begin();
    fourth.asyncTable(name).get(30, TimeUnit.SECONDS).addReadConflict(column("x")).get();
    first.commit();
    assertThrows(ConflictException.class, second::commit);
    assertThrows(ConflictException.class, third::commit);
    assertEquals(OptionalLong.empty(), fourth.commit(), "it wrote nothing");
  }

  /** Two transactions of a write skew; only what they protect makes them conflict. */
  @ParameterizedTest
  @FieldSource("MODES")
  void untrackedReadsAreCertifiedOnlyIfTheyAreAddedLater(Options options) throws Exception {
    table(options);
    for (boolean isAdded : new boolean[] {false, true}) {
      Transaction first = manager.begin(SERIALIZABLE);
      Transaction second = manager.begin(SERIALIZABLE);
      readUntracked(first, "a");
      readUntracked(second, "b");
      if (isAdded) {
        first.table(name).addReadConflict(column("a"));
        second.table(name).addReadConflict(column("b"));
      }
      first.table(name).put(put("b", "new"));
      second.table(name).put(put("a", "new"));
      first.commit();
      if (isAdded) {
        assertThrows(ConflictException.class, second::commit);
      } else {
        assertDoesNotThrow(second::commit);
      }
    }
  }

  private void readUntracked(Transaction tx, String row) throws Exception {
    tx.table(name).put(put("own" + row, "mine"));
    ReadTable table = tx.table(name).untracked();
    assertTrue(table.get(column(row)).size() == 1 && table.exists(column(row)));
    assertEquals("mine", text(table.get(column("own" + row)).value()), "own writes are seen");
    try (ResultScanner rows = table.getScanner(new Scan().withStartRow(Fixture.bytes(row)))) {
      assertTrue(rows.next() != null);
    }
    assertEquals(1, table.asTable().get(column(row)).size());
    AsyncReadTable async = tx.asyncTable(name).get(30, TimeUnit.SECONDS).untracked();
    assertEquals(2, async.getAll(List.of(column("a"), column("b"))).get().size());
    assertFalse(async.scanAll(new Scan()).get().isEmpty());
  }

  /** What an increment has read first counts in any case. */
  @Test
  void writesOfAnUntrackedTableAreWrites() throws Exception {
    table(Options.DEFAULT);
    Transaction first = manager.begin(SERIALIZABLE);
    Transaction second = manager.begin(SERIALIZABLE);
    Increment one = new Increment(Fixture.bytes("n")).addColumn(F, Q, 1);
    first.table(name).untracked().asTable().increment(one);
    second.table(name).untracked().asTable().increment(one);
    first.commit();
    assertThrows(ConflictException.class, second::commit);
  }

  @Test
  void conflictsByCellNeedNames() throws Exception {
    table(MODES.get(1));
    try (Transaction tx = manager.begin()) {
      TransactionalTable table = tx.table(name);
      for (Get unnamed :
          List.of(get("a"), get("a").addFamily(F), get("a").addColumn(F, Q).addFamily(G))) {
        IllegalArgumentException e =
            assertThrows(IllegalArgumentException.class, () -> table.getForUpdate(unnamed));
        assertTrue(e.getMessage().contains("name the columns"), e.getMessage());
        assertThrows(IllegalArgumentException.class, () -> table.getValidated(unnamed));
        assertThrows(IllegalArgumentException.class, () -> table.addWriteConflict(unnamed));
        assertThrows(IllegalArgumentException.class, () -> table.addReadConflict(unnamed));
      }
      table.getForUpdate(column("a"));
      Transaction beside = manager.begin();
      beside.table(name).put(new Put(Fixture.bytes("a")).addColumn(G, Q, Q));
      beside.commit();
      tx.commit();
    }
  }

  @Test
  void readersCannotProtectAnything() throws Exception {
    table(Options.DEFAULT);
    try (var tx = manager.beginReadOnly()) {
      TransactionalTable table = (TransactionalTable) tx.table(name);
      assertThrows(IllegalStateException.class, () -> table.getForUpdate(column("a")));
      assertThrows(IllegalStateException.class, () -> table.getValidated(column("a")));
    }
  }

  @Test
  void protectedRowsAreBounded() throws Exception {
    table(Options.DEFAULT);
    TransactionManager small = fixture.opened(fixture.builder().maxRows(3).build());
    try (Transaction tx = small.begin()) {
      tx.table(name).put(put("a", "new"));
      tx.table(name).getForUpdate(get("b"));
      tx.table(name).getValidated(get("c"));
      assertThrows(WriteSetTooLargeException.class, () -> tx.table(name).getValidated(get("d")));
      assertThrows(WriteSetTooLargeException.class, () -> tx.table(name).getForUpdate(get("d")));
      tx.commit();
    }
  }
}
