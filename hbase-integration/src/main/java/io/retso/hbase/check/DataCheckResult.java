package io.retso.hbase.check;

import io.retso.text.Text;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What a check of a table's data came to. Immutable.
 *
 * @param regions of the table when the check began
 * @param cells all versions and marks that were looked at
 * @param snapshot the timestamp at which the table was judged: what began later was passed over
 * @param counts findings by kind; kinds without any are missing
 * @param notShown findings that were only counted
 * @param untold versions that are a plain writer's, or a transaction's that has lost its mark: it
 *     cannot be told without {@link DataCheckOptions#transactionsOnly}
 * @param mended rows that were cleaned up
 * @param notMended why a row was not; empty if all were
 */
public record DataCheckResult(
    int regions,
    long cells,
    long snapshot,
    Map<FindingKind, Long> counts,
    long notShown,
    long untold,
    long mended,
    String notMended) {
  /** Whether data is wrong, or will be. */
  public boolean isDanger() {
    return counts.keySet().stream().anyMatch(FindingKind::isDanger);
  }

  /** Findings of a kind. */
  public long count(FindingKind kind) {
    return counts.getOrDefault(kind, 0L);
  }

  /** One line. */
  @Override
  public String toString() {
    String found =
        Arrays.stream(FindingKind.values())
            .filter(counts::containsKey)
            .map(kind -> counts.get(kind) + " " + kind)
            .collect(Collectors.joining(", "));
    return Text.of(
        "%,d cells of %,d regions, at snapshot %d: %s%s",
        cells,
        regions,
        snapshot,
        found.isEmpty() ? "nothing is wrong" : found,
        notShown == 0 ? "" : Text.of(" (%,d of them are not shown)", notShown));
  }
}
