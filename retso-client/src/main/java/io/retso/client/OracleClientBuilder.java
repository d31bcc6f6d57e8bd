package io.retso.client;

import io.retso.client.OracleException.Category;
import io.retso.client.connection.ClientSettings;
import io.retso.client.connection.RemoteOracleClient;
import io.retso.client.sockets.NettyLoop;
import io.retso.protocol.Handshake;
import io.retso.protocol.Limits;
import io.retso.protocol.OracleIdentity;
import io.retso.text.Addresses;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.yetus.audience.InterfaceAudience;

/** Describes an {@link OracleClient}. Not thread-safe; may build several clients. */
@InterfaceAudience.Public
public final class OracleClientBuilder {
  private static final int CONNECTIONS_MAX = 64;
  private static final int OUTSTANDING_MAX = 1 << 22;

  private final List<InetSocketAddress> addresses = new ArrayList<>();
  private String name = "retso-client";
  private Handshake.Mode mode = Handshake.Mode.ORACLE;
  private int connections = 1;
  private int outstandingMax = 1 << 16;
  private long requestTimeoutNanos = Duration.ofSeconds(10).toNanos();
  private long connectTimeoutNanos = Duration.ofSeconds(3).toNanos();
  private long backoffMinNanos = Duration.ofMillis(10).toNanos();
  private long backoffMaxNanos = Duration.ofSeconds(2).toNanos();
  private long pingNanos = Duration.ofMillis(100).toNanos();
  private Long seed;
  private OracleIdentity expected;
  private ClientSecurity security;

  OracleClientBuilder() {}

  /**
   * Adds addresses of servers that share a log, {@code host:port}. At least one is needed; the
   * client learns of the others, is connected to all at once and asks the one that leads. Names are
   * resolved anew at each attempt to connect. A name may have several addresses, those of all
   * members for instance: one of them is used until it fails, then the next.
   */
  public OracleClientBuilder address(String first, String... more) {
    addresses.add(Addresses.parse(first));
    for (String address : more) {
      addresses.add(Addresses.parse(address));
    }
    return this;
  }

  /**
   * How the server's log and this process's threads call the client: 1 to {@link
   * Limits#CLIENT_NAME_BYTES_MAX} bytes of UTF-8. Default: retso-client.
   */
  public OracleClientBuilder name(String name) {
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    check(
        bytes >= 1 && bytes <= Limits.CLIENT_NAME_BYTES_MAX,
        "name must have 1 to " + Limits.CLIENT_NAME_BYTES_MAX + " bytes of UTF-8, not " + bytes);
    this.name = name;
    return this;
  }

  /** The oracle that the client is for: another one is refused. Default: the first it meets. */
  public OracleClientBuilder oracle(OracleIdentity oracle) {
    this.expected = Objects.requireNonNull(oracle);
    return this;
  }

  /** How the client knows the oracle, and identifies itself. Default: it speaks in clear. */
  public OracleClientBuilder security(ClientSecurity newSecurity) {
    this.security = Objects.requireNonNull(newSecurity);
    return this;
  }

  /** What the connections are for; {@link Handshake.Mode#ECHO} is for benchmarks only. */
  public OracleClientBuilder mode(Handshake.Mode mode) {
    this.mode = Objects.requireNonNull(mode);
    return this;
  }

  /**
   * TCP connections to the leader, 1 to 64; they share one event loop and take turns. Each other
   * member has one. Default: 1.
   */
  public OracleClientBuilder connections(int connections) {
    check(
        connections >= 1 && connections <= CONNECTIONS_MAX,
        "connections must be 1 to " + CONNECTIONS_MAX + ", not " + connections);
    this.connections = connections;
    return this;
  }

  /** Time from making a request to its failure, 1 ms to 1 h. Default: 10 s. */
  public OracleClientBuilder requestTimeout(Duration timeout) {
    this.requestTimeoutNanos = checkedNanos(timeout, "requestTimeout");
    return this;
  }

  /**
   * Time to look a name up, again for a TCP connection, and again for the handshake, 1 ms to 1 h.
   * Default: 3 s.
   */
  public OracleClientBuilder connectTimeout(Duration timeout) {
    this.connectTimeoutNanos = checkedNanos(timeout, "connectTimeout");
    return this;
  }

  /**
   * Requests that may be outstanding, 1 to 4,194,304; more fail at once with {@link
   * Category#OVERLOADED}. Costs up to 8 bytes each. Default: 65,536.
   */
  public OracleClientBuilder maxOutstanding(int requests) {
    check(
        requests >= 1 && requests <= OUTSTANDING_MAX,
        "maxOutstanding must be 1 to " + OUTSTANDING_MAX + ", not " + requests);
    this.outstandingMax = requests;
    return this;
  }

  /**
   * Pauses between attempts to connect: they double from {@code min} to {@code max}, and each is
   * drawn from the upper half of its range. Without a leader they are 50 ms at most, for ten
   * seconds. Each 1 ms to 1 h. Default: 10 ms to 2 s.
   */
  public OracleClientBuilder backoff(Duration min, Duration max) {
    long minNanos = checkedNanos(min, "backoff's minimum");
    long maxNanos = checkedNanos(max, "backoff's maximum");
    check(
        minNanos <= maxNanos,
        "backoff must have a minimum that is not above its maximum, not " + min + " and " + max);
    this.backoffMinNanos = minNanos;
    this.backoffMaxNanos = maxNanos;
    return this;
  }

  /**
   * How often the leader is pinged while requests wait and it says nothing, 1 ms to 1 h. After five
   * periods of silence the client tries to connect to the others in short intervals. Where no
   * request waits, pings are ten times rarer. Default: 100 ms.
   */
  public OracleClientBuilder pingPeriod(Duration period) {
    this.pingNanos = checkedNanos(period, "pingPeriod");
    return this;
  }

  /** Seed of the pauses' randomness. Default: a different one for each client. */
  public OracleClientBuilder seed(long seed) {
    this.seed = seed;
    return this;
  }

  /**
   * The client. It connects with its first request, so that a client can be built before its oracle
   * runs; {@link OracleClient#ping()} connects now or says why not.
   *
   * @throws IllegalStateException if no address was given
   */
  public OracleClient build() {
    if (addresses.isEmpty()) {
      throw new IllegalStateException("give the address(\"host:port\") of an oracle");
    }
    ClientSettings settings =
        new ClientSettings(
            List.copyOf(addresses),
            name,
            mode,
            connections,
            outstandingMax,
            requestTimeoutNanos,
            connectTimeoutNanos,
            backoffMinNanos,
            backoffMaxNanos,
            pingNanos,
            seed == null ? System.nanoTime() ^ System.identityHashCode(this) : seed,
            expected,
            security);
    return new RemoteOracleClient(settings, new NettyLoop(settings));
  }

  private static long checkedNanos(Duration duration, String name) {
    check(
        duration.compareTo(Duration.ofMillis(1)) >= 0
            && duration.compareTo(Duration.ofHours(1)) <= 0,
        name + " must be between 1 ms and 1 hour, not " + duration);
    return duration.toNanos();
  }

  private static void check(boolean good, String message) {
    if (!good) {
      throw new IllegalArgumentException(message);
    }
  }
}
