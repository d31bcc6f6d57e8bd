package io.retso.verify.run;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.cluster.InProcessCluster;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.verify.clients.ClusterAccess;
import io.retso.verify.clients.FalseWitness;
import io.retso.verify.clients.RunIsolation;
import io.retso.verify.clients.StopSignal;
import io.retso.verify.lists.ListKey;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.hbase.client.Put;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** The witness of {@code verify --secured} says so where regions believe it. */
@Timeout(180)
@ExtendWith(InProcessCluster.Extension.class)
class FalseWitnessTest {
  private static final int LOOK_MILLIS = 10;

  @Test
  void findsRegionsThatTrustTheirClients(InProcessCluster cluster) throws Exception {
    ClusterAccess access = new ClusterAccess(cluster.key(), cluster.oracle());
    List<String> findings = new CopyOnWriteArrayList<>();
    StopSignal stop = new StopSignal();
    try (RunTables place =
            RunTables.open(access, "witness", RunTables.modes(RunIsolation.SNAPSHOT));
        TransactionManager writer =
            TransactionManager.builder(place.connection())
                .oracle(cluster.oracle())
                .cleanupDelay(Duration.ofHours(1))
                .build()) {
      FalseWitness witness =
          new FalseWitness(
              place.connection(),
              OracleClient.builder().address(cluster.oracle()),
              place.tables(),
              () -> new int[ListKey.GROUPS],
              1,
              findings::add,
              stop);
      Thread thread = new Thread(witness, "false witness");
      thread.start();
      try {
        while (findings.isEmpty()) {
          for (int i = 0; i < 20; i++) {
            try (Transaction tx = writer.begin()) {
              byte[] row = new ListKey(0, i % ListKey.GROUPS, 0, 0, 0).rowKey();
              for (var table : place.tables()) {
                tx.table(table).put(new Put(row).addColumn(ListKey.families()[0], row, row));
              }
              tx.commit();
            } catch (io.retso.hbase.errors.TransactionException e) {
              // As its region was told that it has ended.
            }
          }
          stop.await(LOOK_MILLIS);
        }
      } finally {
        stop.set();
        thread.join();
      }
    }
    assertTrue(findings.get(0).contains("adopted an outcome that was made up"), findings.get(0));
  }
}
