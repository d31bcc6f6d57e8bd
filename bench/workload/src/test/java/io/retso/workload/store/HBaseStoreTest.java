package io.retso.workload.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.TransactionHandle;
import io.retso.cluster.InProcessCluster;
import io.retso.hbase.errors.ConflictException;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.errors.RollbackOnlyException;
import io.retso.hbase.errors.SnapshotTooOldException;
import io.retso.hbase.errors.UnknownCommitException;
import io.retso.workload.Loads;
import io.retso.workload.Store;
import io.retso.workload.UnknownOutcomeException;
import io.retso.workload.history.RecordedStore;
import io.retso.workload.history.SerialCheck;
import io.retso.workload.history.SerialCheck.Verdict;
import io.retso.workload.smallbank.Mix;
import io.retso.workload.smallbank.SmallBank;
import io.retso.workload.smallbank.Strategy;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(InProcessCluster.Extension.class)
class HBaseStoreTest extends StoreContract {
  private static Configuration configuration;
  private static HBaseStore store;

  @BeforeAll
  static void connect(InProcessCluster cluster) throws IOException {
    configuration =
        HBaseConfiguration.createClusterConf(HBaseConfiguration.create(), cluster.key());
    store = new HBaseStore(configuration, cluster.oracle());
    createTable(store);
  }

  @AfterAll
  static void nothingIsLeft() throws IOException {
    store.close();
    HBaseStore.dropAll(configuration);
    try (Connection connection = ConnectionFactory.createConnection(configuration);
        Admin admin = connection.getAdmin()) {
      assertArrayEquals(new String[] {"default", "hbase"}, admin.listNamespaces());
    }
  }

  @Override
  Store store() {
    return store;
  }

  /**
   * A caller that is told that nothing is committed may rely on it; a failure of HBase itself
   * promises nothing.
   */
  @Test
  void onlyWhatIsPromisedCountsAsNotCommitted() {
    IOException cause = new IOException("gone");
    assertTrue(isUnknown(new UnknownCommitException(TransactionHandle.of(16, 0), cause, null)));
    assertTrue(isUnknown(cause));
    assertFalse(isUnknown(new ConflictException("x", null)));
    assertFalse(isUnknown(new SnapshotTooOldException("x", null)));
    assertFalse(isUnknown(new RollbackOnlyException(7, cause)));
    assertFalse(isUnknown(new OracleUnavailableException("x", cause)));
  }

  private static boolean isUnknown(IOException commit) {
    return HBaseStore.failedCommit(commit) instanceof UnknownOutcomeException;
  }

  private static Verdict run(Store on, SmallBank bank, long seed) throws Exception {
    RecordedStore recorded = new RecordedStore(on, 100_000);
    recorded.create(bank.schema());
    bank.load(recorded);
    recorded.history(); // not that of the load
    Loads.untilCommitted(100, bank, recorded, 8, seed);
    return SerialCheck.check(recorded.history());
  }

  @Test
  void smallBankIsSerializableAndItsMoneyAddsUp() throws Exception {
    SmallBank bank = new SmallBank(new Mix(20, 4, 20), Strategy.SERIALIZABLE);
    Verdict verdict = run(store, bank, 1);
    assertTrue(verdict.isSerializable(), verdict.toString());
    assertEquals("", bank.check(new RecordedStore(store, 0)));
  }

  /** Without transactions updates are lost, and the check of the history says so. */
  @Test
  void plainHBaseLosesUpdates() throws Exception {
    try (PlainStore plain = new PlainStore(configuration)) {
      long seed = 1;
      while (run(plain, new SmallBank(new Mix(20, 2, 20), Strategy.SI), seed).groups() == 0) {
        System.out.println("no update was lost with seed " + seed++);
      }
    }
  }
}
