package io.retso.client.connection;

import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.OracleMembers;
import io.retso.protocol.Handshake.Welcome;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import io.retso.text.Addresses;
import io.retso.text.Durations;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The servers that share a log, as far as this client knows them: it is connected to all of them at
 * once, and requests go to the one that leads. Event loop only.
 *
 * <p><strong>The leader.</strong> A server is believed to lead if it says so itself, and no server
 * has said so with a higher epoch. So an answer of a deposed server is taken only if the client has
 * heard of no successor; the server itself must not give one that is wrong then (that is what its
 * lease is for). As soon as a higher epoch leads, what an older leader owes is asked of the new
 * one. The epoch that a standby names moves no traffic: it may be that of a take-over whose server
 * died before it led, and then the older leader goes on.
 *
 * <p><strong>Which servers there are.</strong> The addresses that the client was built with, for
 * ever, and those that the leader names, or a standby while no leader is connected ({@link
 * Directory}). A server that is named no more is let go when its connection ends.
 *
 * <p><strong>Fail-over.</strong> While there is no leader, or it is silent, pauses between attempts
 * to connect are short, for {@link #FAILOVER_NANOS_MAX}; less so while a standby is connected,
 * which will say which server leads. A silent leader is not given up for that: it may be alone, and
 * a reply on its way is better than a question that is repeated. A member that takes over says so
 * on a connection that is there already.
 *
 * <p><strong>Pings</strong> are frequent only where they tell something in time: to a leader while
 * requests wait. Otherwise each server is asked now and then whether it lives, so that a dead
 * connection is replaced before it is needed; for each client that is idle this costs the server
 * one frame a second.
 */
final class Members {
  private static final Logger LOG = LoggerFactory.getLogger(OracleClient.class);

  /** Pauses between attempts to connect are short for so long after the loss of a leader. */
  static final long FAILOVER_NANOS_MAX = 10_000_000_000L;

  /** Such a pause, at most; drawn from the upper half. */
  static final long FAILOVER_PAUSE_NANOS = 50_000_000;

  /**
   * Such a pause while a standby is connected, which will say which server leads. Many clients that
   * knock at a closed door together take from the server that is about to lead what processors
   * there are.
   */
  static final long TOLD_PAUSE_NANOS = 200_000_000;

  /** The leader is silent after so many periods of its pings. */
  static final int PERIODS_OF_SILENCE = 5;

  /** Servers from which no answer is waited for are pinged once in so many periods. */
  static final int PERIODS_OF_REST = 10;

  private final Dispatcher dispatcher;
  private final ClientSettings settings;
  private final ClientLoop loop;
  private final SplittableRandom random;
  private final List<Member> all = new ArrayList<>();
  private final Directory directory;
  private final MembersRecord record = new MembersRecord();

  /** The last member that led, to which requests go while it does; null before the first. */
  private Member leader;

  private int nextConnection;
  private long epochSeen = Long.MIN_VALUE;

  /** Since when there is no leader, or it is silent; meaningless if neither is so. */
  private long failoverSince;

  private boolean failingOver;
  private boolean ticking;

  /** No leader has named the members yet. */
  private boolean isNew = true;

  private boolean closed;

  /**
   * The oracle that this client is for; null before the first has answered. Any thread reads it.
   */
  private volatile OracleIdentity oracle;

  Members(Dispatcher dispatcher, ClientSettings settings, ClientLoop loop) {
    this.dispatcher = dispatcher;
    this.settings = settings;
    this.loop = loop;
    this.oracle = settings.expected();
    this.random = new SplittableRandom(settings.seed());
    this.directory = new Directory(settings.addresses());
    directory.wanted(false).forEach(this::add);
  }

  private Member add(InetSocketAddress address) {
    Member member = new Member(this, dispatcher, settings, loop, address, random.split());
    all.add(member);
    return member;
  }

  /** The oracle that this client is for; null before the first has answered. Any thread. */
  OracleIdentity oracle() {
    return oracle;
  }

  /** What is known of all. Any thread. */
  OracleMembers observed() {
    return record.get(loop.nanoTime());
  }

  /** Takes note of what {@link #observed} tells. */
  private void observe() {
    String address = hasLeader() ? Addresses.text(leader.address) : "";
    if (failingOver) {
      record.notLed(address, loop.nanoTime());
    } else if (hasLeader()) {
      record.led(address, epochSeen, loop.nanoTime());
    }
    record.members(
        all.stream().map(member -> Addresses.text(member.address)).toList(),
        (int) all.stream().filter(Member::isReady).count());
  }

  /** Begins to connect to all members unless it did already. */
  void ensureConnecting() {
    if (!ticking && !closed) {
      ticking = true;
      failingOver = true;
      failoverSince = loop.nanoTime();
      loop.schedule(this::tick, settings.pingNanos());
      observe();
    }
    all.forEach(Member::ensureConnecting);
  }

  /** Whether requests may go to a connection. */
  boolean leads(Connection connection) {
    return connection.wasReady()
        && connection.role().leads()
        && connection.role().epoch() >= epochSeen;
  }

  /** The leader's next connection in turn that has room; null if there is none. */
  Connection nextWritable() {
    if (leader == null) {
      return null;
    }
    List<Connection> connections = leader.connections();
    for (int i = 0; i < connections.size(); i++) {
      nextConnection = nextConnection + 1 < connections.size() ? nextConnection + 1 : 0;
      Connection connection = connections.get(nextConnection);
      if (leads(connection) && connection.isWritable()) {
        return connection;
      }
    }
    return null;
  }

  /** All connections whose handshake is done. */
  List<Connection> ready() {
    return all.stream()
        .flatMap(member -> member.connections().stream())
        .filter(Connection::wasReady)
        .collect(Collectors.toList());
  }

  /** Why the one who answers must not be talked to; null if it may, which is remembered. */
  OracleException objection(Connection asked, Welcome offer) {
    OracleIdentity expected = oracle;
    if (expected != null && !offer.oracle().isSameAs(expected)) {
      return asked.errors().another(offer.oracle(), expected);
    }
    ServerRole role = offer.role();
    if (role.leads() && role.epoch() < epochSeen) {
      return asked
          .errors()
          .unavailable(
              "leads with epoch "
                  + role.epoch()
                  + ", below one met before: it was deposed, and another one leads now",
              null);
    }
    oracle = offer.oracle();
    return null;
  }

  /** A handshake is done, or a server said that its role is another one. */
  void update(Connection changed) {
    ServerRole role = changed.role();
    if (role.leads() && role.epoch() > epochSeen) {
      epochSeen = role.epoch();
    }
    endDeposed(true);
    findLeader();
    if (leads(changed) || !hasLeader()) {
      directory.learn(role);
    }
    look();
    revise();
    observe();
    if (hasLeader()) {
      leader.fill();
      dispatcher.connected();
    }
  }

  /**
   * A leader that was deposed may not know it yet. It is about to say so; what it owes is asked of
   * its successor at once.
   */
  private void endDeposed(boolean onlyIfTheyOwe) {
    for (Connection connection : ready()) {
      boolean deposed = connection.role().leads() && !leads(connection);
      if (deposed && (connection.owes() || !onlyIfTheyOwe)) {
        connection.end(
            connection.errors().unavailable("was deposed: another oracle leads now", null));
      }
    }
  }

  private boolean hasLeader() {
    return leader != null && leader.leads();
  }

  /** Either of two addresses of one server is good, but not both in turn. */
  private void findLeader() {
    if (!hasLeader()) {
      leader = all.stream().filter(Member::leads).findFirst().orElse(leader);
    }
  }

  /**
   * Connects to whom it is not connected, and lets go those that are not named and do not answer.
   */
  private void revise() {
    boolean led = hasLeader();
    Set<InetSocketAddress> missing = directory.wanted(led);
    for (Member member : List.copyOf(all)) {
      boolean wanted = missing.remove(member.address);
      if (!wanted && !member.isReady()) {
        all.remove(member);
        member.close(null);
      }
    }
    // All clients hear of a new member at once, and do not need it as long as another one leads.
    long spreadNanos = led && !isNew ? PERIODS_OF_REST * settings.pingNanos() : 1;
    missing.forEach(address -> add(address).connectIn(random.nextLong(spreadNanos)));
    isNew &= !led;
  }

  /** Whether a fail-over is under way; it begins with haste. */
  private void look() {
    long nowNanos = loop.nanoTime();
    boolean silent = hasLeader() && leader.isSilent(nowNanos, silenceNanos());
    boolean underWay = silent || !hasLeader();
    if (underWay && !failingOver) {
      failoverSince = nowNanos;
      failingOver = true;
      LOG.info("the leader {}; looking for another one", silent ? "is silent" : "is gone");
      all.forEach(Member::shortenPause);
    }
    failingOver = underWay;
  }

  private long silenceNanos() {
    return PERIODS_OF_SILENCE * settings.pingNanos();
  }

  /** A pause of {@code pauseNanos}, or a short one if a fail-over is under way. */
  long shortened(long pauseNanos) {
    if (!failingOver || loop.nanoTime() - failoverSince >= FAILOVER_NANOS_MAX) {
      return pauseNanos;
    }
    return isTold()
        ? upperHalf(TOLD_PAUSE_NANOS)
        : Math.min(pauseNanos, upperHalf(FAILOVER_PAUSE_NANOS));
  }

  private boolean isTold() {
    return ready().stream().anyMatch(connection -> !connection.role().leads());
  }

  private long upperHalf(long nanos) {
    return nanos - random.nextLong(nanos / 2);
  }

  private void tick() {
    if (closed) {
      return;
    }
    long nowNanos = loop.nanoTime();
    endSilent(nowNanos);
    endDeposed(false);
    look();
    boolean waiting = dispatcher.intake().outstanding() > 0;
    for (Connection connection : ready()) {
      boolean often = waiting && leads(connection);
      connection.ping(nowNanos, settings.pingNanos() * (often ? 1 : PERIODS_OF_REST));
    }
    for (Member member : all) {
      if (!member.leads()) {
        member.trim();
      }
    }
    observe();
    loop.schedule(this::tick, settings.pingNanos());
  }

  /** Gives up connections whose servers owe something and have been silent for too long. */
  void endSilent(long nowNanos) {
    for (Connection connection : ready()) {
      long most =
          leads(connection)
              ? settings.silenceNanosMax()
              : Math.min(settings.silenceNanosMax(), 4 * silenceNanos());
      if (connection.silenceNanos(nowNanos) >= most) {
        connection.end(
            connection
                .errors()
                .unavailable(
                    "owed replies and sent nothing for "
                        + Durations.text(most)
                        + "; gave up the connection",
                    null));
      }
    }
  }

  /** A connection ended. */
  void lost(Connection connection, OracleException cause) {
    findLeader();
    if (ticking && !closed) {
      look();
      revise();
      observe();
    }
    dispatcher.lost(connection, cause);
  }

  /** Whether no server at any address speaks the protocol, or is the oracle that is wanted. */
  boolean allAreIncompatible() {
    return all.stream().allMatch(Member::isIncompatible);
  }

  /** No address leads to a compatible oracle: waits until a call asks again. */
  void refuse(OracleException cause) {
    all.forEach(Member::rest);
    dispatcher.refuse(cause);
  }

  /**
   * What standbys say, for a message about requests that were not taken; empty if there are none.
   */
  String standbys() {
    return ready().stream()
        .filter(connection -> !connection.role().leads())
        .map(
            connection ->
                "; "
                    + Addresses.text(connection.address)
                    + " is a standby: "
                    + connection.role().whoLeads())
        .collect(Collectors.joining());
  }

  /** Ends all connections, and makes no other. */
  void close(OracleException cause) {
    closed = true;
    all.forEach(member -> member.close(cause));
  }
}
