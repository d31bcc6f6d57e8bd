package io.retso.server;

import io.retso.front.FrontDesk;
import io.retso.log.LedgerLog;
import io.retso.log.LogException;
import io.retso.log.MemoryLog;
import io.retso.log.bookkeeper.BookKeeperStore;
import io.retso.member.Member;
import io.retso.member.Roster;
import io.retso.net.OracleServer;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import io.retso.protocol.Timestamps;
import io.retso.security.ClusterSecret;
import io.retso.sequencer.Recovery;
import io.retso.sequencer.TimeLimit;
import io.retso.server.config.ConfigException;
import io.retso.server.config.MemoryPlan;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Setting;
import io.retso.server.config.Settings;
import io.retso.server.config.ValueType;
import io.retso.server.embedded.EmbeddedBookKeeper;
import io.retso.server.members.OwnAddress;
import io.retso.server.observe.BatchHistogram;
import io.retso.server.observe.FigureReader;
import io.retso.server.observe.Figures;
import io.retso.server.observe.Health;
import io.retso.server.observe.HttpEndpoint;
import io.retso.server.observe.Observation;
import io.retso.server.observe.ServerFacts;
import io.retso.server.rehearsal.Rehearsal;
import io.retso.text.Addresses;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a server is made of, started one after another and closed in the opposite order: HTTP, the
 * network front, the oracle with its tables, the log, and the tasks of the oracle's thread.
 *
 * <p>{@link #start} and {@link #close} are called once each; the rest may be asked by any thread
 * when {@link #start} has returned.
 */
final class ServerParts {
  private record Part(String name, AutoCloseable closer) {}

  private static final Logger LOG = LoggerFactory.getLogger(ServerParts.class);
  private static final int CONNECTIONS_PER_HOST_MIN = 64;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final long TICK_NANOS_MAX = 1_000_000_000;

  private final ServerConfig config;
  private final MemoryPlan memory;
  private final Consumer<LogException> onTrouble;
  private final LongSupplier nanoClock = System::nanoTime;
  private final Observation observation;
  private final BatchHistogram decisions = BatchHistogram.ofLatencies();
  private final BatchHistogram turns = BatchHistogram.ofLatencies();
  private final BatchHistogram turnsCpu = BatchHistogram.ofLatencies();

  /** What was started, the last one first: to be closed in this order. */
  private final Deque<Part> parts = new ArrayDeque<>();

  private HttpEndpoint http;
  private OracleServer net;
  private ServerOracle oracle;

  /** Null with a log in memory; then this is what {@link #alone} says. */
  private ServerMember member;

  private Member.View alone;
  private ServerLog log;
  private ServerFacts facts;
  private int port;
  private volatile OracleIdentity identity;
  private ServerSecurity security;
  private double startSeconds;

  /**
   * Makes parts that are not started.
   *
   * @param onTrouble hears when the log can be neither read nor taken over, after {@link #start}
   */
  ServerParts(
      ServerConfig config, MemoryPlan memory, Health health, Consumer<LogException> onTrouble) {
    this.config = config;
    this.onTrouble = onTrouble;
    this.memory = memory;
    this.observation = new Observation(health);
  }

  /**
   * Starts everything, so that requests are answered when it returns. What was started before an
   * exception must be closed.
   */
  void start() throws ConfigException, IOException, LogException, InterruptedException {
    long before = nanoClock.getAsLong();
    started("observation", observation);
    // First, so that a port that is taken is known before anything long, and recovery can be seen.
    InetSocketAddress httpAddress = address(Settings.HTTP_HOST, Settings.HTTP_PORT);
    InetSocketAddress listenAddress = address(Settings.LISTEN_HOST, Settings.LISTEN_PORT);
    security = ServerSecurity.open(config, listenAddress, httpAddress);
    started("security", security);
    http =
        HttpEndpoint.start(
            httpAddress, observation.pages(), observation.actions(), security.http());
    started("http", http);
    ReservedPort reserved = ReservedPort.of(listenAddress);
    started("reserved port", reserved);
    net = new OracleServer(netSettings());
    started("network", net);
    // The tables are hundreds of megabytes, which the system hands over page by page; an embedded
    // cluster waits for its disk and for itself. So both at a time.
    CompletableFuture<ServerOracle> making =
        CompletableFuture.supplyAsync(() -> new ServerOracle(config, nanoClock));
    log = new ServerLog(config);
    started("log", log);
    log.prepare();
    ClusterSecret secret = ServerSecurity.secret(config);
    log.startEmbedded(secret);
    oracle = making.join();
    BookKeeperStore store = config.isDurable() ? log.open(secret) : null;
    // With a log in memory everything is forgotten with the process: each is another oracle.
    UUID logId = store == null ? UUID.randomUUID() : UUID.fromString(store.logId());
    identity = new OracleIdentity(logId, config.get(Settings.ORACLE_NAME));
    security.files().use(secret, logId.toString());
    port = net.listen(listenAddress).getPort();
    reserved.close();
    long recoveringSince = nanoClock.getAsLong();
    if (store == null) {
      leadAlone();
    } else {
      join(store);
    }
    keepTime();
    security.files().watch(log::use, () -> net.executor().execute(this::look));
    // Answered behind the look at open connections, which is a task of the loop, too.
    observation.offerReload(
        () -> security.files().readNow().thenApplyAsync(Function.identity(), net.executor()));
    observation.offerClients(() -> CompletableFuture.supplyAsync(net::clients, net.executor()));
    net.every(TimeUnit.HOURS.toNanos(1), security::remind);
    long now = nanoClock.getAsLong();
    facts =
        new ServerFacts(
            identity,
            advertised(),
            config.get(Settings.LOG),
            log.place(),
            view().transactions(),
            store == null ? 0 : (now - recoveringSince) / NANOS_PER_SECOND,
            memory,
            security::posture,
            now);
    observation.serve(new FigureReader(net.executor(), this::copyFigures, nanoClock), facts);
    startSeconds = (nanoClock.getAsLong() - before) / NANOS_PER_SECOND;
  }

  /** What is asked of connections may be something else by now; of the oracle's thread. */
  private void look() {
    net.lookAtClients();
    member().ifPresent(ServerMember::lookAtLeader);
  }

  /** What an operator should see to; empty if there is nothing. */
  String warning() {
    return security.warning();
  }

  /** Without a log that others could read. */
  private void leadAlone() throws LogException, InterruptedException {
    new Recovery(oracle.statusOracle()).finish(firstTimestamp());
    alone = Member.View.alone(System.currentTimeMillis()); // grows from start to start
    OracleLoop.run(
        net,
        () -> {
          ServerTerm term = oracle.next(net.front());
          net.front().lead(term.sequencer(), ServerRole.alone(alone.epoch()));
          term.sequencer().start(term.begin(new MemoryLog(term.listener()), 0), 0);
        });
  }

  /** Leads, or follows the server that does. */
  private void join(BookKeeperStore store) throws LogException, InterruptedException {
    Member.Settings settings =
        new Member.Settings(
            advertised(),
            Addresses.text(OwnAddress.of(config.get(Settings.HTTP_HOST)), http.port()),
            new LedgerLog.Settings(
                (long) config.get(Settings.WINDOW_TIMESTAMPS) << Timestamps.GAP_BITS,
                config.get(Settings.INHERITED_RETENTION).toNanos(),
                advertised()),
            this::firstTimestamp);
    Roster roster = log.roster(nanoClock);
    started("roster", roster);
    oracle.rehearseWith(() -> Rehearsal.run(store, store::createForNobody, nanoClock));
    member = ServerMember.start(settings, store, nanoClock, oracle, net, roster, security.files());
    member.onTrouble(onTrouble);
    started("member", member::close);
    try {
      member.awaitService();
    } catch (LogException e) {
      if (e.reason() != LogException.Reason.NEWER || config.isEmbedded()) {
        throw e;
      }
      // A standby that is not ready, beside members of the version that wrote it.
    }
    observation.offerHandOver(member::handOver);
  }

  /** Keeps the time limit of transactions, while this server leads. */
  private void keepTime() {
    long limitNanos = config.get(Settings.TRANSACTION_TIMEOUT).toNanos();
    net.every(Math.min(limitNanos / TimeLimit.STEPS, TICK_NANOS_MAX), oracle::limitTransactions);
    if (config.get(Settings.TIMESTAMPS_FIRST) == ValueType.CLOCK) {
      net.every(TimeUnit.MILLISECONDS.toNanos(ClockFollower.PERIOD_MILLIS), oracle::followClock);
    }
  }

  /** Where clients and other members reach this server. */
  private String advertised() {
    String set = config.get(Settings.ADVERTISE_ADDRESS);
    return set.isEmpty()
        ? Addresses.text(OwnAddress.of(config.get(Settings.LISTEN_HOST)), port)
        : set;
  }

  private void started(String name, AutoCloseable closer) {
    parts.push(new Part(name, closer));
  }

  private InetSocketAddress address(Setting<String> host, Setting<Integer> portSetting)
      throws IOException, ConfigException {
    InetSocketAddress address = new InetSocketAddress(config.get(host), config.get(portSetting));
    if (address.isUnresolved()) {
      throw new IOException(
          host.key() + " = " + config.get(host) + " is not known: use " + host.type().allowed());
    }
    return address;
  }

  private OracleServer.Settings netSettings() {
    return new OracleServer.Settings(
        config.get(Settings.CONNECTIONS_MAX),
        connectionsPerHost(),
        config.get(Settings.CLIENT_IDLE_TIMEOUT).toMillis(),
        config.get(Settings.CLIENT_STALL_TIMEOUT).toMillis(),
        security.files()::server,
        new FrontDesk.Settings(
            () -> identity,
            nanoClock,
            new FrontDesk.Latencies() {
              @Override
              public void decided(long nanos, int replies) {
                decisions.record(nanos, replies);
              }

              @Override
              public void turn(long nanos, long cpuNanos) {
                turns.record(nanos, 1);
                turnsCpu.record(cpuNanos, 1);
              }
            },
            FrontDesk.Bounds.USUAL,
            security.access()));
  }

  private int connectionsPerHost() {
    int set = config.get(Settings.CONNECTIONS_PER_HOST);
    return set > 0
        ? set
        : Math.max(CONNECTIONS_PER_HOST_MIN, config.get(Settings.CONNECTIONS_MAX) / 4);
  }

  /** Where the timestamps of an oracle that never issued any begin. */
  private long firstTimestamp() {
    long first = config.get(Settings.TIMESTAMPS_FIRST);
    return Timestamps.atLeast(first == ValueType.CLOCK ? System.currentTimeMillis() : first);
  }

  /** On the oracle's thread. */
  private void copyFigures(Figures figures) {
    figures.member = view();
    oracle.copyInto(figures);
    figures.net = net.counters().copy();
    figures.refusedTickets = security.access().tickets().refused();
    figures.decisions.copyFrom(decisions);
    figures.turns.copyFrom(turns);
    figures.turnsCpu.copyFrom(turnsCpu);
  }

  /** The network front. */
  OracleServer net() {
    return net;
  }

  /** The port on which clients connect. */
  int port() {
    return port;
  }

  /** The port of /metrics, /health and /status. */
  int httpPort() {
    return http.port();
  }

  /** What is known of a server that serves; null as long as it was not started. */
  ServerFacts facts() {
    return facts;
  }

  /** What this server is among those that share its log. */
  Member.View view() {
    return member == null ? alone : member.view();
  }

  /** See {@link Member}; empty if there is no log that others could read. */
  Optional<ServerMember> member() {
    return Optional.ofNullable(member);
  }

  /** The embedded cluster; empty if there is none. */
  Optional<EmbeddedBookKeeper> embedded() {
    return log == null ? Optional.empty() : log.embedded();
  }

  /** How long {@link #start} took. */
  double startSeconds() {
    return startSeconds;
  }

  /** Closes what was started, whatever fails of it. */
  void close() {
    while (!parts.isEmpty()) {
      Part part = parts.pop();
      try {
        part.closer.close();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } catch (Exception e) { // the others must be closed in any case
        LOG.warn("{} did not close: {}", part.name, e.toString());
      }
    }
  }
}
