package io.retso.hbase.check;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Counts what is found, and passes on the first {@value #LINES_MAX} findings; the others are only
 * counted. Thread-safe; one finding is passed on at a time.
 */
final class CheckReport {
  static final int LINES_MAX = 1000;

  private final Consumer<Finding> listener;
  private final Map<FindingKind, Long> counts = new EnumMap<>(FindingKind.class);
  private final LongAdder cells = new LongAdder();
  private final LongAdder untold = new LongAdder();
  private long found;
  private long mended;
  private String notMended = "";

  CheckReport(Consumer<Finding> listener) {
    this.listener = listener;
  }

  synchronized void found(Finding finding) {
    counts.merge(finding.kind(), 1L, Long::sum);
    if (found++ < LINES_MAX) {
      listener.accept(finding);
    }
  }

  synchronized long found() {
    return found;
  }

  void looked(long more) {
    cells.add(more);
  }

  long cells() {
    return cells.sum();
  }

  /** A version may be a plain writer's, or have lost its mark. */
  void untold() {
    untold.increment();
  }

  synchronized void mended(long rows) {
    mended += rows;
  }

  synchronized void notMended(String reason) {
    notMended = reason;
  }

  synchronized DataCheckResult result(int regions, long snapshot) {
    return new DataCheckResult(
        regions,
        cells.sum(),
        snapshot,
        Map.copyOf(counts),
        Math.max(0, found - LINES_MAX),
        untold.sum(),
        mended,
        notMended);
  }
}
