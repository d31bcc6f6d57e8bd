package io.retso.bench.experiments;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.bench.experiments.LongRunBench.Course;
import io.retso.bench.experiments.LongRunBench.Point;
import io.retso.bench.stores.Memory;
import io.retso.bench.stores.StoreKind;
import io.retso.report.Verdict;
import java.util.List;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whether memory is said to grow. */
class LongRunResultTest {
  /** A minute for each point; the client has 100 MB, and there is no oracle. */
  private static List<Verdict> verdicts(int points, IntToDoubleFunction store) {
    List<Point> all =
        IntStream.range(0, points)
            .mapToObj(i -> new Point(i + 1, 9, 1, 0, new Memory(100, 0, store.applyAsDouble(i))))
            .toList();
    return LongRunResult.verdicts(new Course(StoreKind.HBASE, all));
  }

  @Test
  void whatGrowsIsMissed() {
    Verdict store = verdicts(60, i -> 1000 + 10 * i).get(1);
    assertEquals("missed", store.verdict());
    assertTrue(store.what().contains("memory of the store"), store.what());
    assertTrue(store.made().contains("; +600 MB an hour"), store.made());
  }

  /** Saws and what is only at the beginning are flat. */
  @Test
  void whatIsFlatIsMet() {
    List<Verdict> verdicts = verdicts(60, i -> i < 6 ? 100 : 1000 + i % 3 * 100);
    assertEquals(2, verdicts.size());
    assertEquals("met", verdicts.get(0).verdict());
    assertEquals("met", verdicts.get(1).verdict());
    assertTrue(verdicts.get(0).made().contains("100 / 100 MB; +0 MB"), verdicts.get(0).made());
  }

  @Test
  void aShortRunIsNotJudged() {
    assertEquals("not judged", verdicts(9, i -> 1000).get(0).verdict());
    assertEquals("met", verdicts(10, i -> 1000).get(0).verdict());
    assertEquals(List.of(), verdicts(0, i -> 1000));
  }
}
