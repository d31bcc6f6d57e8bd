package io.retso.hbase.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.layout.TableSettings;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Which oracle tables are prepared for. */
@ExtendWith(RetsoCluster.Extension.class)
class TablePreparationBuilderTest {
  @Test
  void addressesThatAreNoneAreRefused(RetsoCluster cluster) {
    for (String oracle : List.of("", " , ", "nonsense", "host:1,host")) {
      assertThrows(
          IllegalArgumentException.class,
          () -> TablePreparation.builder(cluster.connection()).oracle(oracle).build(),
          oracle);
    }
  }

  @Test
  void theOracleOfTheConfigurationIsTheDefault(Fixture fixture) throws Exception {
    TableName name = fixture.cluster.freshName("p");
    try (Connection connection =
        ConnectionFactory.createConnection(fixture.cluster.configuration())) {
      TableDescriptor prepared =
          TablePreparation.builder(connection)
              .build()
              .create(Fixture.descriptor(name).build(), Options.CLIENT_READS);
      assertEquals(fixture.cluster.oracleAddress(), TableSettings.of(prepared).addresses());
    }
  }
}
