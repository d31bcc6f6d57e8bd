package io.retso.simulator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The store of the paper's section 2.2: versions of rows, each with or without a pending mark. Row
 * operations are atomic, and nothing else is.
 */
final class VersionedTable {
  private static final int VERSIONS_MAX = 2000;

  /** A version of a row. While it is pending its timestamp is the writer's start. */
  record Version(long timestamp, boolean pending) {}

  private final Map<Long, TreeMap<Long, Boolean>> rows = new HashMap<>();
  private final Map<Long, Integer> marks = new HashMap<>();

  /** Writes at the start timestamp, with a pending mark. */
  void write(long row, long start) {
    if (versions(row).put(start, true) == null) {
      marks.merge(start, 1, Integer::sum);
    }
  }

  /** Cleanup after a commit: the version moves to the commit timestamp. */
  void moveToCommit(long row, long start, long commit) {
    if (takeMark(row, start)) {
      TreeMap<Long, Boolean> versions = versions(row);
      versions.put(commit, false);
      if (versions.size() > VERSIONS_MAX && !versions.firstEntry().getValue()) {
        versions.pollFirstEntry();
      }
    }
  }

  /** Cleanup after an abort: the version disappears. */
  void takeBack(long row, long start) {
    takeMark(row, start);
  }

  private boolean takeMark(long row, long start) {
    if (!versions(row).getOrDefault(start, false)) {
      return false;
    }
    versions(row).remove(start);
    marks.merge(start, -1, (a, b) -> a + b == 0 ? null : a + b);
    return true;
  }

  /** Versions up to a timestamp, newest first. */
  List<Version> read(long row, long upTo) {
    List<Version> read = new ArrayList<>();
    versions(row)
        .headMap(upTo, false)
        .descendingMap()
        .forEach((timestamp, pending) -> read.add(new Version(timestamp, pending)));
    return read;
  }

  boolean isPending(long row, long start) {
    return versions(row).getOrDefault(start, false);
  }

  /** Whether a transaction has pending marks left. */
  boolean hasMarks(long start) {
    return marks.containsKey(start);
  }

  private TreeMap<Long, Boolean> versions(long row) {
    return rows.computeIfAbsent(row, r -> new TreeMap<>());
  }
}
