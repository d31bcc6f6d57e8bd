package io.retso.server.observe;

import io.retso.member.Member;
import io.retso.member.Roster;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** What a member is, in words. */
final class MemberText {
  private MemberText() {}

  /** {@code leader} or {@code standby}, or what it is on its way from one to the other. */
  static String role(Member.View member) {
    return switch (member.state()) {
      case LEADING -> "leader";
      case STANDBY -> "standby";
      case TAKING_OVER, ENDED -> member.state().name().toLowerCase(Locale.ROOT).replace('_', ' ');
    };
  }

  static String roleAndLeader(Member.View member) {
    if (member.leads()) {
      return "leader";
    }
    String leader = member.leader().isEmpty() ? "no leader" : member.leader();
    return role(member) + " of " + leader + ", " + member.entriesBehind() + " entries behind";
  }

  /** By their addresses. */
  static Map<String, Object> members(Member.View member) {
    Map<String, Object> m = new LinkedHashMap<>();
    member.members().forEach(other -> m.put(other.address(), entry(member, other)));
    return m;
  }

  private static Map<String, Object> entry(Member.View member, Roster.Entry other) {
    Map<String, Object> m = new LinkedHashMap<>();
    m.put("http", other.httpAddress());
    m.put("leads", other.address().equals(member.leader()));
    m.put("ready", other.isReady());
    m.put("logVersion", other.logVersion());
    m.put("entriesBehind", other.entriesBehind());
    return m;
  }

  static String text(Member.View member) {
    return member.members().stream()
        .map(
            other ->
                other.address()
                    + (other.address().equals(member.leader())
                        ? " leads"
                        : other.isReady()
                            ? " ready, " + other.entriesBehind() + " entries behind"
                            : " not ready"))
        .collect(Collectors.joining("; "));
  }
}
