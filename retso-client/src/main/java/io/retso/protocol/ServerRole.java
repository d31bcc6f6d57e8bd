package io.retso.protocol;

import java.util.List;
import java.util.regex.Pattern;

/**
 * What a server says of itself and of all servers that share its log, the <em>members</em>.
 *
 * @param leads whether it is the leader; otherwise it is a standby, which decides nothing
 * @param epoch of the leader, of which a successor has a higher one; of a standby the highest one
 *     that it knows, 0 if none
 * @param leader the leader's name, formed like that of an oracle; empty if it is not known
 * @param leaderAddress where clients reach the leader, {@code host:port}; empty if it is not known
 * @param members where clients reach the members, the server itself included; empty if not known;
 *     {@link Limits#MEMBERS_MAX} at most
 */
public record ServerRole(
    boolean leads, long epoch, String leader, String leaderAddress, List<String> members) {
  /** The role of a standby that does not know which server leads. */
  public static final ServerRole UNKNOWN = new ServerRole(false, 0, "", "", List.of());

  private static final Pattern ADDRESS =
      Pattern.compile("(?:\\[[0-9A-Za-z:.%]+]|[0-9A-Za-z._-]+):([1-9][0-9]{0,4})");

  private static final int PORT_MAX = 65_535;

  /**
   * Checks names, addresses and how many there are.
   *
   * @throws IllegalArgumentException if one is malformed, or there are too many
   */
  public ServerRole {
    members = List.copyOf(members);
    if (members.size() > Limits.MEMBERS_MAX) {
      throw new IllegalArgumentException(
          members.size() + " members; at most " + Limits.MEMBERS_MAX + " may share a log");
    }
    if (!leader.isEmpty() && !OracleIdentity.isName(leader)) {
      throw new IllegalArgumentException("'" + leader + "' is no name of a server");
    }
    if (!leaderAddress.isEmpty()) {
      check(leaderAddress);
    }
    members.forEach(ServerRole::check);
  }

  /** The role of a leader without standbys. */
  public static ServerRole alone(long epoch) {
    return new ServerRole(true, epoch, "", "", List.of());
  }

  /** Whether a client can use it: {@code host:port}, IPv6 as {@code [::1]:port}. */
  public static boolean isAddress(String text) {
    var matcher = ADDRESS.matcher(text);
    return text.length() <= Limits.ADDRESS_BYTES_MAX
        && matcher.matches()
        && Integer.parseInt(matcher.group(1)) <= PORT_MAX;
  }

  private static void check(String address) {
    if (!isAddress(address)) {
      throw new IllegalArgumentException("'" + address + "' is no address host:port");
    }
  }

  /** Where requests are answered, for messages. */
  public String whoLeads() {
    if (leaderAddress.isEmpty()) {
      return "no leader is known";
    }
    return "the leader is "
        + (leader.isEmpty() ? "" : leader + " at ")
        + leaderAddress
        + ", epoch "
        + epoch;
  }
}
