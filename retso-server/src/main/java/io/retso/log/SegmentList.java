package io.retso.log;

import io.retso.log.TakeOver.Segment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The ledgers of the log, oldest first, as its writer knows them, and which of them are not needed.
 * Touched by the writer's thread only.
 */
final class SegmentList {
  private final List<Segment> segments;

  /**
   * A list.
   *
   * @param inherited what was taken over; belongs to this list from now on
   */
  SegmentList(List<Segment> inherited) {
    this.segments = inherited;
  }

  /**
   * A ledger of this writer's comes behind the others.
   *
   * @param start as in {@link Segment}
   */
  void add(long ledger, long start) {
    segments.add(new Segment(ledger, start, false));
  }

  int size() {
    return segments.size();
  }

  Segment last() {
    return segments.get(segments.size() - 1);
  }

  /** Where each ledger begins. */
  Map<Long, Long> starts() {
    Map<Long, Long> starts = new HashMap<>();
    segments.forEach(each -> starts.put(each.ledger(), each.start()));
    return starts;
  }

  /**
   * Drops the segments before the newest one that begins at or before {@code windowStart}.
   *
   * @param retained whether those of the writer before stay all the same
   * @return the ledgers that were dropped
   */
  List<Long> trim(long windowStart, boolean retained) {
    int first = -1;
    for (int i = segments.size() - 1; i >= 0 && first < 0; i--) {
      if (segments.get(i).start() <= windowStart) {
        first = i;
      }
    }
    List<Segment> dead = new ArrayList<>();
    for (int i = 0; i < first; i++) {
      Segment segment = segments.get(i);
      if (!segment.inherited() || !retained) {
        dead.add(segment);
      }
    }
    segments.removeAll(dead);
    return dead.stream().map(Segment::ledger).toList();
  }
}
