package io.retso.hbase.read;

import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.options.Isolation.SERIALIZABLE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.hbase.Fixture;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.RetryPolicy;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.TransactionOptions;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.GaveUpException;
import io.retso.hbase.errors.SerializationException;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.options.ReadSnapshot;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Transactions that only read, beside two that write: the withdrawal reads both accounts and takes
 * from x, the deposit reads and raises y. The withdrawal comes before the deposit then; a reader
 * that sees the deposit and not the withdrawal proves the opposite.
 */
@ExtendWith(RetsoCluster.Extension.class)
class SerializableReadersTest {
  private static final TransactionOptions OPTIONS =
      TransactionOptions.DEFAULT.withIsolation(SERIALIZABLE).withRetryPolicy(RetryPolicy.NEVER);
  private static final TransactionOptions LATEST = OPTIONS.withReadSnapshot(ReadSnapshot.LATEST);

  private Fixture fixture;
  private TransactionManager manager;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    manager = fixture.manager();
    name = fixture.table(Options.DEFAULT);
    manager.run(
        tx -> {
          tx.table(name).put(List.of(put("x", "0"), put("y", "0")));
          return null;
        });
  }

  private Transaction withdrawal() throws Exception {
    Transaction tx = manager.begin(OPTIONS);
    assertEquals("0 0", accounts(tx));
    tx.table(name).put(put("x", "-11"));
    return tx;
  }

  private void deposit() throws Exception {
    manager.run(
        OPTIONS,
        tx -> {
          assertEquals("0", read(tx.table(name), "y"));
          tx.table(name).put(put("y", "20"));
          return null;
        });
  }

  private String accounts(ReadTransaction tx) throws IOException {
    return read(tx.table(name), "x") + " " + read(tx.table(name), "y");
  }

  @Test
  void withoutAReaderBothCommit() throws Exception {
    Transaction withdrawal = withdrawal();
    deposit();
    assertTrue(withdrawal.commit().isPresent());
  }

  @Test
  void aReaderOfSnapshotIsolationSeesWhatNoOrderExplains() throws Exception {
    Transaction withdrawal = withdrawal();
    deposit();
    assertEquals("0 20", manager.read(this::accounts));
    withdrawal.commit();
  }

  @ParameterizedTest
  @EnumSource(names = {"RECENT", "DEFERRED"})
  void readersOnASafeSnapshotAreNeverRefused(ReadSnapshot kind) throws Exception {
    Transaction withdrawal = withdrawal();
    deposit();
    TransactionOptions options = OPTIONS.withReadSnapshot(kind);
    try (ReadTransaction early = manager.beginReadOnly(options)) {
      if (kind == ReadSnapshot.RECENT) {
        Fixture.eventually(
            "a safe snapshot has the deposit",
            () -> manager.read(options, this::accounts).equals("0 20"));
      }
      assertEquals("0 20", accounts(early));
      assertEquals(
          SerializationException.Reason.PIVOT,
          assertThrows(SerializationException.class, withdrawal::commit).reason());
      assertEquals("0 20", accounts(early));
    }
    assertEquals(1, Inside.counters(manager).pivots.sum());
  }

  @Test
  void whoReadsTheLatestRefusesTheWriterThatCommitsLater() throws Exception {
    Transaction withdrawal = withdrawal();
    deposit();
    assertEquals("0 20", manager.read(LATEST, this::accounts));
    assertThrows(SerializationException.class, withdrawal::commit);
  }

  @Test
  void whoReadsTheLatestIsRefusedIfTheWriterCommitsFirst() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    List<String> seen = new ArrayList<>();
    Transaction withdrawal = withdrawal();
    deposit();
    String last =
        manager.read(
            LATEST.withRetryPolicy(RetryPolicy.DEFAULT),
            tx -> {
              seen.add(accounts(tx));
              if (attempts.incrementAndGet() == 1) {
                withdrawal.commit();
              }
              return seen.get(seen.size() - 1);
            });
    assertEquals("-11 20", last);
    assertEquals(List.of("0 20", "-11 20"), seen);
    assertEquals(1, Inside.counters(manager).readOnlyRefusals.sum());
  }

  @Test
  void soIsWhoReadsItWithoutWaiting() throws Exception {
    Transaction withdrawal = withdrawal();
    deposit();
    CompletableFuture<List<Result>> read =
        manager.readAsync(
            LATEST,
            tx ->
                tx.asyncTable(name)
                    .thenCompose(table -> table.scanAll(new Scan()))
                    .thenCompose(rows -> withdrawal.commitAsync().thenApply(commit -> rows)));
    Throwable failure =
        assertThrows(ExecutionException.class, () -> read.get(60, TimeUnit.SECONDS)).getCause();
    GaveUpException gaveUp = assertInstanceOf(GaveUpException.class, failure);
    assertEquals(TransactionException.Category.SERIALIZATION, gaveUp.category());
    assertEquals(
        SerializationException.Reason.READ_ONLY,
        assertInstanceOf(SerializationException.class, gaveUp.getCause()).reason());
  }

  @Test
  void whatWroteNothingIsCertifiedAsAReader() throws Exception {
    Transaction withdrawal = withdrawal();
    deposit();
    Transaction reader = manager.begin(OPTIONS);
    assertEquals("0 20", accounts(reader));
    withdrawal.commit();
    assertEquals(
        SerializationException.Reason.READ_ONLY,
        assertThrows(SerializationException.class, reader::commit).reason());
    assertEquals(Transaction.State.ROLLED_BACK, reader.state());
    Transaction next = manager.begin(OPTIONS);
    assertEquals("-11 20", accounts(next));
    assertEquals(OptionalLong.empty(), next.commit());
    assertEquals(Transaction.State.COMMITTED, next.state());
  }

  @Test
  void deferredReadersSeeAllThatWasCommitted() throws Exception {
    TransactionOptions deferred = OPTIONS.withReadSnapshot(ReadSnapshot.DEFERRED);
    TableName clientReads = fixture.table(Options.CLIENT_READS);
    for (int i = 1; i <= 20; i++) {
      String value = String.valueOf(i);
      manager.run(
          OPTIONS,
          tx -> {
            tx.table(clientReads).put(put("x", value));
            return null;
          });
      assertEquals(value, manager.read(deferred, tx -> read(tx.table(clientReads), "x")));
    }
  }

  @Test
  void safeSnapshotsAreSharedAndNobodyIsAskedAtTheEnd() throws Exception {
    OracleClient oracle = Inside.oracle(manager);
    long before = oracle.timestamp();
    long one;
    long other;
    try (ReadTransaction tx = manager.beginReadOnly(OPTIONS)) {
      one = tx.readTimestamp();
      assertEquals(one, tx.readTimestamp());
      assertNull(read(tx.table(name), "missing"));
      other = oracle.safeSnapshot();
    }
    assertTrue(one > before - 16 * 1_000_000 && other >= one, one + " " + other);
    assertEquals(0, Inside.counters(manager).currentReads.sum(), "none was unpinned");
  }

  @Test
  void latestIsForThoseWhoCanBeRefused() {
    assertThrows(IllegalArgumentException.class, () -> manager.beginReadOnly(LATEST));
    manager.beginReadOnly(TransactionOptions.DEFAULT.withReadSnapshot(ReadSnapshot.LATEST)).close();
  }

  @Test
  void theManagerHasADefault() throws Exception {
    TransactionManager strict = fixture.opened(fixture.builder().isolation(SERIALIZABLE).build());
    Transaction withdrawal = strict.begin();
    assertEquals("0 0", accounts(withdrawal));
    withdrawal.table(name).put(put("x", "1"));
    Transaction other = strict.begin();
    assertEquals("0 0", accounts(other));
    other.table(name).put(put("y", "1"));
    withdrawal.commit();
    assertThrows(SerializationException.class, other::commit);
  }
}
