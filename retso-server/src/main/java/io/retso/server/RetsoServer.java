package io.retso.server;

import io.retso.log.LogException;
import io.retso.member.Member;
import io.retso.protocol.OracleIdentity;
import io.retso.server.commands.ExitCode;
import io.retso.server.config.ConfigException;
import io.retso.server.config.MemoryPlan;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Settings;
import io.retso.server.embedded.EmbeddedBookKeeper;
import io.retso.server.observe.Health;
import io.retso.server.observe.ServerFacts;
import io.retso.text.Addresses;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A whole server in this process: log, oracle, network front, HTTP. When {@link #start} returns it
 * leads, or is a standby that is ready to take over from the server that leads; until it is closed
 * or fails for good. Which of both it is may change at any time.
 *
 * <p>Thread-safe.
 */
public final class RetsoServer implements AutoCloseable {
  /** Why a server that served can go on no longer, and what to do. */
  public record Failure(ExitCode code, String message) {}

  private static final Logger LOG = LoggerFactory.getLogger(RetsoServer.class);
  private static final long DRAIN_SECONDS_MAX = 5;

  private final ServerConfig config;
  private final MemoryPlan memory;
  private final Health health = new Health();
  private final ServerParts parts;

  /** Completes with the failure, or empty when the server is closed. */
  private final CompletableFuture<Optional<Failure>> end = new CompletableFuture<>();

  private boolean closed;

  private RetsoServer(ServerConfig config) {
    this.config = config;
    this.memory = MemoryPlan.of(config);
    this.parts = new ServerParts(config, memory, health, this::troubled);
  }

  /**
   * Starts a server and returns when it leads, or is ready to.
   *
   * @throws ConfigException if the heap is too small for the settings, or an address lets others in
   *     where clients need not identify themselves
   * @throws IOException if an address, the data directory or its disk cannot be used
   * @throws LogException if the log cannot be taken over or replayed
   * @throws InterruptedException if the thread was interrupted while waiting for the log
   */
  public static RetsoServer start(ServerConfig config)
      throws ConfigException, IOException, LogException, InterruptedException {
    RetsoServer server = new RetsoServer(config);
    long heapLimit = Runtime.getRuntime().maxMemory();
    server.memory.check(heapLimit);
    server.memory.excess(heapLimit).ifPresent(LOG::warn);
    boolean serves = false;
    try {
      server.serve();
      serves = true;
      return server;
    } finally {
      if (!serves) {
        server.close();
      }
    }
  }

  private void serve() throws ConfigException, IOException, LogException, InterruptedException {
    parts.start();
    health.warn(parts::warning);
    health.serving();
    parts.net().logFailure().thenAccept(this::logFailed);
    parts.net().error().thenAccept(this::stopped);
  }

  /** On the oracle's thread: connections have the error by now. */
  private void logFailed(LogException cause) {
    LOG.debug("the cause", cause);
    failed(
        new Failure(
            ExitCode.of(cause.reason()),
            "the log failed: " + cause.getMessage() + "; " + remedy(cause.reason())));
  }

  /** It tries again and again. */
  private void troubled(LogException cause) {
    String text = cause.getMessage() + "; " + remedy(cause.reason());
    LOG.warn("the log cannot be used: {}", text);
    health.trouble(text);
  }

  /** On the oracle's thread: nothing is answered any more. */
  private void stopped(Throwable error) {
    LOG.error("the oracle's thread met an error", error);
    failed(
        new Failure(
            ExitCode.INTERNAL,
            "an error in this server: "
                + error
                + "; its memory may differ from the log, so it ends. Every acknowledged commit is"
                + " in the log: start the server again, and report the stack trace above"));
  }

  private void failed(Failure failure) {
    LOG.error("{}", failure.message());
    health.failed(failure.message());
    end.completeAsync(() -> Optional.of(failure));
  }

  /** What to do; of the reasons for an embedded log to be unavailable the likeliest is its disk. */
  private String remedy(LogException.Reason reason) {
    if (reason == LogException.Reason.UNAVAILABLE && parts.embedded().isPresent()) {
      try {
        Optional<String> fullDisk = parts.embedded().get().fullDisk();
        if (fullDisk.isPresent()) {
          return fullDisk.get() + "; every acknowledged commit is in the log";
        }
      } catch (IOException e) {
        LOG.warn("cannot find out how full the disk of the log is: {}", e.toString());
      }
    }
    return ExitCode.remedy(reason);
  }

  /** The port on which clients connect. */
  public int port() {
    return parts.port();
  }

  /** The port of /metrics, /health and /status. */
  public int httpPort() {
    return parts.httpPort();
  }

  /** Which oracle this is. */
  public OracleIdentity identity() {
    return parts.facts().oracle();
  }

  /** Whether it leads; otherwise it is a standby. */
  public boolean leads() {
    return parts.view().leads();
  }

  /** That of the leader that it knows, or is; grows with every take-over of the log. */
  public long epoch() {
    return parts.view().epoch();
  }

  /** Commits that were replayed at the start. */
  public long recoveredTransactions() {
    return parts.facts().recoveredTransactions();
  }

  /** The embedded cluster, for tests that make it fail; empty if there is none. */
  Optional<EmbeddedBookKeeper> embedded() {
    return parts.embedded();
  }

  /** Leaves what is left when its process dies from one moment to the next: for tests. */
  public void kill() {
    synchronized (this) {
      closed = true;
    }
    parts.net().close();
    parts.close();
  }

  /** What it is among the servers of its log. */
  Member.View view() {
    return parts.view();
  }

  /** The oracle's thread, for tests that make it fail. */
  Executor oracleThread() {
    return parts.net().executor();
  }

  /**
   * Completes when the server ends: with the failure, or empty if it was closed. It completes on a
   * thread of the common pool.
   */
  public CompletableFuture<Optional<Failure>> end() {
    return end.copy();
  }

  /** Waits until the server ends; empty if it was closed. A failed server must be closed yet. */
  public Optional<Failure> awaitTermination() throws InterruptedException {
    try {
      return end.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause()); // it is never completed so
    }
  }

  /** What an operator wants to know at the start: a few lines. */
  public List<String> description() {
    ServerFacts facts = parts.facts();
    long heapLimit = Runtime.getRuntime().maxMemory();
    String httpAddress = "http://" + Addresses.text(config.get(Settings.HTTP_HOST), httpPort());
    return List.of(
        String.format(
            Locale.ROOT,
            "ReTSO status oracle %s, pid %d, %s, epoch %d",
            facts.oracle(),
            ProcessHandle.current().pid(),
            leads() ? "leader" : "standby of " + parts.view().leader(),
            epoch()),
        String.format(
            Locale.ROOT,
            "  clients    %s, at most %,d",
            facts.address(),
            config.get(Settings.CONNECTIONS_MAX)),
        "  security   " + facts.security().get(),
        String.format(Locale.ROOT, "  log        %s, %s", facts.logKind(), facts.logPlace()),
        String.format(
            Locale.ROOT,
            "  memory     %s of tables, heap limit %s (%d MiB are needed), up to %s resident",
            MemoryPlan.mebibytes(memory.tables()),
            MemoryPlan.mebibytes(heapLimit),
            memory.recommendedMebibytes(),
            MemoryPlan.mebibytes(memory.resident(heapLimit))),
        String.format(
            Locale.ROOT,
            "  rows       %,d (%s); window %,d timestamps (%s); uncleaned %,d (%s)",
            config.get(Settings.ROWS),
            MemoryPlan.mebibytes(memory.map()),
            config.get(Settings.WINDOW_TIMESTAMPS),
            MemoryPlan.mebibytes(memory.window()),
            config.get(Settings.UNCLEANED_MAX),
            MemoryPlan.mebibytes(memory.uncleaned())),
        String.format(
            Locale.ROOT,
            "  recovered  %,d transactions in %.2f s; started in %.2f s",
            facts.recoveredTransactions(),
            facts.recoverySeconds(),
            parts.startSeconds()),
        String.format(
            Locale.ROOT, "  metrics    %s/metrics, /health, /leader, /status", httpAddress));
  }

  /**
   * Shuts down: takes no more requests, waits a little for replies that are held, and lets go of
   * everything. Whatever was acknowledged is in the log. Does nothing if it is closed.
   */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    health.stopping();
    if (parts.facts() != null && !end.isDone()) {
      if (!parts.member().map(this::handOver).orElse(false)) {
        drain();
      }
    }
    parts.close();
    end.complete(Optional.empty());
  }

  /** Whether a standby was found that takes over at once. */
  private boolean handOver(ServerMember member) {
    member.retire();
    try {
      LOG.info(member.handOver().get(DRAIN_SECONDS_MAX, TimeUnit.SECONDS));
      return true;
    } catch (ExecutionException | TimeoutException e) {
      LOG.debug("the log is left to the server that finds it", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return false;
  }

  private void drain() {
    try {
      parts.net().drain().get(DRAIN_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      LOG.warn("the log did not acknowledge within {} s; closing without it", DRAIN_SECONDS_MAX);
    } catch (ExecutionException e) {
      LOG.warn("replies could not be drained", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
