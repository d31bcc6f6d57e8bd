package io.retso.hbase.table;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.layout.TableSettings;
import org.junit.jupiter.api.Test;

/**
 * How many transactions with scans are refused without need, by granules and by exact ranges; that
 * none is accepted wrongly.
 */
class ScanLoadTest {
  private static final int CLIENTS = 20;
  private static final int ATTEMPTS = 500;
  private static final long SEED = 7;

  private static ScanLoad load(ScanLoad.Certifying rule, String workload) {
    ScanLoad load = new ScanLoad(rule);
    load.run(ScanWorkloads.all().get(workload), CLIENTS, ATTEMPTS, SEED);
    return load;
  }

  private static double share(long count) {
    return 100.0 * count / ATTEMPTS;
  }

  @Test
  void granulesRefuseHardlyMoreThanExactRangesWould() {
    System.out.printf(
        "%d clients, of 100 attempts: refused by exact ranges (without need), refused by granules"
            + " (without need); granules read, granules written, of an attempt%n",
        CLIENTS);
    for (String workload : ScanWorkloads.all().keySet()) {
      ScanLoad exact = load(new ScanRules.Exactly(), workload);
      ScanRules.ByGranules rule =
          new ScanRules.ByGranules(TableSettings.GRANULES_DEFAULT, Granules.COVER_MAX);
      ScanLoad granules = load(rule, workload);
      System.out.printf(
          "%-24s %5.1f (%4.1f) %5.1f (%4.1f) %6.1f %6.1f%n",
          workload,
          share(exact.refused),
          share(exact.needless),
          share(granules.refused),
          share(granules.needless),
          (double) rule.rangeReads / ATTEMPTS,
          (double) rule.rangeWrites / ATTEMPTS);
      assertTrue(granules.needless <= exact.needless + ATTEMPTS / 8, workload);
    }
  }
}
