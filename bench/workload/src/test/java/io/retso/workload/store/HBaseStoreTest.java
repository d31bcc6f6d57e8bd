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
import io.retso.workload.Isolation;
import io.retso.workload.Loads;
import io.retso.workload.Store;
import io.retso.workload.UnknownOutcomeException;
import io.retso.workload.history.RecordedStore;
import io.retso.workload.history.SerialCheck;
import io.retso.workload.history.SerialCheck.Verdict;
import io.retso.workload.rubis.Rubis;
import io.retso.workload.smallbank.Mix;
import io.retso.workload.smallbank.SmallBank;
import io.retso.workload.smallbank.Strategy;
import io.retso.workload.tpcb.Tpcb;
import io.retso.workload.tpcc.Scale;
import io.retso.workload.tpcc.Tpcc;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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

  /** TPC-C with Credit Check. */
  @ParameterizedTest
  @EnumSource(names = {"SNAPSHOT", "SERIALIZABLE"})
  void theConditionsOfTpccHold(Isolation isolation) throws Exception {
    Tpcc workload =
        new Tpcc(new Scale(1, 2, 6, 100), isolation, io.retso.workload.tpcc.Mix.STANDARD);
    boolean isSerializable = isolation == Isolation.SERIALIZABLE;
    // What is recorded has no deletes: the other run has.
    Store on = isSerializable ? new RecordedStore(store, 100_000) : store;
    on.create(workload.schema());
    workload.load(on);
    if (on instanceof RecordedStore recorded) {
      recorded.history();
    }
    Loads.untilCommitted(100, workload, on, 4, 1);
    assertEquals("", workload.check(on));
    if (on instanceof RecordedStore recorded) {
      Verdict verdict = SerialCheck.check(recorded.history());
      assertTrue(verdict.isSerializable(), verdict.toString());
    }
  }

  @Test
  void plainRangesHaveTheirRows() throws Exception {
    try (PlainStore plain = new PlainStore(configuration)) {
      plain.create(List.of("plain_ranges"));
      Ranges.check(plain, "plain_ranges", "p");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SNAPSHOT", "SERIALIZABLE"})
  void tpcbAddsUp(Isolation isolation) throws Exception {
    Tpcb workload = new Tpcb(1, 20, isolation);
    RecordedStore on = new RecordedStore(store, 100_000);
    on.create(workload.schema());
    workload.load(on);
    on.history();
    Loads.untilCommitted(40, workload, on, 4, 1);
    assertEquals("", workload.check(on));
    Verdict verdict = SerialCheck.check(on.history());
    assertTrue(verdict.isSerializable(), verdict.toString());
  }

  /** An auction site: its tables agree, and if asked for there is a serial order. */
  @ParameterizedTest
  @EnumSource(names = {"SNAPSHOT", "SERIALIZABLE"})
  void auctionsAgree(Isolation isolation) throws Exception {
    Rubis workload =
        new Rubis(new io.retso.workload.rubis.Scale(10, 5, 10, 2, 2), Isolation.SNAPSHOT);
    RecordedStore on = new RecordedStore(store, 100_000);
    on.create(workload.schema());
    workload.load(on);
    on.history();
    Rubis at = workload.at(isolation);
    Loads.untilCommitted(100, at, on, 4, 1);
    on.awaitQuiet();
    assertEquals("", at.check(on));
    Verdict verdict = SerialCheck.check(on.history());
    assertTrue(isolation == Isolation.SNAPSHOT || verdict.isSerializable(), verdict.toString());
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
