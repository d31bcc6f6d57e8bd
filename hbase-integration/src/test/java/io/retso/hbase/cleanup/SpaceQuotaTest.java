package io.retso.hbase.cleanup;

import static io.retso.hbase.Fixture.eventually;
import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static io.retso.hbase.Fixture.withCleanupTimeout;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.Fixture;
import io.retso.hbase.RetsoCluster;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.admin.SweepResult;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.transaction.Inside;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.quotas.RegionServerSpaceQuotaManager;
import org.apache.hadoop.hbase.quotas.SpaceQuotaSnapshot;
import org.apache.hadoop.hbase.quotas.SpaceQuotaSnapshot.SpaceQuotaStatus;
import org.apache.hadoop.hbase.quotas.SpaceViolationPolicy;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A table that is over its space quota. HBase refuses cleanups then, as they come as puts; region
 * servers do them by themselves when they flush the marks.
 */
@ExtendWith(RetsoCluster.Extension.class)
class SpaceQuotaTest {
  @ParameterizedTest
  @EnumSource(names = {"NO_INSERTS", "NO_WRITES"})
  void marksInAFullTableAreCleanedUpByItsNextFlush(SpaceViolationPolicy policy, Fixture fixture)
      throws Exception {
    fixture.deleteTablesThatHinderSweeps();
    TableName full = fixture.table(Options.DEFAULT);
    TableName other = fixture.table(Options.DEFAULT);
    fixture
        .dyingManager()
        .run(
            tx -> {
              tx.table(full).put(put("r", "1"));
              return null;
            });
    TransactionManager manager =
        fixture.opened(withCleanupTimeout(fixture.builder(), Duration.ofSeconds(1)).build());
    List<RegionServerSpaceQuotaManager> quotas =
        fixture.regionServers().stream()
            .map(HRegionServer::getRegionServerSpaceQuotaManager)
            .toList();
    SpaceQuotaSnapshot violated = new SpaceQuotaSnapshot(new SpaceQuotaStatus(policy), 2, 1);
    quotas.forEach(each -> each.enforceViolationPolicy(full, violated));
    try (Admin admin = fixture.cluster.connection().getAdmin()) {
      assertThrows(
          IOException.class,
          () ->
              manager.run(
                  tx -> {
                    tx.table(full).put(put("s", "1"));
                    return null;
                  }));
      manager.run(
          tx -> {
            tx.table(other).put(put("r", "1"));
            return null;
          });
      eventually("cleaned up", () -> Inside.counters(manager).cleanedUp.sum() == 1);
      assertEquals("1", manager.run(tx -> read(tx.table(full), "r")));
      SweepResult swept = manager.sweep();
      if (fixture.marks(full) > 0) { // unless the read had it cleaned up meanwhile
        assertFalse(swept.reported(), swept::toString);
        assertTrue(swept.reason().contains("space quota"), swept::toString);
      }
      admin.flush(full);
      eventually("cleaned up by the region server", () -> fixture.marks(full) == 0);
      swept = manager.sweep();
      if (policy == SpaceViolationPolicy.NO_INSERTS) {
        assertTrue(swept.reported(), swept::toString);
      } else { // it asks for the right to clean up by a delete of nothing
        assertFalse(swept.reported(), swept::toString);
        assertTrue(swept.reason().contains("space quota"), swept::toString);
      }
      assertEquals("1", manager.run(tx -> read(tx.table(full), "r")));
    } finally {
      quotas.forEach(each -> each.disableViolationPolicyEnforcement(full));
    }
    SweepResult later = manager.sweep();
    assertTrue(later.reported(), later::toString);
    manager.run(
        tx -> {
          tx.table(full).put(put("s", "1"));
          return null;
        });
  }
}
