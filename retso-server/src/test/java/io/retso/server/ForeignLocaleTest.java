package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server where digits are written in another script: what programs read is written in ASCII. */
@Timeout(120)
class ForeignLocaleTest {
  private static final List<String> EGYPT = List.of("-Duser.language=ar", "-Duser.country=EG");

  @TempDir private Path directory;

  @Test
  void pagesAndLinesAndNodesOfLedgersAreInAscii() throws Exception {
    try (ServerProcess server =
        ServerProcess.start(
            directory, EGYPT, "--rows=1k", "--window-timestamps=2^10", "--zookeeper-auth=none")) {
      try (OracleClient client =
          OracleClient.builder().address("127.0.0.1:" + server.port()).build()) {
        assertTrue(client.commit(client.begin(), 1).isCommitted());
      }
      for (String path : List.of("/status", "/metrics", "/health", "/leader")) {
        HttpResponse<String> page =
            TestServers.send(server.httpPort(), path, "GET", "application/json");
        assertAscii(page.body());
      }
      assertAscii(TestServers.send(server.httpPort(), "/status", "GET", "text/plain").body());
      assertAscii(server.outputText());
      List<String> nodes = new ArrayList<>();
      String port = Files.readString(directory.resolve("data/zookeeper/port")).strip();
      ZooKeeper zooKeeper = new ZooKeeper("127.0.0.1:" + port, 30_000, event -> {});
      try {
        collect(zooKeeper, "/ledgers", nodes);
      } finally {
        zooKeeper.close();
      }
      assertTrue(nodes.stream().anyMatch(node -> node.matches(".*/L[0-9]+")), nodes::toString);
      nodes.forEach(ForeignLocaleTest::assertAscii);
    }
  }

  private static void collect(ZooKeeper zooKeeper, String path, List<String> nodes)
      throws Exception {
    nodes.add(path);
    for (String child : zooKeeper.getChildren(path, false)) {
      collect(zooKeeper, path + "/" + child, nodes);
    }
  }

  private static void assertAscii(String text) {
    assertEquals(text.replaceAll("[^\\x00-\\x7f]", "?"), text);
  }
}
