package io.retso.advise.model;

import java.util.List;
import java.util.Locale;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * A change of programs after which snapshot isolation is enough for them. Immutable.
 *
 * @param steps what to change, in words
 * @param cost how much it costs beside others
 * @param programs as they are with it
 * @since 0.1
 */
@InterfaceAudience.Public
public record Repair(List<String> steps, double cost, Programs programs) {
  /** Copies the list. */
  public Repair {
    steps = List.copyOf(steps);
  }

  /** Such as {@code cost 1.0: WriteCheck validates its read of saving[n] (getValidated)}. */
  @Override
  public String toString() {
    return String.format(Locale.ROOT, "cost %.1f: %s", cost, String.join("; ", steps));
  }
}
