package io.retso.advise.model;

import java.util.List;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * Whether each outcome of the programs is that of a serial order. Immutable.
 *
 * @param programs in question
 * @param dangers one for each pivot, program that overwrites what it reads, and program that reads
 *     what it overwrites; the shortest first; empty if there is none
 * @since 0.1
 */
@InterfaceAudience.Public
public record Verdict(Programs programs, List<Danger> dangers) {
  /** Copies the list. */
  public Verdict {
    dangers = List.copyOf(dangers);
  }

  /** Whether they are. */
  public boolean isSerializable() {
    return dangers.isEmpty();
  }

  /** Its dangers as schedules, or that there are none. */
  @Override
  public String toString() {
    if (isSerializable()) {
      return "Serializable: no schedule of these programs needs more than snapshot isolation.\n";
    }
    StringBuilder text = new StringBuilder("Not serializable.\n");
    for (int i = 0; i < dangers.size(); i++) {
      Danger danger = dangers.get(i);
      text.append("\nDanger ").append(i + 1).append(": ").append(danger).append('\n');
      danger.schedule().forEach(step -> text.append("  ").append(step).append('\n'));
    }
    return text.toString();
  }
}
