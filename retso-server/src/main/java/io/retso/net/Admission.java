package io.retso.net;

import io.retso.member.LeaderWatch;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.Limits;
import io.retso.security.Identity;
import io.retso.security.Role;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Which connections a server has: so many of clients, so many of one client host, and {@value
 * #STANDBYS_MAX} of standbys, which are not counted with those of clients. Otherwise clients that
 * have all places, or those of a standby's host, would keep the leader from handing over.
 *
 * <p>A standby is what says so in its HELLO. That may be any client, so its places are few. A
 * connection for which clients have no place left has one of these until it has said HELLO, for
 * {@value #HELLO_MILLIS} ms at most.
 *
 * <p>Where clients identify themselves, some places are kept for region servers, members and
 * operators: applications that take all they can get would end the reads of all tables, and keep
 * away the one that could end it. Of the event loop.
 */
final class Admission {
  /** Each may be there twice: the connection of one that was cut off ends after a while. */
  static final int STANDBYS_MAX = 2 * Limits.MEMBERS_MAX;

  static final long HELLO_MILLIS = 1_000;

  /** Connections of which it is not known whose they are, where that is to be known. */
  static final int UNKNOWN_MAX = 128;

  /** As many of one network at most: the first 24 bits of an address, or 64 of IPv6. */
  static final int UNKNOWN_PER_NETWORK_MAX = 32;

  /** One of so many places is kept: 64 of 1,024. */
  static final int KEPT_SHARE = 16;

  private static final Set<Role> KEPT_FOR =
      EnumSet.of(Role.REGION_SERVER, Role.MEMBER, Role.OPERATOR);

  private final int clientsMax;
  private final int clientsPerHost;
  private final BooleanSupplier asks;
  private final Set<Connection> connections = new LinkedHashSet<>();

  /** Those of them of which it is to be known whose they are and is not yet, the oldest first. */
  private final Set<Connection> unknown = new LinkedHashSet<>();

  /** Those of them that have a place of standbys. */
  private final Set<Connection> apart = new LinkedHashSet<>();

  /**
   * Has no connections yet.
   *
   * @param asks whether clients may, or must, identify themselves
   */
  Admission(int clientsMax, int clientsPerHost, BooleanSupplier asks) {
    this.clientsMax = clientsMax;
    this.clientsPerHost = clientsPerHost;
    this.asks = asks;
  }

  /** Those that were admitted and are not over; a copy is to be made to end them. */
  Collection<Connection> connections() {
    return Collections.unmodifiableSet(connections);
  }

  int count() {
    return connections.size();
  }

  /**
   * Has a connection more. One of which it is to be known whose it is takes no place of clients
   * until then. If there are too many of these, or of its network, one gives way: the oldest of the
   * network that has most.
   *
   * @param isToSay whether it is to be known whose it is
   * @return why it is not admitted; null if it is
   */
  String admit(Connection connection, boolean isToSay) {
    if (isToSay) {
      connections.add(connection);
      unknown.add(connection);
      oneGivesWay();
      return null;
    }
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

  private void oneGivesWay() {
    Map<String, List<Connection>> networks = new HashMap<>();
    for (Connection each : unknown) {
      networks.computeIfAbsent(network(each.host()), any -> new ArrayList<>()).add(each);
    }
    List<Connection> most = Collections.max(networks.values(), Comparator.comparingInt(List::size));
    if (unknown.size() > UNKNOWN_MAX || most.size() > UNKNOWN_PER_NETWORK_MAX) {
      unknown.remove(most.get(0));
      connections.remove(most.get(0)); // also if its close takes a while
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
    long standbysOfHost =
        apart.stream()
            .filter(other -> other != connection && other.host().equals(connection.host()))
            .count();
    if (connection.ofSameClient() - standbysOfHost > clientsPerHost) {
      return (connection.isKnown() ? "this principal has its " : "this address has its ")
          + clientsPerHost
          + " connections; share one client, or raise connections.per.host";
    }
    if (isFull(connection)) {
      return "the server has its "
          + clientsMax
          + " connections; share one client, or raise connections.max";
    }
    int kept = clientsMax / KEPT_SHARE;
    if (asks.getAsBoolean() && isOrdinary(connection) && ordinary(connection) > clientsMax - kept) {
      return "the server has its connections but for "
          + kept
          + " that are kept for region servers, members and operators; share one client, or raise"
          + " connections.max";
    }
    return null;
  }

  private boolean isFull(Connection connection) {
    boolean isCounted = connections.contains(connection) && !apart.contains(connection);
    return connections.size() - apart.size() - unknown.size() + (isCounted ? 0 : 1) > clientsMax;
  }

  /** How many clients there are for which no place is kept, this one included. */
  private long ordinary(Connection connection) {
    return 1
        + connections.stream()
            .filter(other -> other != connection && !apart.contains(other) && isOrdinary(other))
            .count();
  }

  /** Whether it has said all that it has to, and no place is kept for such. */
  private static boolean isOrdinary(Connection connection) {
    Identity identity = connection.identity();
    return identity != null
        && !identity.isToSay()
        && !(identity.isKnown() && KEPT_FOR.stream().anyMatch(identity::has));
  }

  /** Whether it has a place of standbys: it is one, or clients have no place left. */
  boolean isApart(Connection connection) {
    return apart.contains(connection);
  }

  /**
   * A connection says what it is, or has proved its client's identity: one of which that is known
   * takes a place.
   *
   * @throws FrameException if it is no standby, and clients, or this one, have no place left
   */
  void greeted(Connection connection, String clientName) throws FrameException {
    if (connection.identity().isToSay()) {
      return;
    }
    unknown.remove(connection);
    if (LeaderWatch.isStandby(clientName) && connection.identity().has(Role.MEMBER)) {
      if (apart.size() < STANDBYS_MAX) {
        apart.add(connection);
      }
    } else if (apart.contains(connection) || connection.isKnown() || asks.getAsBoolean()) {
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
