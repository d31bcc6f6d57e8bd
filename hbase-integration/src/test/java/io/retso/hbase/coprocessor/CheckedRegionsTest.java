package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.check.DataCheck;
import io.retso.hbase.check.DataCheckOptions;
import io.retso.hbase.check.Finding;
import io.retso.hbase.layout.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a region has in its memory is told from what is wrong. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class CheckedRegionsTest {
  private Fixture fixture;

  @BeforeEach
  void open(Fixture given) {
    fixture = given;
  }

  private List<String> found(RawTable t) throws Exception {
    List<Finding> findings = new ArrayList<>();
    try (OracleClient oracle = OracleClient.builder().address(t.address()).build();
        AsyncConnection hbase =
            ConnectionFactory.createAsyncConnection(fixture.cluster.configuration()).get()) {
      new DataCheck(
              oracle,
              hbase,
              new DataCheckOptions(true, false, 1, Duration.ofMillis(50)),
              findings::add,
              line -> {})
          .check(t.name);
    }
    return findings.stream().map(found -> found.kind() + ": " + found.place()).toList();
  }

  @Test
  void marksInMemoryAreSeen() throws Exception {
    try (RawTable t = new RawTable(fixture.cluster)) {
      t.update("r", "a", "1"); // with the first mark, which is a cell
      long first = t.writeWithoutCell("s");
      long second = t.writeWithoutCell("t");
      assertEquals(List.of(), found(t));
      t.oracle.abort(first);
      t.commit(second, "t");
      assertEquals(List.of("left-over: row s, mark of transaction " + first), found(t));
      assertEquals(Map.of("a", "1"), t.read(t.snapshot(), "t"));
    }
  }

  /** No cell says that they are committed, or aborted, before the region is flushed. */
  @Test
  void outcomesInMemoryAreTrueOrFound() throws Exception {
    try (RawTable t = RawTable.adopting(fixture.cluster)) {
      t.writeWithCell("q"); // or the first of the others had one, and would not be adopted
      long committed = t.writeWithoutCell("r");
      long aborted = t.writeWithoutCell("s");
      long commit = t.commit(committed, "r");
      t.oracle.abort(aborted);
      assertTrue(t.adopt(committed, commit, 1));
      assertTrue(t.adopt(aborted, Outcome.ABORTED, 1));
      assertEquals(List.of(), found(t));
      t.writeWithCell("p"); // the check has flushed the region
      long open = t.writeWithoutCell("t");
      assertTrue(t.adopt(open, open + 16, 1));
      List<String> found = found(t);
      assertEquals(1, found.size(), found::toString);
      assertTrue(found.get(0).startsWith("wrong-outcome: row \\x00, "), found::toString);
      assertFalse(t.read(t.snapshot(), "t").isEmpty(), "it is shown, though it is open");
    }
  }
}
