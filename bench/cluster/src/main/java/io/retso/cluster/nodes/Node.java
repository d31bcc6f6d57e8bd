package io.retso.cluster.nodes;

/**
 * One node of a cluster.
 *
 * @param number among those of its role, from 1
 * @param address an IPv4 address, its own
 */
public record Node(Role role, int number, String address) {
  /** How users call it, such as {@code bookie-2}. */
  public String name() {
    return role.nodeName(number);
  }

  /** Where it listens for its users. */
  public String endpoint() {
    return address + ":" + role.port();
  }
}
