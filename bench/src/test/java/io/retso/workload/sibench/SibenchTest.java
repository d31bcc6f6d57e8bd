package io.retso.workload.sibench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.workload.ClosedLoop;
import io.retso.workload.Isolation;
import io.retso.workload.LoadCounts;
import io.retso.workload.store.OracleAlone;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SibenchTest {
  @Test
  void updatesAddUpAndQueriesAreHalf() throws Exception {
    try (OracleAlone alone = new OracleAlone()) {
      Sibench workload = new Sibench(100, Isolation.SNAPSHOT);
      alone.store().create(workload.schema());
      workload.load(alone.store());
      LoadCounts counts =
          ClosedLoop.run(
              workload, alone.store(), 4, 1, Duration.ofMillis(50), Duration.ofMillis(300));
      assertEquals("", workload.check(alone.store()));
      long updates = counts.attemptsByProgram().get("update");
      assertEquals(0.5, (double) updates / counts.attempts(), 0.2);
      assertTrue(counts.perSecond() > 0);
      assertEquals(0, counts.rolledBack());
      workload.load(alone.store());
      assertEquals("", workload.check(alone.store()), "after another load");
      assertNotEquals("", new Sibench(101, Isolation.SNAPSHOT).check(alone.store()));
    }
  }
}
