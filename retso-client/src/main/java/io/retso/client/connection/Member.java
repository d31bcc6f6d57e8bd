package io.retso.client.connection;

import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.protocol.Handshake.Welcome;
import io.retso.text.Addresses;
import io.retso.text.Durations;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One address of a server: makes the connections to it, and makes the next ones when these end. One
 * connection to a standby, as many as the client was built with to the leader. Event loop only.
 *
 * <pre>
 *          connect()            a connection ended
 *   IDLE ----------&gt; CONNECTED -------------------&gt; PAUSING
 *    ^               |       ^                        |
 *    |               |       |      pause is over     |
 *    +---------------+       +------------------------+
 *     no address leads to a compatible oracle
 * </pre>
 *
 * <p>CONNECTED means that its connections are there or under way.
 */
final class Member {
  private static final Logger LOG = LoggerFactory.getLogger(OracleClient.class);

  private enum State {
    IDLE,
    CONNECTED,
    PAUSING,
    CLOSED
  }

  final InetSocketAddress address;

  private final Members members;
  private final Dispatcher dispatcher;
  private final ClientSettings settings;
  private final ClientLoop loop;
  private final Backoff backoff;
  private final List<Connection> connections = new ArrayList<>();
  private State state = State.IDLE;
  private long pauses;
  private boolean incompatible;

  Member(
      Members members,
      Dispatcher dispatcher,
      ClientSettings settings,
      ClientLoop loop,
      InetSocketAddress address,
      SplittableRandom random) {
    this.members = members;
    this.dispatcher = dispatcher;
    this.settings = settings;
    this.loop = loop;
    this.address = address;
    this.backoff = new Backoff(settings.backoffMinNanos(), settings.backoffMaxNanos(), random);
  }

  /** Its connections, of which some may be under way; not to be changed. */
  List<Connection> connections() {
    return connections;
  }

  /** Whether one of its connections is that of a leader that is believed. */
  boolean leads() {
    for (Connection connection : connections) {
      if (members.leads(connection)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a leader owes something on each connection, and has said nothing for long. */
  boolean isSilent(long nowNanos, long silenceNanos) {
    for (Connection connection : connections) {
      if (members.leads(connection) && connection.silenceNanos(nowNanos) < silenceNanos) {
        return false;
      }
    }
    return true;
  }

  /** Whether nothing goes on since what answered last was no oracle that this client is for. */
  boolean isIncompatible() {
    return incompatible && connections.isEmpty();
  }

  /** Whether the handshake of one of its connections is done. */
  boolean isReady() {
    for (Connection connection : connections) {
      if (connection.wasReady()) {
        return true;
      }
    }
    return false;
  }

  /** Begins to connect after a pause. */
  void connectIn(long pauseNanos) {
    pauseFor(pauseNanos);
  }

  /** Begins to connect unless it did already. */
  void ensureConnecting() {
    if (state == State.IDLE) {
      state = State.CONNECTED;
      fill();
    }
  }

  /** Makes the connections that are missing. */
  void fill() {
    int wanted = leads() ? settings.connections() : 1;
    while (state == State.CONNECTED && connections.size() < wanted) {
      Connection connection = new Connection(this, dispatcher, settings, loop, address);
      connections.add(connection);
      loop.connect(connection);
    }
  }

  /** Ends all connections of a standby but one, unless they owe replies. */
  void trim() {
    for (int i = connections.size() - 1; i > 0; i--) {
      Connection surplus = connections.get(i);
      if (surplus.wasReady() && !surplus.owes()) {
        connections.remove(i); // so that its end is no loss
        surplus.end(surplus.errors().unavailable("is no leader any more", null));
      }
    }
  }

  /** The handshake of a connection is done. */
  void ready(Connection ready) {
    incompatible = false;
    LOG.info(
        "connected to oracle {} at {}, {} of epoch {}",
        ready.welcome().oracle(),
        Addresses.text(address),
        ready.role().leads() ? "leader" : "standby",
        ready.role().epoch());
    members.update(ready);
  }

  /** A server said that its role is another one, or that other members are there. */
  void roleChanged(Connection connection) {
    LOG.info(
        "the oracle at {} {}; {}",
        Addresses.text(address),
        connection.role().leads() ? "leads" : "is a standby",
        connection.role().whoLeads());
    members.update(connection);
  }

  /** Why the one who answers must not be talked to; null if it may. */
  OracleException objection(Connection asked, Welcome offer) {
    return members.objection(asked, offer);
  }

  /** A connection or the attempt to make it is over. */
  void ended(Connection ended, OracleException cause) {
    if (!connections.remove(ended)) {
      return; // it was let go
    }
    if (state == State.CLOSED) {
      members.lost(ended, cause);
      return;
    }
    if (ended.answered()) {
      backoff.reset();
    }
    // A breach after the handshake may pass; a handshake that fails so is for a person to mend.
    incompatible = !ended.wasReady() && isForAPerson(cause.category());
    boolean pauses = state == State.PAUSING;
    state = State.PAUSING; // before others hear of it, which may ask for a connection
    members.lost(ended, cause);
    if (members.allAreIncompatible()) {
      members.refuse(cause);
    } else if (!pauses && state == State.PAUSING) {
      pause(cause);
    }
  }

  private static boolean isForAPerson(Category category) {
    return category == Category.INCOMPATIBLE || category == Category.NOT_AUTHENTICATED;
  }

  private void pause(OracleException cause) {
    long pauseNanos = members.shortened(backoff.nextNanos());
    if (Integer.bitCount(backoff.failures()) == 1) {
      // Failures 1, 2, 4, 8...: an oracle that is away for a day costs some twenty lines.
      LOG.warn(
          "{}; failure {} in a row, next attempt in {}",
          cause.getMessage(),
          backoff.failures(),
          Durations.text(pauseNanos));
    }
    pauseFor(pauseNanos);
  }

  /** Pauses no longer than what is usual while a fail-over is under way. */
  void shortenPause() {
    if (state == State.PAUSING) {
      pauseFor(members.shortened(settings.backoffMaxNanos()));
    }
  }

  /** Pauses, or goes on to: the timer of the pause before ends nothing any more. */
  private void pauseFor(long pauseNanos) {
    state = State.PAUSING;
    long number = ++pauses;
    loop.schedule(
        () -> {
          if (state == State.PAUSING && number == pauses) {
            state = State.CONNECTED;
            fill();
          }
        },
        pauseNanos);
  }

  /** Trying again cannot help until an operator acts: waits for the next call to ask for it. */
  void rest() {
    if (state != State.CLOSED) {
      state = State.IDLE;
    }
  }

  /**
   * Ends its connections and makes no other.
   *
   * @param cause null if it is no member any more
   */
  void close(OracleException cause) {
    state = State.CLOSED;
    for (Connection connection : List.copyOf(connections)) {
      connection.end(
          cause == null ? connection.errors().unavailable("is no member any more", null) : cause);
    }
  }
}
