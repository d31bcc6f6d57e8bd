package io.retso.hbase.table;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.hbase.layout.TableSettings;
import java.util.List;
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
        "%d clients, of %d attempts: refused (needless), of 100; granules read and written%n",
        CLIENTS, ATTEMPTS);
    for (String workload : ScanWorkloads.all().keySet()) {
      ScanLoad exact = load(new ScanRules.Exactly(), workload);
      System.out.printf(
          "%-24s exact %5.1f (%5.1f)", workload, share(exact.refused), share(exact.needless));
      ScanRules.ByGranules rule =
          new ScanRules.ByGranules(TableSettings.GRANULES_DEFAULT, Granules.COVER_MAX);
      ScanLoad granules = print(rule, workload, "default");
      print(new ScanRules.ByGranules(List.of(4, 8, 16), 16), workload, "4, 8, 16");
      System.out.println();
      assertTrue(granules.needless <= exact.needless + ATTEMPTS / 10, workload);
    }
  }

  private static ScanLoad print(ScanRules.ByGranules rule, String workload, String name) {
    ScanLoad load = load(rule, workload);
    System.out.printf(
        " | %s %5.1f (%5.1f) %5.1f %5.1f",
        name,
        share(load.refused),
        share(load.needless),
        (double) rule.rangeReads / ATTEMPTS,
        (double) rule.rangeWrites / ATTEMPTS);
    return load;
  }
}
