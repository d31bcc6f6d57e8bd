package io.retso.bench.jmh;

import java.util.HashMap;
import java.util.Map;

/** Algorithms 1 and 2 of the paper with a hash map that forgets nothing: the naive reference. */
final class NaiveOracle {
  private final Map<Long, Long> lastCommit = new HashMap<>();
  private final Map<Long, Long> commits = new HashMap<>();
  private long timestamp;

  long begin() {
    return ++timestamp;
  }

  /** Returns the commit timestamp, or -1. */
  long commit(long start, long[] rows, int from, int to) {
    for (int i = from; i < to; i++) {
      Long last = lastCommit.get(rows[i]);
      if (last != null && last > start) {
        return -1;
      }
    }
    long commit = ++timestamp;
    for (int i = from; i < to; i++) {
      lastCommit.put(rows[i], commit);
    }
    commits.put(start, commit);
    return commit;
  }

  void cleaned(long start) {
    commits.remove(start);
  }
}
