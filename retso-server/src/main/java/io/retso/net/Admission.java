package io.retso.net;

import io.retso.member.LeaderWatch;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.Limits;
import io.retso.security.Role;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which connections a server has: so many of clients, so many of one client host, and {@value
 * #STANDBYS_MAX} of standbys, which are not counted with those of clients. Otherwise clients that
 * have all places, or those of a standby's host, would keep the leader from handing over.
 *
 * <p>A standby is what says so in its HELLO. That may be anybody, so its places are few. A
 * connection for which clients have no place left has one of these until it has said HELLO, for
 * {@value #HELLO_MILLIS} ms at most. Of the event loop.
 */
final class Admission {
  /** Each may be there twice: the connection of one that was cut off ends after a while. */
  static final int STANDBYS_MAX = 2 * Limits.MEMBERS_MAX;

  static final long HELLO_MILLIS = 1_000;

  /** Connections of which it is not known whose they are, where that is to be known. */
  static final int UNKNOWN_MAX = 128;

  /** As many of one network at most: the first 24 bits of an address, or 64 of IPv6. */
  static final int UNKNOWN_PER_NETWORK_MAX = 32;

  private final int clientsMax;
  private final int clientsPerHost;
  private final Set<Connection> connections = new LinkedHashSet<>();

  /** Those of them of which it is to be known whose they are and is not yet, the oldest first. */
  private final Set<Connection> unknown = new LinkedHashSet<>();

  /** Those of them that have a place of standbys. */
  private final Set<Connection> apart = new LinkedHashSet<>();

  Admission(int clientsMax, int clientsPerHost) {
    this.clientsMax = clientsMax;
    this.clientsPerHost = clientsPerHost;
  }

  /** Those that were admitted and are not over; a copy is to be made to end them. */
  Collection<Connection> connections() {
    return Collections.unmodifiableSet(connections);
  }

  int count() {
    return connections.size();
  }

  /**
   * Has a connection more.
   *
   * @return why it is not admitted; null if it is
   */
  String admit(Connection connection) {
    String objection = objection(connection);
    if (objection != null) {
      if (apart.size() == STANDBYS_MAX) {
        return objection;
      }
      apart.add(connection);
    }
    connections.add(connection);
    return null;
  }

  /**
   * A connection begins of which it is to be known whose it is. If there are too many of these, or
   * of its network, one gives way: the oldest of the network that has most.
   */
  void await(Connection connection) {
    unknown.add(connection);
    Map<String, List<Connection>> networks = new HashMap<>();
    for (Connection each : unknown) {
      networks.computeIfAbsent(network(each.host()), any -> new ArrayList<>()).add(each);
    }
    List<Connection> most = Collections.max(networks.values(), Comparator.comparingInt(List::size));
    if (unknown.size() > UNKNOWN_MAX || most.size() > UNKNOWN_PER_NETWORK_MAX) {
      unknown.remove(most.get(0));
      most.get(0).giveWay();
    }
  }

  /** The neighbours of a host: others of one that has many addresses. */
  private static String network(InetAddress host) {
    byte[] address = host.getAddress();
    return HexFormat.of().formatHex(address, 0, address.length == 4 ? 3 : 8);
  }

  /** Why a connection cannot have a place of clients; null if it can, or has one. */
  String objection(Connection connection) {
    boolean isCounted = connections.contains(connection) && !apart.contains(connection);
    long standbysOfHost =
        apart.stream()
            .filter(other -> other != connection && other.host().equals(connection.host()))
            .count();
    if (connection.ofSameClient() - standbysOfHost > clientsPerHost) {
      return (connection.isKnown() ? "this principal has its " : "this address has its ")
          + clientsPerHost
          + " connections; share one client, or raise connections.per.host";
    }
    if (connections.size() - apart.size() + (isCounted ? 0 : 1) > clientsMax) {
      return "the server has its "
          + clientsMax
          + " connections; share one client, or raise connections.max";
    }
    return null;
  }

  /** Whether it has a place of standbys: it is one, or clients have no place left. */
  boolean isApart(Connection connection) {
    return apart.contains(connection);
  }

  /**
   * A connection says what it is, or has proved who its client is.
   *
   * @throws FrameException if it is no standby, and clients, or this one, have no place left
   */
  void greeted(Connection connection, String clientName) throws FrameException {
    if (!connection.identity().isToSay()) {
      unknown.remove(connection);
    }
    if (LeaderWatch.isStandby(clientName) && connection.identity().has(Role.MEMBER)) {
      if (apart.size() < STANDBYS_MAX) {
        apart.add(connection);
      }
    } else if (apart.contains(connection) || connection.isKnown()) {
      String objection = objection(connection);
      if (objection != null) {
        throw new FrameException(ErrorCode.TOO_MANY_CONNECTIONS, objection);
      }
      apart.remove(connection);
    }
  }

  void forget(Connection connection) {
    unknown.remove(connection);
    connections.remove(connection);
    apart.remove(connection);
  }
}
