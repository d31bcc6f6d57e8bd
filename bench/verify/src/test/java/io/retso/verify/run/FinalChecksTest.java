package io.retso.verify.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.cluster.InProcessCluster;
import io.retso.hbase.admin.TablePreparation;
import io.retso.verify.clients.ClusterAccess;
import java.time.Duration;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Whose fault it is if not all is clean in the end. */
@ExtendWith(InProcessCluster.Extension.class)
@Timeout(300)
class FinalChecksTest {
  @Test
  void aTableOfOthersThatKeepsSweepsFromBeingReported(InProcessCluster cluster) throws Exception {
    TableName others = TableName.valueOf("of-others");
    try (RunTables place =
            RunTables.open(
                new ClusterAccess(cluster.key(), cluster.oracle()),
                "finalChecks",
                RunTables.ALL_MODES);
        OracleClient oracle = OracleClient.builder().address(cluster.oracle()).build()) {
      TablePreparation.builder(place.connection())
          .oracle(cluster.oracle())
          .build()
          .create(
              TableDescriptorBuilder.newBuilder(others)
                  .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                  .build(),
              TablePreparation.Options.DEFAULT);
      place.admin().disableTable(others);
      oracle.commit(oracle.begin(), 1); // by a client that died: it is not reported clean
      FinalChecks.Problem problem = new FinalChecks(place, Duration.ZERO).clean().orElseThrow();
      assertTrue(problem.isOthers(), problem::toString);
      assertTrue(
          problem.what().contains("table of-others is disabled and may hold marks: enable it"),
          problem::toString);
      place.admin().enableTable(others);
      assertEquals(Optional.empty(), new FinalChecks(place, Duration.ofMinutes(1)).clean());
      place.admin().disableTable(others);
      place.admin().deleteTable(others);
    }
  }

  @Test
  void aTransactionThatStaysOpenIsTheStoresFault(InProcessCluster cluster) throws Exception {
    try (RunTables place =
            RunTables.open(
                new ClusterAccess(cluster.key(), cluster.oracle()),
                "finalChecks",
                RunTables.ALL_MODES);
        OracleClient oracle = OracleClient.builder().address(cluster.oracle()).build()) {
      oracle.begin();
      FinalChecks.Problem problem = new FinalChecks(place, Duration.ZERO).clean().orElseThrow();
      assertFalse(problem.isOthers(), problem::toString);
      assertTrue(problem.what().startsWith("the low watermark"), problem::toString);
    }
  }
}
