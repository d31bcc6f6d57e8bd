package io.retso.hbase.coprocessor.oracle;

import io.retso.client.OracleClient;
import io.retso.client.OracleClientBuilder;
import io.retso.client.OracleException;
import io.retso.client.OracleMembers;
import io.retso.client.TransactionStatus;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.coprocessor.region.SharedMemory;
import io.retso.hbase.layout.OracleSettings;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.Refusal;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.resolve.StatusCache;
import io.retso.hbase.resolve.WriterStatuses;
import io.retso.protocol.OracleIdentity;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * The region server's connection to an oracle: one for each oracle and list of addresses, shared by
 * all regions whose tables name them, closed with the last of them. It takes answers from no other
 * oracle, wherever the addresses lead. It comes with what is common to them: the cache of decided
 * transactions, and the queue of orphans. Thread-safe.
 */
public final class OracleLink {
  /** Decided transactions that a region server remembers, about 36 bytes each. */
  static final String CACHE_KEY = "retso.status.cache.entries";

  private static final int CACHE_DEFAULT = 1 << 16;

  /** Beside the values of {@link Outcome}: a row that has its mark is of an aborted transaction. */
  static final long FORGOTTEN = -2;

  /** Waiting for a watermark that is nice to have. */
  private static final long PATIENCE_MILLIS = 500;

  /**
   * What links are distinguished by.
   *
   * @param addresses {@code host:port[,host:port]}
   */
  private record Key(UUID oracle, String addresses) {}

  private static final Map<Key, OracleLink> LINKS = new HashMap<>();

  private final Key key;
  private final OracleIdentity oracle;
  private final OracleClient client;
  private final OracleBreaker breaker;
  private final long timeoutMillis;
  private final StatusCache cache;
  private final ReceiptKeys keys;
  private final UserTokens userTokens;
  private final OrphanQueue orphans;
  private final SharedMemory memory = new SharedMemory();

  /** Guarded by {@link #LINKS}. */
  private int users;

  private final AtomicLong lastWatermark = new AtomicLong();

  private OracleLink(
      Key key,
      OracleIdentity oracle,
      Configuration configuration,
      Configuration server,
      ObserverMetrics metrics) {
    this.key = key;
    this.oracle = oracle;
    Duration timeout = OracleSettings.timeout(configuration);
    this.timeoutMillis = timeout.toMillis();
    this.breaker = new OracleBreaker(timeout.toNanos(), System::nanoTime);
    OracleClientBuilder builder =
        OracleSettings.serverClient(server, "retso-region-server")
            .oracle(oracle)
            .requestTimeout(timeout);
    TableSettings.checkedAddresses(key.addresses).forEach(builder::address);
    this.client = builder.build();
    this.cache = new StatusCache(configuration.getInt(CACHE_KEY, CACHE_DEFAULT));
    this.keys =
        new ReceiptKeys(
            () -> breaker.waiting(client::receiptsAsync), this::await, System::nanoTime);
    this.userTokens =
        new UserTokens(
            server,
            user -> breaker.waiting(() -> client.vouchAsync(user)),
            this::await,
            System::nanoTime);
    this.orphans = new OrphanQueue(this::decided, metrics, System::nanoTime);
  }

  /**
   * The link to the oracle of a table; to be released.
   *
   * @param configuration of the region, in which a table may have set things
   * @param server configuration of the region server alone: security is no matter of tables
   * @throws IllegalArgumentException if an address or a setting is malformed, or the table's oracle
   *     is none of the region server's
   */
  public static OracleLink acquire(
      TableSettings table,
      Configuration configuration,
      Configuration server,
      ObserverMetrics metrics) {
    OracleIdentity oracle = table.oracle();
    Key key = new Key(oracle.id(), OracleSettings.addressesFor(table, server));
    synchronized (LINKS) {
      OracleLink link = LINKS.get(key);
      if (link == null) {
        link = new OracleLink(key, oracle, configuration, server, metrics);
        link.orphans.start();
        LINKS.put(key, link);
        publish(metrics);
      }
      link.users++;
      return link;
    }
  }

  /** The most that one of several links says; but the fewest connected members. */
  private static void publish(ObserverMetrics metrics) {
    metrics.gauge("oracleEpoch", () -> members(OracleMembers::epoch).max().orElse(0));
    metrics.gauge("oracleMembers", () -> members(OracleMembers::connected).min().orElse(0));
    metrics.gauge(
        "oracleLeaderChanges", () -> members(OracleMembers::leaderChanges).max().orElse(0));
    metrics.gauge(
        "oracleLeaderlessMillis",
        () -> members(now -> now.withoutLeader().toMillis()).max().orElse(0));
    metrics.gauge("markBytes", () -> markBytes().sum());
    metrics.gauge(
        "markMemoryPercent", () -> markBytes().max().orElse(0) * 100 / SharedMemory.BYTES_MAX);
  }

  private static LongStream markBytes() {
    synchronized (LINKS) {
      return LongStream.of(
          LINKS.values().stream().mapToLong(link -> link.memory.bytes()).toArray());
    }
  }

  private static LongStream members(ToLongFunction<OracleMembers> figure) {
    synchronized (LINKS) {
      long[] figures =
          LINKS.values().stream().map(link -> link.client.members()).mapToLong(figure).toArray();
      return LongStream.of(figures);
    }
  }

  /**
   * Gives the link back. The region that does so last is still locked: it waits for the end of the
   * connection, but no longer than a request may take.
   */
  public void release() {
    synchronized (LINKS) {
      if (--users > 0) {
        return;
      }
      LINKS.remove(key);
    }
    orphans.close();
    Thread closing = new Thread(client::close, "retso-link-close");
    closing.setDaemon(true);
    closing.start();
    try {
      closing.join(timeoutMillis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Decided transactions. */
  public StatusCache cache() {
    return cache;
  }

  /** What proves receipts. */
  ReceiptKeys keys() {
    return keys;
  }

  /** Tokens for users of HBase. */
  public UserTokens userTokens() {
    return userTokens;
  }

  /** Rows to clean up. */
  public OrphanQueue orphans() {
    return orphans;
  }

  /** What the marks and outcomes of its regions take. */
  public SharedMemory memory() {
    return memory;
  }

  /** Asks for the low watermark. */
  public CompletableFuture<Long> askWatermark() {
    return noted(breaker.background(client::lowWatermarkAsync));
  }

  /** Asks for a handler that will wait: fails at once while the oracle does not answer. */
  public CompletableFuture<Long> askWatermarkToWait() {
    return noted(breaker.waiting(client::lowWatermarkAsync));
  }

  private CompletableFuture<Long> noted(CompletableFuture<Long> watermark) {
    return watermark.thenApply(
        answer -> {
          lastWatermark.accumulateAndGet(answer, Math::max);
          return answer;
        });
  }

  /**
   * What another handler has asked for, for one that will wait: fails at once if it is not there
   * and the oracle does not answer.
   */
  public <T> CompletableFuture<T> joining(CompletableFuture<T> asked) {
    return breaker.joining(asked);
  }

  /**
   * A low watermark for those who cannot wait for the oracle: a new one if it comes within half a
   * second, otherwise the last one known, 0 at first. Never fails.
   */
  public long watermarkSoon() throws InterruptedIOException {
    try {
      askWatermarkToWait().get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      // The last one serves.
    } catch (InterruptedException e) {
      throw interrupted();
    }
    return lastWatermark.get();
  }

  /**
   * Asks about all writers that {@code statuses} does not know, at once.
   *
   * @param metrics counts what is asked
   * @throws IOException if the oracle does not answer, or has not a moment ago; the client may try
   *     again
   */
  public void ask(WriterStatuses statuses, long reader, ObserverMetrics metrics)
      throws IOException {
    long[] unknown = statuses.unknown();
    List<TransactionStatus> answers =
        await(
            breaker.waiting(
                () -> {
                  metrics.oracleRounds.increment();
                  metrics.oracleQueries.increment(unknown.length);
                  return askAll(unknown, reader);
                }));
    for (int i = 0; i < unknown.length; i++) {
      statuses.learn(unknown[i], answers.get(i));
    }
  }

  private CompletableFuture<List<TransactionStatus>> askAll(long[] starts, long reader) {
    List<CompletableFuture<TransactionStatus>> answers =
        LongStream.of(starts).mapToObj(start -> client.statusAsync(start, reader)).toList();
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(all -> answers.stream().map(CompletableFuture::join).toList());
  }

  /** See {@link OrphanQueue.Statuses}. Its thread may wait: to fail at once would empty it. */
  Map<Long, Long> decided(List<Long> starts) throws IOException {
    Map<Long, Long> decided = outcomes(starts, breaker::background);
    decided.replaceAll((start, outcome) -> outcome == FORGOTTEN ? Outcome.ABORTED : outcome);
    return decided;
  }

  /**
   * How transactions ended, for a handler that waits: {@link Outcome}s and {@link #FORGOTTEN}.
   * Those that are open, or were never begun, are left out.
   */
  Map<Long, Long> outcomes(List<Long> starts) throws IOException {
    return outcomes(starts, breaker::waiting);
  }

  private Map<Long, Long> outcomes(
      List<Long> starts,
      Function<Supplier<CompletableFuture<TransactionStatus>>, CompletableFuture<TransactionStatus>>
          asking)
      throws IOException {
    Map<Long, CompletableFuture<TransactionStatus>> answers = new HashMap<>();
    Map<Long, Long> outcomes = new HashMap<>();
    for (long start : starts) {
      long known = cache.get(start);
      if (Outcome.isKnown(known)) {
        outcomes.put(start, known);
      } else {
        // No reader's snapshot is at stake.
        answers.put(start, asking.apply(() -> client.statusAsync(start, start)));
      }
    }
    for (Map.Entry<Long, CompletableFuture<TransactionStatus>> answer : answers.entrySet()) {
      long start = answer.getKey();
      TransactionStatus status;
      try {
        status = await(answer.getValue());
      } catch (DoNotRetryIOException e) {
        continue; // the oracle never issued it: that mark is of no transaction, and the others wait
      }
      switch (status.state()) {
        case COMMITTED -> {
          cache.committed(start, status.commitTimestamp());
          outcomes.put(start, status.commitTimestamp());
        }
        case ABORTED -> {
          cache.aborted(start);
          outcomes.put(start, Outcome.ABORTED);
        }
        case RETRY -> outcomes.put(start, FORGOTTEN);
        case OPEN -> {}
      }
    }
    return outcomes;
  }

  /**
   * Waits for an answer, as long as a request may take. Requests time out by themselves; but a
   * thread that waits keeps a region from closing, so that must not hang on the client's thread,
   * which may be resolving a name.
   */
  public <T> T await(CompletableFuture<T> answer) throws IOException {
    try {
      return answer.get(timeoutMillis, TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw failure(e.getCause());
    } catch (TimeoutException e) {
      throw failure(new TimeoutException("no answer within " + timeoutMillis + " ms"));
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  private IOException failure(Throwable cause) {
    String message =
        Refusal.NO_ORACLE.message(
            "oracle "
                + oracle
                + " at "
                + key.addresses
                + " was asked in vain: "
                + ErrorText.of(cause));
    if (cause instanceof OracleException oracle) {
      switch (oracle.category()) {
        case NOT_PERMITTED, NOT_AUTHENTICATED -> {
          return new DoNotRetryIOException(message, cause);
        }
        case INVALID_REQUEST, INCOMPATIBLE -> {
          return new DoNotRetryIOException(
              message + "; do clients and table name the same oracle?", cause);
        }
        default -> {}
      }
    }
    return new IOException(message, cause);
  }

  private static InterruptedIOException interrupted() {
    Thread.currentThread().interrupt();
    return new InterruptedIOException("interrupted while waiting for the oracle");
  }
}
