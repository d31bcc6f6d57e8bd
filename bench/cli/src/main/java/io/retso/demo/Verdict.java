package io.retso.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * What the demo comes to. Immutable.
 *
 * @param wrongs what must not be, if the money adds up
 * @param failures why little was tested, though the money may add up
 */
record Verdict(List<String> wrongs, List<String> failures) {
  /** Whether the money adds up, and that was tested. */
  boolean isGood() {
    return wrongs.isEmpty() && failures.isEmpty();
  }

  /** For people, the verdict last. */
  List<String> lines() {
    List<String> lines = new ArrayList<>();
    wrongs.forEach(wrong -> lines.add("WRONG: " + wrong));
    failures.forEach(failure -> lines.add("FAILED: " + failure));
    lines.add("VERDICT: " + conclusion());
    return lines;
  }

  private String conclusion() {
    if (isGood()) {
      return "the money adds up.";
    }
    String what =
        wrongs.isEmpty()
            ? "no money is missing, but the demo failed."
            : "THE MONEY DOES NOT ADD UP.";
    return what + " Please report this, with the directory below.";
  }
}
