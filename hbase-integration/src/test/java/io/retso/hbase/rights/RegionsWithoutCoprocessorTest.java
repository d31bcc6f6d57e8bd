package io.retso.hbase.rights;

import static io.retso.hbase.Fixture.bytes;
import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.get;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.scan;
import static io.retso.hbase.Fixture.withCleanupTimeout;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.ManagerBuilder;
import io.retso.hbase.ReadTransaction;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.cleanup.RowCleanup;
import io.retso.hbase.errors.TableNotPreparedException;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.DescriptorQuery;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.resolve.SnapshotRequests;
import io.retso.hbase.table.PreparedTable;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.PrefixFilter;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server loads no coprocessors of tables any more, while managers are at work: nobody is shown
 * what is not committed, and no commit is forgotten. HBase checks rights, by a coprocessor of its
 * own, which runs.
 */
@Timeout(180)
class RegionsWithoutCoprocessorTest extends ClusterWithRights {
  private static final String LOADING = "hbase.coprocessor.user.enabled";

  private final TableName name = freshName("t");

  /** Its region is opened anew, with our coprocessor or without. */
  private void reopen(boolean withCoprocessor) throws Exception {
    Configuration configuration = hbase.cluster().getRegionServer(0).getConfiguration();
    admin.disableTable(name);
    configuration.setBoolean(LOADING, withCoprocessor);
    admin.enableTable(name);
    configuration.setBoolean(LOADING, true);
  }

  /** Gives up soon: HBase's client repeats what has failed. */
  private static Configuration impatient() {
    Configuration configuration = hbase.configuration();
    configuration.setInt(HConstants.HBASE_CLIENT_RETRIES_NUMBER, 1);
    return configuration;
  }

  private static AsyncConnection connect(Configuration configuration, User user) throws Exception {
    return ConnectionFactory.createAsyncConnection(configuration, user).get();
  }

  private ManagerBuilder managerOf(AsyncConnection connection) {
    return TransactionManager.builder(connection).oracle(oracle).sweepInterval(Duration.ZERO);
  }

  /** Row a is committed and not cleaned up, b is open; c was cleaned up. */
  private long fill(TransactionManager living, TransactionManager dying) throws Exception {
    living.run(
        tx -> {
          tx.table(name).put(put("c", "1"));
          return null;
        });
    eventually("cleaned up", () -> Inside.counters(living).cleanedUp.sum() == 1);
    Transaction committed = dying.begin();
    committed.table(name).put(put("a", "1"));
    committed.commit();
    Transaction open = dying.begin();
    open.table(name).put(put("b", "2"));
    Inside.writes(open).sendAll().get(30, TimeUnit.SECONDS);
    return committed.startTimestamp();
  }

  /** HBase may deny the whole row to a user that has not all families. */
  private static void assertRefused(Executable read) {
    Exception e = assertThrows(Exception.class, read);
    Throwable cause = e instanceof UncheckedIOException ? e.getCause() : e;
    if (!(cause instanceof AccessDeniedException)) {
      assertTrue(cause instanceof TableNotPreparedException, e::toString);
      assertTrue(cause.getMessage().contains(LOADING), e::toString);
    }
  }

  /** By a user that may do all, and by one that has its rights family by family. */
  @ParameterizedTest
  @ValueSource(strings = {"root", "bob"})
  void readsAreRefused(String reader) throws Exception {
    create(name, Options.DEFAULT);
    for (byte[] family : List.of(Fixture.F, PendingWrite.family())) {
      grantFamily("bob", name, family, Action.READ, Action.WRITE);
    }
    Configuration configuration = impatient();
    User user =
        reader.equals("root")
            ? User.getCurrent()
            : User.createUserForTesting(configuration, reader, new String[0]);
    try (AsyncConnection connection = connect(configuration, user);
        TransactionManager manager = managerOf(connection).build();
        TransactionManager dying = Fixture.dying(managerOf(connection)).build()) {
      fill(manager, dying);
      assertEquals("1", manager.run(tx -> read(tx.table(name), "a")));
      reopen(false);
      for (Get get :
          List.of(
              get("a"),
              get("none"),
              get("b").addFamily(Fixture.F),
              get("b").addColumn(Fixture.F, Fixture.Q),
              get("b").setFilter(new PrefixFilter(bytes("b"))),
              get("b").setCheckExistenceOnly(true))) {
        assertRefused(() -> manager.run(tx -> tx.table(name).get(get)));
        assertRefused(() -> manager.run(tx -> tx.table(name).get(List.of(get, get("c")))));
        assertRefused(() -> manager.run(tx -> tx.table(name).exists(get)));
        try (ReadTransaction tx = manager.beginReadOnly()) { // asks whether it is current
          assertRefused(() -> tx.table(name).get(get));
        }
      }
      for (Scan scan :
          List.of(
              new Scan(),
              new Scan().addFamily(Fixture.F).setLimit(1),
              new Scan().setReversed(true).setFilter(new PrefixFilter(bytes("b"))),
              new Scan().withStartRow(bytes("x")))) {
        assertRefused(() -> manager.run(tx -> scan(tx.table(name), scan)));
      }
      Transaction last = manager.begin();
      Get first =
          SnapshotRequests.firstChange(get("a").addFamily(Fixture.F), 1, 16, last.startTimestamp());
      assertThrows(ExecutionException.class, () -> connection.getTable(name).get(first).get());
      last.rollback();
      assertNull(
          DescriptorQuery.parse(connection.getTable(name).get(DescriptorQuery.query()).get()));
      reopen(true);
      assertEquals("1", manager.run(tx -> read(tx.table(name), "a")));
      assertNull(manager.run(tx -> read(tx.table(name), "b")));
    }
  }

  /**
   * The oracle would forget the commit, and a reader that comes across its mark would remove its
   * cells.
   */
  @Test
  void cleanupsAreNotTakenForDone() throws Exception {
    create(name, Options.DEFAULT);
    try (AsyncConnection connection = connect(hbase.configuration(), User.getCurrent());
        TransactionManager manager =
            withCleanupTimeout(managerOf(connection), Duration.ofSeconds(1)).build();
        TransactionManager dying = Fixture.dying(managerOf(connection)).build()) {
      long start = fill(manager, dying);
      long cleaned = Inside.counters(manager).cleanedUp.sum();
      reopen(false);
      PreparedTable table = Inside.tables(manager).find(name).get(30, TimeUnit.SECONDS);
      List<CleanupRequest> requests = new ArrayList<>();
      for (String row : List.of("a", "none")) {
        requests.add(new CleanupRequest(bytes(row), start, Outcome.ABORTED));
      }
      for (var sent : RowCleanup.send(table, requests)) {
        Exception e = assertThrows(ExecutionException.class, () -> sent.get(30, TimeUnit.SECONDS));
        assertTrue(e.getCause() instanceof TableNotPreparedException, e::toString);
      }
      manager.run(
          tx -> {
            tx.table(name).put(put("d", "1"));
            return null;
          }); // that writes are taken does no harm
      eventually("given up", () -> Inside.counters(manager).cleanupsFailed.sum() == 1);
      assertEquals(cleaned, Inside.counters(manager).cleanedUp.sum());
      SweepResult swept = manager.sweep();
      assertFalse(swept.reported(), swept::toString);
      assertTrue(swept.reason().contains(LOADING), swept::toString);
      reopen(true);
      assertEquals("a=1 c=1 d=1", manager.run(tx -> all(tx.table(name))));
      assertTrue(manager.sweep().reported());
      assertEquals("a=1 c=1 d=1", manager.run(tx -> all(tx.table(name))));
    }
  }

  private static String all(Table table) throws IOException {
    return scan(table, new Scan());
  }
}
