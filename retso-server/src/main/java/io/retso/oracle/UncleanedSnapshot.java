package io.retso.oracle;

import io.retso.protocol.Timestamps;

/**
 * The list of uncleaned commits that a segment of the log begins with. It is made in steps; the
 * oracle goes on working in between, and what it changes is logged among the list's entries.
 *
 * <p><strong>Claim.</strong> A reader that takes what is shown and the changes since {@link
 * #begin}, in the order in which they happened, knows after the last step exactly the commits that
 * are uncleaned then.
 *
 * <p><em>Nothing is too much.</em> What is shown is uncleaned at that moment, by all changes up to
 * it; to note that twice, or after the commit's own record, changes nothing. Its cleanup, or the
 * sweep that makes one unnecessary, can only follow.
 *
 * <p><em>Nothing is missing.</em> What committed since {@code begin} is a change itself. What was
 * uncleaned at {@code begin} and is so at the end
 *
 * <ul>
 *   <li>was in the window when the walk through the window passed it, and was shown;
 *   <li>or had left the window for the table before the walk got there, and nothing ever leaves the
 *       table but by a cleanup or a sweep. So it is there during the whole walk through the table,
 *       which comes second. What is put into the table during this walk was shown in the window.
 *       Within the table an entry moves only when another is removed, and then towards its home: to
 *       a lower place, unless it is <em>wrapped</em> (its home is near the end of the table, its
 *       place at the beginning). The walk goes downwards, so what is not wrapped moves towards it,
 *       never behind it; and it stays so, as it never moves past its home. What is wrapped at the
 *       beginning is shown at once, before the walk; it lies in the first run of occupied places,
 *       which is short as clients do not know the places.
 * </ul>
 *
 * <p>Twice is shown only what moved towards the walk when another entry was removed, one entry for
 * each removal, and what was overtaken by the window's low end while the walk was in the window.
 */
final class UncleanedSnapshot {
  private final TransactionWindow window;
  private final UncleanedCommits table;

  /** The sequence of the window that is looked at next, up to the next one at the beginning. */
  private long sequence;

  private long end;

  /** Invariant: what left the window before the walk got there is below. */
  private long leftBelow;

  private boolean inTable;

  /** The places of the table below this one are to be looked at. */
  private int place;

  UncleanedSnapshot(TransactionWindow window, UncleanedCommits table) {
    this.window = window;
    this.table = table;
  }

  /** Begins a list. */
  void begin() {
    sequence = window.low();
    leftBelow = sequence;
    end = window.next();
    inTable = false;
  }

  /**
   * Shows some.
   *
   * @param placesMax places to be looked at, at most
   * @param commitsMax commits to be shown, at most, but for a few wrapped ones
   * @return whether these were the last ones
   */
  boolean proceed(int placesMax, int commitsMax, StatusOracle.UncleanedVisitor visitor) {
    return inTable
        ? walkTable(placesMax, commitsMax, visitor)
        : walkWindow(placesMax, commitsMax, visitor);
  }

  private boolean walkWindow(int placesMax, int commitsMax, StatusOracle.UncleanedVisitor visitor) {
    if (sequence < window.low()) {
      sequence = window.low();
      leftBelow = sequence;
    }
    long stop = Math.min(end, sequence + placesMax);
    for (int left = commitsMax; sequence < stop && left > 0; sequence++) {
      long commit = window.uncleanedCommit(sequence);
      if (commit != 0) {
        show(sequence, commit, visitor);
        left--;
      }
    }
    if (sequence < end) {
      return false;
    }
    inTable = true;
    place = table.places();
    for (int wrapped = 0; table.start(wrapped) != 0; wrapped++) {
      if (table.isWrapped(wrapped)) {
        showPlace(wrapped, visitor);
      }
    }
    return table.size() == 0; // and what comes was in the window
  }

  private boolean walkTable(int placesMax, int commitsMax, StatusOracle.UncleanedVisitor visitor) {
    int stop = Math.max(0, place - placesMax);
    for (int left = commitsMax; place > stop && left > 0; ) {
      place--;
      if (table.start(place) != 0 && !table.isWrapped(place)) {
        left -= showPlace(place, visitor);
      }
    }
    return place == 0;
  }

  /** Returns the number of commits shown. */
  private int showPlace(int at, StatusOracle.UncleanedVisitor visitor) {
    if (table.start(at) >= leftBelow || table.isSwept(at)) {
      return 0;
    }
    show(table.start(at), table.commit(at), visitor);
    return 1;
  }

  private static void show(long start, long commit, StatusOracle.UncleanedVisitor visitor) {
    visitor.visit(start << Timestamps.GAP_BITS, commit << Timestamps.GAP_BITS);
  }
}
