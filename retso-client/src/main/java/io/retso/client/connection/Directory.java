package io.retso.client.connection;

import io.retso.protocol.Limits;
import io.retso.protocol.ServerRole;
import io.retso.text.Addresses;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Where servers that share a log may be reached. Event loop only.
 *
 * <p>A list that a server sends may lack one that lives: registrations lapse before processes do,
 * those of all members at once if ZooKeeper is away for long. So what was ever named is remembered,
 * {@link Limits#MEMBERS_MAX} addresses at most, and tried while there is no leader. An address that
 * leads to another oracle by then does no harm, since its id is another one.
 */
final class Directory {
  /** Those that the client was built with: they count for ever. */
  private final Set<InetSocketAddress> given;

  /** Those that the leader named last. */
  private Set<InetSocketAddress> current = Set.of();

  /** Those that were ever named, the latest at the end. */
  private final Set<InetSocketAddress> remembered = new LinkedHashSet<>();

  Directory(Collection<InetSocketAddress> given) {
    this.given = new LinkedHashSet<>(given);
  }

  /** Takes note of what a server names, the leader's address included. */
  void learn(ServerRole role) {
    Set<InetSocketAddress> named = new LinkedHashSet<>();
    role.members().forEach(address -> named.add(Addresses.parse(address)));
    if (!role.leaderAddress().isEmpty()) {
      named.add(Addresses.parse(role.leaderAddress()));
    }
    if (role.leads() && !role.members().isEmpty()) {
      current = named;
    }
    remembered.removeAll(named);
    remembered.addAll(named);
    Iterator<InetSocketAddress> oldest = remembered.iterator();
    while (remembered.size() > Limits.MEMBERS_MAX) {
      oldest.next();
      oldest.remove();
    }
  }

  /**
   * The addresses to be connected to.
   *
   * @param thereIsALeader otherwise those are among them that are not named any more
   */
  Set<InetSocketAddress> wanted(boolean thereIsALeader) {
    Set<InetSocketAddress> wanted = new LinkedHashSet<>(given);
    wanted.addAll(thereIsALeader ? current : remembered);
    return wanted;
  }
}
