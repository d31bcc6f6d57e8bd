package io.retso.server;

import io.retso.front.FrontDesk;
import io.retso.log.BookKeeperStore;
import io.retso.log.CommitLog;
import io.retso.log.LedgerLog;
import io.retso.log.LogException;
import io.retso.log.MemoryLog;
import io.retso.net.OracleServer;
import io.retso.oracle.Changes;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import io.retso.protocol.Timestamps;
import io.retso.sequencer.Recovery;
import io.retso.sequencer.Sequencer;
import io.retso.sequencer.TimeLimit;
import io.retso.server.config.MemoryPlan;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Setting;
import io.retso.server.config.Settings;
import io.retso.server.config.ValueType;
import io.retso.server.embedded.BookieSettings;
import io.retso.server.embedded.EmbeddedBookKeeper;
import io.retso.server.observe.BatchHistogram;
import io.retso.server.observe.FigureReader;
import io.retso.server.observe.Figures;
import io.retso.server.observe.Health;
import io.retso.server.observe.HttpEndpoint;
import io.retso.server.observe.MeasuredLog;
import io.retso.server.observe.Observation;
import io.retso.server.observe.ServerFacts;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
  private static final long STOP_SECONDS_MAX = 5;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final Duration ZOOKEEPER_TIMEOUT = Duration.ofSeconds(10);
  private static final long TICK_NANOS_MAX = 1_000_000_000;
  private static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(30);

  private final ServerConfig config;
  private final MemoryPlan memory;
  private final LongSupplier nanoClock = System::nanoTime;
  private final Observation observation;
  private final BatchHistogram decisions = BatchHistogram.ofLatencies();
  private final BatchHistogram turns = BatchHistogram.ofLatencies();
  private final BatchHistogram turnsCpu = BatchHistogram.ofLatencies();

  /** What was started, the last one first: to be closed in this order. */
  private final Deque<Part> parts = new ArrayDeque<>();

  private HttpEndpoint http;
  private OracleServer net;
  private Sequencer sequencer;
  private ClockFollower clock;
  private MeasuredLog log;
  private EmbeddedBookKeeper embedded;
  private ServerFacts facts;
  private int port;
  private volatile OracleIdentity identity;
  private volatile long epoch;
  private long recoveryNanos;

  /** When the writer before was fenced, if it may not know it. */
  private OptionalLong fencedNanos = OptionalLong.empty();

  private double startSeconds;

  ServerParts(ServerConfig config, MemoryPlan memory, Health health) {
    this.config = config;
    this.memory = memory;
    this.observation = new Observation(health);
  }

  /**
   * Starts everything, so that requests are answered when it returns. What was started before an
   * exception must be closed.
   */
  void start() throws IOException, LogException, InterruptedException {
    long before = nanoClock.getAsLong();
    started("observation", observation);
    // First, so that a port that is taken is known before anything long, and recovery can be seen.
    http = HttpEndpoint.start(address(Settings.HTTP_HOST, Settings.HTTP_PORT), observation.pages());
    started("http", http);
    InetSocketAddress listenAddress = address(Settings.LISTEN_HOST, Settings.LISTEN_PORT);
    ReservedPort reserved = ReservedPort.of(listenAddress);
    started("reserved port", reserved);
    net = new OracleServer(netSettings());
    started("network", net);
    // The tables are hundreds of megabytes, which the system hands over page by page; an embedded
    // cluster waits for its disk and for itself. So both at a time.
    CompletableFuture<Sequencer> making =
        CompletableFuture.supplyAsync(
            () -> new Sequencer(sequencerSettings(), this::makeOracle, net.replies()));
    startEmbedded();
    sequencer = making.join();
    log = new MeasuredLog(sequencer, nanoClock);
    Recovery recovery = new Recovery(sequencer.oracle());
    CommitLog taken = takeLog(recovery);
    long lastPosition = recovery.lastPosition();
    onLoop(
        () -> {
          net.lead(sequencer, ServerRole.alone(epoch));
          log.measure(taken, lastPosition);
          if (fencedNanos.isPresent()) {
            sequencer.startBehind(log, lastPosition, fencedNanos.getAsLong());
          } else {
            sequencer.start(log, lastPosition);
          }
        });
    started("log", () -> onLoop(log::close));
    followClock(limitTransactions());
    port = net.listen(listenAddress).getPort();
    reserved.close();
    facts =
        new ServerFacts(
            identity,
            config.get(Settings.LISTEN_HOST) + ":" + port,
            config.get(Settings.LOG),
            logPlace(),
            epoch,
            recovery.transactions(),
            recoveryNanos / NANOS_PER_SECOND,
            memory,
            nanoClock.getAsLong());
    observation.serve(new FigureReader(net.executor(), this::copyFigures, nanoClock), facts);
    startSeconds = (nanoClock.getAsLong() - before) / NANOS_PER_SECOND;
  }

  private TimeLimit limitTransactions() {
    long limitNanos = config.get(Settings.TRANSACTION_TIMEOUT).toNanos();
    TimeLimit limit = new TimeLimit(sequencer, limitNanos);
    net.every(
        Math.min(limitNanos / TimeLimit.STEPS, TICK_NANOS_MAX),
        () -> limit.tick(nanoClock.getAsLong()));
    return limit;
  }

  private void followClock(TimeLimit limit) {
    clock = new ClockFollower(sequencer, limit);
    if (config.get(Settings.TIMESTAMPS_FIRST) == ValueType.CLOCK) {
      net.every(
          TimeUnit.MILLISECONDS.toNanos(ClockFollower.PERIOD_MILLIS),
          () -> clock.tick(System.currentTimeMillis()));
    }
  }

  private void started(String name, AutoCloseable closer) {
    parts.push(new Part(name, closer));
  }

  private InetSocketAddress address(Setting<String> host, Setting<Integer> portSetting)
      throws IOException {
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
        new FrontDesk.Settings(
            () -> identity,
            nanoClock,
            new FrontDesk.Latencies() {
              @Override
              public void decided(long nanos, int replies) {
                decisions.record(nanos, replies);
              }

              @Override
              public void atOnce(int replies) {} // they do not wait

              @Override
              public void turn(long nanos, long cpuNanos) {
                turns.record(nanos, 1);
                turnsCpu.record(cpuNanos, 1);
              }
            }));
  }

  private int connectionsPerHost() {
    int set = config.get(Settings.CONNECTIONS_PER_HOST);
    return set > 0
        ? set
        : Math.max(CONNECTIONS_PER_HOST_MIN, config.get(Settings.CONNECTIONS_MAX) / 4);
  }

  private Sequencer.Settings sequencerSettings() {
    return new Sequencer.Settings(
        config.get(Settings.LOG_INFLIGHT),
        config.reservation(),
        config.isDurable(),
        Sequencer.EntryBytes.USUAL,
        Sequencer.Timing.usual(nanoClock, System::currentTimeMillis));
  }

  private StatusOracle makeOracle(Changes changes) {
    return new StatusOracle(
        config.get(Settings.ROWS),
        config.get(Settings.WINDOW_TIMESTAMPS),
        config.get(Settings.UNCLEANED_MAX),
        changes,
        new SecureRandom().nextLong());
  }

  private void startEmbedded() throws IOException {
    if (config.isEmbedded()) {
      embedded =
          EmbeddedBookKeeper.start(
              config.get(Settings.DATA_DIR),
              config.get(Settings.EMBEDDED_BOOKIES),
              config.get(Settings.LOG_SYNC));
      started("embedded bookkeeper", embedded);
    }
  }

  private CommitLog takeLog(Recovery recovery) throws LogException, InterruptedException {
    if (!config.isDurable()) {
      recovery.finish(firstTimestamp());
      identify(UUID.randomUUID()); // with the log everything is forgotten: it is another oracle
      epoch = System.currentTimeMillis(); // grows from start to start, which is all it has to do
      return new MemoryLog(log.listener());
    }
    BookKeeperStore store = openStore();
    started("bookkeeper client", store);
    long before = nanoClock.getAsLong();
    LedgerLog taken =
        await(
            LedgerLog.takeOver(
                store,
                new LedgerLog.Threads(net.executor(), nanoClock),
                log.listener(),
                new LedgerLog.Settings(
                    (long) config.get(Settings.WINDOW_TIMESTAMPS) << Timestamps.GAP_BITS,
                    config.get(Settings.INHERITED_RETENTION).toNanos(),
                    config.get(Settings.LISTEN_HOST) + ":" + config.get(Settings.LISTEN_PORT)),
                recovery));
    recovery.finish(firstTimestamp());
    recoveryNanos = nanoClock.getAsLong() - before;
    identify(UUID.fromString(store.logId()));
    epoch = taken.epoch();
    if (recovery.hasWriter()) {
      fencedNanos = OptionalLong.of(taken.fencedNanos());
    }
    return taken;
  }

  /** Where the timestamps of an oracle that never issued any begin. */
  private long firstTimestamp() {
    long first = config.get(Settings.TIMESTAMPS_FIRST);
    return Timestamps.atLeast(first == ValueType.CLOCK ? System.currentTimeMillis() : first);
  }

  private void identify(UUID log) {
    identity = new OracleIdentity(log, config.get(Settings.ORACLE_NAME));
  }

  private BookKeeperStore openStore() throws LogException {
    String zookeeper = embedded == null ? config.get(Settings.ZOOKEEPER) : embedded.zookeeper();
    ServerConfig.Quorums q = config.quorums();
    Duration silence = config.get(Settings.LOG_TIMEOUT);
    return BookKeeperStore.connect(
        new BookKeeperStore.Settings(
            zookeeper,
            config.get(Settings.LOG_ZNODE),
            config.isEmbedded() ? BookieSettings.LEDGERS_ROOT : config.get(Settings.LOG_LEDGERS),
            q.ensemble(),
            q.write(),
            q.ack(),
            silence,
            silence,
            ZOOKEEPER_TIMEOUT,
            OPERATION_TIMEOUT.compareTo(silence) > 0 ? OPERATION_TIMEOUT : silence),
        Optional.ofNullable(embedded)
            .map(cluster -> cluster.witnessFile(config.get(Settings.LOG_ZNODE))));
  }

  /** As long as it takes: each step of a take-over is bounded. */
  private static LedgerLog await(CompletableFuture<LedgerLog> takeOver)
      throws LogException, InterruptedException {
    try {
      return takeOver.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof LogException failure) {
        throw failure;
      }
      throw new IllegalStateException(e.getCause().getMessage(), e.getCause());
    }
  }

  /** Runs a task on the oracle's thread and waits for it. */
  private void onLoop(Runnable task) throws InterruptedException {
    onLoop(net.executor(), task);
  }

  private static void onLoop(Executor loop, Runnable task) throws InterruptedException {
    try {
      CompletableFuture.runAsync(task, loop).get(STOP_SECONDS_MAX * 12, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause().getMessage(), e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("the oracle's thread does not answer", e);
    }
  }

  /** On the oracle's thread. */
  private void copyFigures(Figures figures) {
    figures.oracle = sequencer.oracleCounters().copy();
    figures.sequencer = sequencer.counters().copy();
    figures.net = net.counters().copy();
    figures.decisions.copyFrom(decisions);
    figures.turns.copyFrom(turns);
    figures.turnsCpu.copyFrom(turnsCpu);
    log.copyInto(figures);
    figures.clockLagMillis = clock.lagMillis();
  }

  private String logPlace() {
    if (!config.isDurable()) {
      return "nothing is kept: for measurements only";
    }
    ServerConfig.Quorums q = config.quorums();
    String copies = "ensemble %d, write %d, ack %d".formatted(q.ensemble(), q.write(), q.ack());
    if (config.isEmbedded()) {
      Path dir = config.get(Settings.DATA_DIR).toAbsolutePath().normalize();
      return "embedded in %s, %s%s"
          .formatted(dir, copies, config.get(Settings.LOG_SYNC) ? "" : ", not forced to disk");
    }
    return "zookeeper %s, node %s, %s"
        .formatted(config.get(Settings.ZOOKEEPER), config.get(Settings.LOG_ZNODE), copies);
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

  /** The embedded cluster; empty if there is none. */
  Optional<EmbeddedBookKeeper> embedded() {
    return Optional.ofNullable(embedded);
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
