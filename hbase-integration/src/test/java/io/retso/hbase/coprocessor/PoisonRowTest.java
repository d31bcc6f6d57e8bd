package io.retso.hbase.coprocessor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.protocol.Timestamps;
import java.util.Map;
import org.apache.hadoop.hbase.client.Scan;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Rows whose marks were made up: a client that can write can put one there, and it stops no reader.
 */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class PoisonRowTest {
  private static final String ROW = "row";
  private static final String POISON = "poison";

  private RawTable t;
  private long committed;

  @BeforeEach
  void create(RetsoCluster cluster) throws Exception {
    t = new RawTable(cluster);
    committed = t.update(ROW, "a", "1");
  }

  @AfterEach
  void drop() throws Exception {
    t.close();
  }

  private void assertNothingIsSeenOfIt() throws Exception {
    long reader = t.oracle.begin();
    assertEquals(Map.of(), t.read(reader, POISON));
    assertEquals(Map.of("a", "1"), t.read(reader, ROW));
    assertEquals(1, t.scan(reader, new Scan()).size());
  }

  /** No transaction has begun with it, or ever will: the oracle calls it aborted. */
  @Test
  void theMarkOfACommitTimestampIsPassedOverAndCleanedUp() throws Exception {
    t.write(committed, POISON, "a", "6");
    assertNothingIsSeenOfIt();
    t.flush();
    assertNothingIsSeenOfIt();
    Fixture.eventually("cleaned up", () -> t.cells(POISON).isEmpty());
    assertNothingIsSeenOfIt();
  }

  /** A transaction may get it one day, so it stays as it is; until then it is as good as open. */
  @Test
  void theMarkOfTheFutureIsPassedOver() throws Exception {
    long future = t.oracle.begin() + (1_000_000L << Timestamps.GAP_BITS);
    t.write(future, POISON, "a", "6");
    assertNothingIsSeenOfIt();
    t.flush();
    assertNothingIsSeenOfIt();
  }
}
