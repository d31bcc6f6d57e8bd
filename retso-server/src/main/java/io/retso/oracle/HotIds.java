package io.retso.oracle;

import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The ids because of which most commits were refused lately, in a fixed number of places: an id
 * that finds none free takes that of the id with the fewest refusals, and these with it
 * (space-saving). So an id that has more refusals than one in {@value #IDS} of all is among them
 * for certain.
 *
 * <p>Allocates nothing after construction but in {@link #top}. Of the oracle's thread.
 */
public final class HotIds {
  /** Ids that are known at a time. */
  static final int IDS = 64;

  /** Counts are halved so often: what is over is soon forgotten. */
  static final long HALF_LIFE_NANOS = 10_000_000_000L;

  private final long[] ids = new long[IDS];
  private final long[] counts = new long[IDS];
  private final long[] taken = new long[IDS];
  private final long[] commits = new long[IDS];
  private long halvedNanos;

  /**
   * One of them.
   *
   * @param id as requests name it; 0 goes by another name in the oracle's map
   * @param refusals because of it, halved every ten seconds; it may be {@code surplus} too many
   * @param surplus refusals of ids that had its place before
   * @param commit the last commit that was met there, a timestamp; 0 if that was not known
   */
  public record Hot(long id, long refusals, long surplus, long commit) {}

  /** A request was refused because of an id that met a commit, or 0. */
  void refused(long id, long commit) {
    int place = 0;
    for (int i = 0; i < IDS; i++) {
      if (ids[i] == id && counts[i] > 0) {
        counts[i]++;
        commits[i] = commit;
        return;
      }
      place = counts[i] < counts[place] ? i : place;
    }
    ids[place] = id;
    taken[place] = counts[place];
    counts[place]++;
    commits[place] = commit;
  }

  /** Time goes on: to be called once a second, or so. */
  public void age(long nowNanos) {
    if (halvedNanos == 0) {
      halvedNanos = nowNanos;
    }
    long halves = Math.min((nowNanos - halvedNanos) / HALF_LIFE_NANOS, Long.SIZE - 1);
    if (halves > 0) {
      halvedNanos = nowNanos;
      for (int i = 0; i < IDS; i++) {
        counts[i] >>= halves;
        taken[i] >>= halves;
      }
    }
  }

  /** All of them, those with most refusals first. */
  public List<Hot> top() {
    return IntStream.range(0, IDS)
        .filter(i -> counts[i] > 0)
        .mapToObj(i -> new Hot(ids[i], counts[i], taken[i], commits[i]))
        .sorted(Comparator.comparingLong(Hot::refusals).reversed())
        .toList();
  }
}
