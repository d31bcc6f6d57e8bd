package io.retso.net;

import io.retso.member.LeaderWatch;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.Limits;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
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

  private final int clientsMax;
  private final int clientsPerHost;
  private final Set<Connection> connections = new LinkedHashSet<>();

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

  /** Why a connection cannot have a place of clients; null if it can, or has one. */
  String objection(Connection connection) {
    boolean isCounted = connections.contains(connection) && !apart.contains(connection);
    long standbysOfHost =
        apart.stream()
            .filter(other -> other != connection && other.host().equals(connection.host()))
            .count();
    if (connection.ofSameHost() - standbysOfHost > clientsPerHost) {
      return "this address has its "
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
   * A connection says what it is.
   *
   * @throws FrameException if it is no standby, and clients have no place left
   */
  void greeted(Connection connection, String clientName) throws FrameException {
    if (LeaderWatch.isStandby(clientName)) {
      if (apart.size() < STANDBYS_MAX) {
        apart.add(connection);
      }
    } else if (apart.contains(connection)) {
      String objection = objection(connection);
      if (objection != null) {
        throw new FrameException(ErrorCode.TOO_MANY_CONNECTIONS, objection);
      }
      apart.remove(connection);
    }
  }

  void forget(Connection connection) {
    connections.remove(connection);
    apart.remove(connection);
  }
}
