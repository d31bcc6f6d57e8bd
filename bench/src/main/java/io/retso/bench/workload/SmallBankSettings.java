package io.retso.bench.workload;

import io.retso.workload.smallbank.Mix;
import io.retso.workload.smallbank.Strategy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What to measure of SmallBank.
 *
 * @param mixes hot spots and shares of Bal
 * @param clients the multiprogramming levels
 * @param warmUp the paper's ramp-up, before each measurement
 * @param rounds in which strategies take turns
 * @param pairRounds of these, in which SI and SERIALIZABLE take turns where their throughput is
 *     judged: with 20 clients or the level next to it, unless contention is high; at least as many
 */
public record SmallBankSettings(
    StorePlan stores,
    List<Mix> mixes,
    List<Strategy> strategies,
    List<Integer> clients,
    Duration warmUp,
    Duration measured,
    int rounds,
    int pairRounds,
    long seed) {

  /** Those of a strategy at a level. */
  int rounds(Mix mix, int level, Strategy strategy) {
    boolean isJudged =
        (strategy == Strategy.SI || strategy == Strategy.SERIALIZABLE)
            && level == SmallBankText.mainLevel(Set.copyOf(clients))
            && mix.hot() >= SmallBankComparisons.MANY;
    return isJudged ? Math.max(rounds, pairRounds) : rounds;
  }

  /** What a report says of them. */
  Map<String, Object> facts() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("mixes", mixes.stream().map(Mix::toString).toList());
    facts.put("clients", clients);
    facts.put("warmUpSeconds", warmUp.toNanos() / 1e9);
    facts.put("measuredSeconds", measured.toNanos() / 1e9);
    facts.put("rounds", rounds);
    facts.put("pairRounds", pairRounds);
    facts.put("seed", seed);
    return facts;
  }
}
