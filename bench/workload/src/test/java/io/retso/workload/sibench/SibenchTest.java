package io.retso.workload.sibench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.workload.Isolation;
import io.retso.workload.LoadCounts;
import io.retso.workload.Loads;
import io.retso.workload.store.OracleAlone;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
class SibenchTest {
  @ParameterizedTest
  @EnumSource(names = {"SNAPSHOT", "SERIALIZABLE"})
  void updatesAddUpAndQueriesAreHalf(Isolation isolation) throws Exception {
    try (OracleAlone alone = new OracleAlone()) {
      Sibench workload = new Sibench(100, isolation);
      alone.store().create(workload.schema());
      workload.load(alone.store());
      LoadCounts counts = Loads.untilCommitted(1000, workload, alone.store(), 4, 1);
      assertEquals("", workload.check(alone.store()));
      long updates = counts.attemptsByProgram().get("update");
      assertEquals(0.5, (double) updates / counts.attempts(), 0.1);
      assertTrue(counts.perSecond() > 0);
      assertEquals(0, counts.rolledBack());
      workload.load(alone.store());
      assertEquals("", workload.check(alone.store()), "after another load");
      assertNotEquals("", new Sibench(101, isolation).check(alone.store()));
    }
  }
}
