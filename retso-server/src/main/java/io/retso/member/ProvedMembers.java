package io.retso.member;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Which of those that are registered are members indeed. A stranger that can write where they
 * register can register an address, and clients that are told of it connect there. Where clients
 * have to identify themselves, members prove it, too: to the leader by the connection on which they
 * watch it, and the leader tells the others.
 *
 * <p>What was proved is remembered for a while, so that members stay named while a connection is
 * made again, or another one takes over and they come to it. Of the member's thread.
 */
final class ProvedMembers {
  /** A member that has not proved it for so long is named no more. */
  static final long MEMORY_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** When they have last proved it, by address; only of those that are registered. */
  private final Map<String, Long> provedNanos = new HashMap<>();

  /**
   * Those that have proved it lately.
   *
   * @param registered whose order they have
   * @param proves whether the member at an address proves it at this moment
   */
  List<Roster.Entry> among(List<Roster.Entry> registered, Predicate<String> proves, long now) {
    provedNanos.keySet().retainAll(registered.stream().map(Roster.Entry::address).toList());
    List<Roster.Entry> proved = new ArrayList<>();
    for (Roster.Entry member : registered) {
      if (proves.test(member.address())) {
        provedNanos.put(member.address(), now);
      }
      Long last = provedNanos.get(member.address());
      if (last != null && now - last < MEMORY_NANOS) {
        proved.add(member);
      }
    }
    return proved;
  }
}
