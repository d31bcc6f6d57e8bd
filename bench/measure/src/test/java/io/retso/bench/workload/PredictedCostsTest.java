package io.retso.bench.workload;

import static io.retso.bench.workload.SmallBankResultTest.run;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.bench.stores.StoreKind;
import io.retso.bench.workload.SmallBankRun.Case;
import io.retso.report.Verdict;
import io.retso.workload.smallbank.Strategy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PredictedCostsTest {
  /** The order in which Alomari et al. measured those of one edge: WT before BW. */
  @Test
  void theOrderIsThatOfThePaper() {
    Map<Strategy, Double> costs = PredictedCosts.of(20);
    List<Strategy> order =
        costs.keySet().stream().sorted(Comparator.comparing(costs::get)).toList();
    assertEquals(
        List.of(
            Strategy.VALIDATE_WT,
            Strategy.PROMOTE_WT_SFU,
            Strategy.PROMOTE_WT_UPD,
            Strategy.SERIALIZABLE,
            Strategy.MATERIALIZE_WT,
            Strategy.PROMOTE_BW_SFU,
            Strategy.PROMOTE_BW_UPD,
            Strategy.MATERIALIZE_BW),
        order,
        costs::toString);
  }

  /** What is no way to be serializable, or changes more than is needed, is no repair. */
  @Test
  void allOthersHaveNoCost() {
    Stream<Strategy> without =
        Arrays.stream(Strategy.values()).filter(s -> !PredictedCosts.of(60).containsKey(s));
    assertEquals(
        List.of(
            Strategy.READ_COMMITTED, Strategy.SI, Strategy.MATERIALIZE_ALL, Strategy.PROMOTE_ALL),
        without.toList());
  }

  @Test
  void theMoreBalancesTheDearerToMakeThemWrite() {
    assertTrue(
        PredictedCosts.of(60).get(Strategy.PROMOTE_BW_UPD)
            > PredictedCosts.of(20).get(Strategy.PROMOTE_BW_UPD));
  }

  /** Only what is clearly in another order counts. */
  @Test
  void theMeasuredOrderIsJudged() {
    Case of = new Case(StoreKind.HBASE, 1000, 20);
    List<SmallBankRun> runs = new ArrayList<>();
    for (int round = 0; round < 8; round++) {
      runs.add(run(of, Strategy.VALIDATE_WT, 20, round, 1000 + round));
      runs.add(run(of, Strategy.PROMOTE_WT_UPD, 20, round, 900 + 50 * round));
      runs.add(run(of, Strategy.PROMOTE_BW_UPD, 20, round, 2000 + round));
    }
    Verdict verdict = PredictedCosts.judged("here", 20, SmallBankRun.rounds(of, runs), 20).get(0);
    assertEquals(2, verdict.value(), verdict::toString);
    assertEquals("of 3; PromoteWT-upd / PromoteBW-upd; ValidateWT / PromoteBW-upd", verdict.made());
    assertFalse(verdict.met());
  }
}
