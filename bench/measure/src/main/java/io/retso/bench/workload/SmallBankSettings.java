package io.retso.bench.workload;

import io.retso.bench.stores.StoreKind;
import io.retso.bench.stores.StorePlan;
import io.retso.workload.smallbank.Mix;
import io.retso.workload.smallbank.Strategy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What to measure of SmallBank.
 *
 * @param mixes hot spots and shares of Bal
 * @param clients the multiprogramming levels
 * @param warmUp the paper's ramp-up, before each measurement
 * @param rounds in which strategies take turns
 * @param judge for so long at the most go further rounds of what is judged: on HBase with 20
 *     clients or the level next to it, unless contention is high
 */
public record SmallBankSettings(
    StorePlan stores,
    List<Mix> mixes,
    List<Strategy> strategies,
    List<Integer> clients,
    Duration warmUp,
    Duration measured,
    int rounds,
    Duration judge,
    long seed) {

  /** Whether throughput is judged there. */
  boolean isJudged(StoreKind kind, Mix mix, int level) {
    return kind == StoreKind.HBASE
        && level == SmallBankResult.mainLevel(clients)
        && mix.hot() >= SmallBankVerdicts.MANY;
  }

  /** All that decides what one run gives. */
  Map<String, Object> lasting() {
    Map<String, Object> lasting = new LinkedHashMap<>(facts());
    lasting.keySet().removeAll(List.of("rounds", "judgeSeconds"));
    lasting.put("customers", mixes.stream().map(Mix::customers).distinct().toList());
    lasting.put("strategies", strategies);
    lasting.putAll(stores.settings());
    return lasting;
  }

  /** What a report says of them. */
  Map<String, Object> facts() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("mixes", mixes.stream().map(Mix::toString).toList());
    facts.put("clients", clients);
    facts.put("warmUpSeconds", warmUp.toNanos() / 1e9);
    facts.put("measuredSeconds", measured.toNanos() / 1e9);
    facts.put("rounds", rounds);
    facts.put("judgeSeconds", judge.toSeconds());
    facts.put("seed", seed);
    return facts;
  }
}
