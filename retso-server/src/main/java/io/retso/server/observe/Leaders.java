package io.retso.server.observe;

import io.retso.member.Member;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The last leaders of the log that this server has seen, itself included; those that led for less
 * than a look may be missing. Thread-safe.
 */
final class Leaders {
  /** They are remembered, the last ones. */
  static final int KEPT = 10;

  private record Seen(long epoch, String leader, long sinceMillis) {}

  private final ArrayDeque<Seen> seen = new ArrayDeque<>();

  /**
   * Looks whether another one leads.
   *
   * @param nowMillis since 1970
   */
  synchronized void look(Member.View member, long nowMillis) {
    boolean isKnown = !seen.isEmpty() && seen.getLast().epoch >= member.epoch();
    if (isKnown || member.leader().isEmpty()) {
      return;
    }
    seen.add(new Seen(member.epoch(), member.leader(), nowMillis));
    if (seen.size() > KEPT) {
      seen.removeFirst();
    }
  }

  /** By their epochs, the newest last. */
  synchronized Map<String, Object> map() {
    Map<String, Object> m = new LinkedHashMap<>();
    for (Seen one : seen) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("leader", one.leader);
      entry.put("seen", Instant.ofEpochMilli(one.sinceMillis).toString());
      m.put(Long.toString(one.epoch), entry);
    }
    return m;
  }
}
