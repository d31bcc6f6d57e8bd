package io.retso.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.retso.cluster.InProcessCluster;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code retso bench ycsb} in short, on a cluster that runs: all is measured, nothing is left. */
@ExtendWith(InProcessCluster.Extension.class)
@Timeout(180)
class YcsbCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @TempDir Path directory;

  @Test
  void workloadsAndTheEconomyTakeTurnsOnACluster(InProcessCluster cluster) throws Exception {
    CommandLine commandLine = Retso.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int code =
        commandLine.execute(
            "bench",
            "ycsb",
            "--quick",
            "--workloads=d,e,f",
            "--records=40",
            "--clients=3",
            "--seconds=0.2",
            "--ramp-up=0.05",
            "--rounds=2",
            "--cluster=" + cluster.key(),
            "--oracle=" + cluster.oracle(),
            "--out=" + directory);
    assertEquals(0, code, () -> out.toString() + err);
    JsonNode runs =
        new ObjectMapper().readTree(directory.resolve("ycsb.json").toFile()).get("runs");
    Map<String, Integer> counts = new TreeMap<>();
    for (JsonNode run : runs) {
      counts.merge(run.at("/of/workload").asText(), 1, Integer::sum);
      assertTrue(run.at("/result/good").asDouble() > 0, run::toString);
    }
    assertEquals(Map.of("d", 10, "e", 10, "f", 10, "economy", 6), counts);
    assertTrue(out.toString().contains("It takes about"), out::toString);
    assertTrue(
        out.toString().contains("closed economy, SERIALIZABLE: anomaly score"), out::toString);
    Configuration hbase =
        HBaseConfiguration.createClusterConf(HBaseConfiguration.create(), cluster.key());
    try (Connection connection = ConnectionFactory.createConnection(hbase);
        Admin admin = connection.getAdmin()) {
      assertFalse(List.of(admin.listNamespaces()).contains("retso_bench"));
    }
  }
}
