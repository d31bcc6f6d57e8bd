package io.retso.bench.workload;

import io.retso.report.Percentiles;
import io.retso.workload.Isolation;
import java.util.List;
import java.util.Map;

/**
 * Everything that {@code bench tpcc} found.
 *
 * @param version of ReTSO, with its commit if it was built from a checkout
 * @param startedAt ISO-8601
 * @param flags as given
 * @param machine where it ran
 * @param stores what each says of itself
 * @param failures runs whose checks failed
 * @param deferred readers beside the runs
 */
public record TpccFindings(
    String version,
    String startedAt,
    List<String> flags,
    Map<String, Object> machine,
    Map<String, Map<String, String>> stores,
    List<TpccRun> runs,
    List<String> failures,
    List<Deferred> deferred) {

  /** How long deferred readers took beside all runs of a store at a level. */
  public record Deferred(StoreKind store, Isolation isolation, Percentiles waits) {}
}
