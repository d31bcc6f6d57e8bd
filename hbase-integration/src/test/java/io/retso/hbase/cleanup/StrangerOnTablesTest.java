package io.retso.hbase.cleanup;

import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.TransactionHandle;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.TablePreparation.Options;
import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;

/** What a client that guesses start timestamps of others does to their tables: nothing. */
@ExtendWith(RetsoCluster.Extension.class)
class StrangerOnTablesTest {
  private Fixture fixture;
  private String oracle;
  private TransactionManager manager;
  private OracleClient stranger;
  private TableName name;

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    // An oracle of its own: what other tests leave open or uncleaned would hold the watermark.
    oracle = "127.0.0.1:" + fixture.opened(RetsoCluster.startOracle()).port();
    manager = fixture.opened(fixture.builder().oracle(oracle).build());
    stranger = fixture.opened(OracleClient.builder().address(oracle).name("strange").build());
    name = fixture.cluster.freshName("t");
    fixture.preparation(oracle).create(Fixture.descriptor(name).build(), Options.DEFAULT);
  }

  /** Commits a value, whose client dies before it cleans up. */
  private TransactionHandle commitUncleaned() throws IOException {
    try (TransactionManager dying = Fixture.dying(fixture.builder().oracle(oracle)).build();
        Transaction tx = dying.begin()) {
      tx.table(name).put(put("a", "1"));
      assertTrue(tx.commit().isPresent());
      return TransactionHandle.parse(tx.handle());
    }
  }

  /** The low watermark passes the commit if it can, and with it the region's horizon. */
  private void raiseTheHorizon() throws IOException {
    manager.begin().rollback();
    manager.run(
        tx -> {
          tx.table(name).put(put("z", "1"));
          return null;
        });
    try (Admin admin = fixture.cluster.connection().getAdmin()) {
      admin.flush(name);
    }
  }

  private static TransactionHandle guess(TransactionHandle of) {
    return TransactionHandle.of(of.startTimestamp(), of.ticket() + 1);
  }

  private static void assertRefused(Executable attack) {
    OracleException e = assertThrows(OracleException.class, attack);
    assertEquals(OracleException.Category.NOT_PERMITTED, e.category(), e::toString);
  }

  @Test
  void nothingHappensToTransactionsOfOthers() throws Exception {
    TransactionHandle committed = guess(commitUncleaned());
    try (Transaction open = manager.begin()) {
      open.table(name).put(put("b", "1"));
      TransactionHandle handle = guess(TransactionHandle.parse(open.handle()));
      assertRefused(() -> stranger.cleanedUp(committed));
      assertRefused(() -> stranger.commit(committed));
      assertRefused(() -> stranger.abort(committed));
      TransactionHandle own = stranger.begin();
      assertRefused(() -> stranger.swept(guess(own)));
      stranger.commit(own); // it would hold the watermark
      assertRefused(() -> stranger.cleanedUp(handle));
      assertRefused(() -> stranger.commit(handle));
      assertRefused(() -> stranger.abort(handle));
      assertNull(manager.run(tx -> read(tx.table(name), "b")), "it is not committed");
      assertTrue(open.commit().isPresent(), "nor aborted");
    }
    raiseTheHorizon();
    assertEquals("1", manager.run(tx -> read(tx.table(name), "a")));
    assertEquals("1", manager.run(tx -> read(tx.table(name), "b")));
  }

  /** Why: a client that has the ticket makes the oracle forget a commit that is not cleaned up. */
  @Test
  void theTicketIsAllThatKeepsAValueFromThem() throws Exception {
    TransactionHandle committed = commitUncleaned();
    stranger.cleanedUp(committed);
    eventually("forgotten", () -> stranger.lowWatermark() > committed.startTimestamp());
    raiseTheHorizon();
    assertNull(manager.run(tx -> read(tx.table(name), "a")), "it is lost");
  }
}
