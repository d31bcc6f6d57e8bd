package io.retso.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a check of tables has found; it shows the first ones. For one thread. */
public final class Findings {
  private static final int SHOWN_MAX = 3;

  private final List<String> shown = new ArrayList<>();
  private int more;

  /** Adds something that is wrong. */
  public void add(String finding) {
    if (shown.size() < SHOWN_MAX) {
      shown.add(finding);
    } else {
      more++;
    }
  }

  /** Adds a number that is not what it should be; one that is adds nothing. */
  public void equal(String where, String what, long found, long expected) {
    if (found != expected) {
      add(String.format(Locale.ROOT, "%s: %s: %,d instead of %,d", where, what, found, expected));
    }
  }

  /** All in one line; empty if nothing is wrong. */
  @Override
  public String toString() {
    return String.join("; ", shown) + (more > 0 ? "; and " + more + " more" : "");
  }
}
