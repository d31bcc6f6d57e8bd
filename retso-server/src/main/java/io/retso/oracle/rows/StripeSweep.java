package io.retso.oracle.rows;

/**
 * Goes over a number of places again and again, once in {@link CommittedMap#SWEEP_PERIOD}
 * sequences, so that what they hold is aged before it is 2^31 sequences old.
 */
final class StripeSweep {
  /** Ages what a place holds. */
  interface Place {
    void hold(int place, int now);
  }

  private final int places;
  private final int sequencesPerPlace;
  private final Place action;
  private int sweptAt;
  private int next;

  /** A sweep of so many places, a power of two. */
  StripeSweep(int places, Place action) {
    this.places = places;
    this.action = action;
    sequencesPerPlace = CommittedMap.SWEEP_PERIOD / places;
  }

  /** Begins anew: all places were filled at {@code now}. */
  void clear(int now) {
    sweptAt = now;
    next = 0;
  }

  /** Whether the next {@link #advance} to {@code now} has work to do. */
  boolean isDue(int now) {
    return now - sweptAt >= sequencesPerPlace;
  }

  /** Advances time: ages as many places as are due. */
  void advance(int now) {
    int steps = Math.min((now - sweptAt) / sequencesPerPlace, places);
    for (int i = 0; i < steps; i++) {
      action.hold(next, now);
      next = next + 1 & places - 1;
    }
    sweptAt = steps == places ? now : sweptAt + steps * sequencesPerPlace;
    assert !isDue(now);
  }
}
