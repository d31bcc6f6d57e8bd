package io.retso.hbase;

import io.retso.client.ClientSecurity;
import io.retso.client.OracleClient;
import io.retso.client.OracleClientBuilder;
import io.retso.client.OracleException;
import io.retso.hbase.admin.TablePreparationBuilder;
import io.retso.hbase.cleanup.Cleaner;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.layout.OracleSettings;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.metrics.ManagerMeters;
import io.retso.hbase.options.Isolation;
import io.retso.hbase.table.RegionTokens;
import io.retso.hbase.transaction.HBaseTransactionManager;
import io.retso.hbase.transaction.ManagerSettings;
import io.retso.hbase.write.WriteLimits;
import io.retso.text.Text;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ClusterConnection;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.security.User;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * Describes a {@link TransactionManager}. Not thread-safe.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class ManagerBuilder {
  /** Key of the oracle's addresses in HBase's configuration: {@code host:port[,host:port]}. */
  public static final String ORACLE_KEY = TablePreparationBuilder.ORACLE_KEY;

  /** Key of the file that {@link #recording} names. */
  public static final String RECORDING_KEY = "retso.advise.record";

  private static final String NO_CONNECTION = "connection is null: pass an open one";
  private static final Duration LONGEST = Duration.ofHours(1);

  private final Configuration configuration;
  private final Supplier<CompletableFuture<AsyncConnection>> hbase;
  private final boolean ownsHBase;
  private final Set<String> addresses = new LinkedHashSet<>();
  private String clientName = "retso-hbase";
  private final OracleClientBuilder client = OracleClient.builder().name(clientName);
  private ClientSecurity security;

  /**
   * The user of the connection to HBase, if that identifies itself; otherwise it is this thread's.
   */
  private Optional<User> user = Optional.empty();

  private Object meterRegistry;
  private int maxRows = WriteLimits.DEFAULT.rowsMax();
  private long maxWriteBytes = WriteLimits.DEFAULT.bytesMax();
  private long flushBytes = WriteLimits.DEFAULT.flushBytes();
  private RetryPolicy retryPolicy = RetryPolicy.DEFAULT;
  private Isolation isolation = Isolation.SNAPSHOT;
  private long cleanupRowsMax = 200_000;
  private long cleanupDelayMillis = 100;
  private long cleanupTimeoutMillis = 5000;
  private LongPredicate cleanupAlive = start -> true;
  private long orphanDelayMillis = 500;
  private long sweepIntervalMillis = 60_000;
  private long closeTimeoutMillis = 10_000;
  private Path recording;

  /** Null to log none. */
  private Duration slow;

  /**
   * A description to be filled in.
   *
   * @param hbase connects to HBase
   * @param ownsHBase whether the manager closes that connection
   */
  ManagerBuilder(
      Configuration configuration,
      Supplier<CompletableFuture<AsyncConnection>> hbase,
      boolean ownsHBase) {
    this.configuration = configuration;
    this.hbase = hbase;
    this.ownsHBase = ownsHBase;
  }

  static ManagerBuilder of(Configuration configuration) {
    Objects.requireNonNull(
        configuration, "configuration is null: pass that of HBase, HBaseConfiguration.create()");
    return new ManagerBuilder(
        configuration, () -> ConnectionFactory.createAsyncConnection(configuration), true);
  }

  static ManagerBuilder of(AsyncConnection connection) {
    Objects.requireNonNull(connection, NO_CONNECTION);
    return new ManagerBuilder(
        connection.getConfiguration(), () -> CompletableFuture.completedFuture(connection), false);
  }

  static ManagerBuilder of(Connection connection) {
    Objects.requireNonNull(connection, NO_CONNECTION);
    Configuration configuration = connection.getConfiguration();
    User user = userOf(connection);
    ManagerBuilder builder =
        new ManagerBuilder(
            configuration,
            () -> ConnectionFactory.createAsyncConnection(configuration, user),
            true);
    builder.user = Optional.of(user);
    return builder;
  }

  /** HBase's own connections know it; with another user the manager would have other rights. */
  private static User userOf(Connection connection) {
    if (connection instanceof ClusterConnection known && known.getUser() != null) {
      return known.getUser();
    }
    throw new IllegalArgumentException(
        connection.getClass().getName()
            + " does not say whose connection it is: make an AsyncConnection as that user, and"
            + " pass it to builder(AsyncConnection)");
  }

  /**
   * Addresses of the oracle, {@code host:port}, several separated by commas. They must be those
   * that the tables were prepared with. Default: the key {@value #ORACLE_KEY} of the configuration.
   */
  public ManagerBuilder oracle(String commaSeparated) {
    Objects.requireNonNull(
        commaSeparated, "the oracle's address is null: pass host:port, or leave the call out");
    addresses.addAll(TableSettings.addresses(commaSeparated));
    return this;
  }

  /**
   * How the oracle's log and the meters call this application: 1 to 64 bytes of UTF-8. Default:
   * retso-hbase.
   */
  public ManagerBuilder clientName(String name) {
    client.name(given(name, "clientName"));
    this.clientName = name;
    return this;
  }

  /**
   * Registers the manager's meters: docs/metrics.md, "Clients". Managers of one registry need names
   * of their own ({@link #clientName}). Needs Micrometer on the class path, as no other method
   * does.
   *
   * @param registry an {@code io.micrometer.core.instrument.MeterRegistry}. The type is not named:
   *     where Micrometer is missing, this class could not be looked at by reflection
   */
  public ManagerBuilder meterRegistry(Object registry) {
    this.meterRegistry = ManagerMeters.checked(given(registry, "meterRegistry"));
    return this;
  }

  /** How long a request to the oracle may take, 1 ms to 1 h. Default: 10 s. */
  public ManagerBuilder requestTimeout(Duration timeout) {
    client.requestTimeout(given(timeout, "requestTimeout"));
    return this;
  }

  /**
   * How the manager knows the oracle, and identifies itself. Default: what the keys {@code
   * retso.security}, {@code retso.tls.*} and {@code retso.token.*} of the configuration say.
   */
  public ManagerBuilder security(ClientSecurity newSecurity) {
    this.security = given(newSecurity, "security");
    return this;
  }

  /** TCP connections to the oracle, 1 to 64. Default: 1. */
  public ManagerBuilder connections(int connections) {
    client.connections(connections);
    return this;
  }

  /**
   * Time to look up the name of an oracle, again for a TCP connection, and again for the handshake,
   * 1 ms to 1 h. Default: 3 s.
   */
  public ManagerBuilder connectTimeout(Duration timeout) {
    client.connectTimeout(given(timeout, "connectTimeout"));
    return this;
  }

  /** Requests to the oracle that may be outstanding, 1 to 4,194,304. Default: 65,536. */
  public ManagerBuilder maxOutstanding(int requests) {
    client.maxOutstanding(requests);
    return this;
  }

  /** Pauses between attempts to connect to the oracle; for tests. */
  ManagerBuilder oracleBackoff(Duration min, Duration max) {
    client.backoff(min, max);
    return this;
  }

  /** Rows (or cells) that one transaction may write, 1 to 100,000. Default: 100,000. */
  public ManagerBuilder maxRows(int rows) {
    this.maxRows = rows;
    return this;
  }

  /**
   * Bytes that one transaction may write, keys included; at least {@link #flushBytes}. Default: 64
   * MiB.
   */
  public ManagerBuilder maxWriteBytes(long bytes) {
    this.maxWriteBytes = bytes;
    return this;
  }

  /**
   * Bytes of a transaction that are sent ahead of its commit, in one go; 1 to {@link
   * #maxWriteBytes}. Default: 2 MiB.
   */
  public ManagerBuilder flushBytes(long bytes) {
    this.flushBytes = bytes;
    return this;
  }

  /** How {@code run} repeats transactions. Default: {@link RetryPolicy#DEFAULT}. */
  public ManagerBuilder retryPolicy(RetryPolicy policy) {
    this.retryPolicy = given(policy, "retryPolicy");
    return this;
  }

  /** The isolation of transactions whose options name none. Default: {@link Isolation#SNAPSHOT}. */
  public ManagerBuilder isolation(Isolation level) {
    this.isolation = given(level, "isolation");
    return this;
  }

  /**
   * Rows that may wait for cleanup, some 200 bytes each, 1 to 10,000,000; beyond it replies to
   * commits wait. Default: 200,000.
   */
  public ManagerBuilder maxCleanupRows(long rows) {
    if (rows < 1 || rows > 10_000_000) {
      throw new IllegalArgumentException(rows + " rows are not within 1 and 10,000,000");
    }
    this.cleanupRowsMax = rows;
    return this;
  }

  /**
   * How long a cleanup may wait for others to share its request to HBase: readers that meet the
   * rows meanwhile ask the oracle. 0 to 1 h; zero cleans up at once. Default: 100 ms.
   */
  public ManagerBuilder cleanupDelay(Duration delay) {
    this.cleanupDelayMillis = checked(delay, "cleanupDelay");
    return this;
  }

  /**
   * How long a reader waits for the owner of a decided transaction to clean up before it does so
   * itself, 0 to 1 h. Default: 500 ms.
   */
  public ManagerBuilder orphanDelay(Duration delay) {
    this.orphanDelayMillis = checked(delay, "orphanDelay");
    return this;
  }

  /**
   * How long the oracle's low watermark may stand still before this manager sweeps, up to half more
   * at random; 0 to 1 h, zero never sweeps. Default: 60 s. A manager that has used a table with
   * client reads also sweeps every 16 to 36 intervals, as no other may come across what dead
   * clients left.
   */
  public ManagerBuilder sweepInterval(Duration interval) {
    this.sweepIntervalMillis = checked(interval, "sweepInterval");
    return this;
  }

  /** How long {@code close} may clean up, 0 to 1 h. Default: 10 s. */
  public ManagerBuilder closeTimeout(Duration timeout) {
    this.closeTimeoutMillis = checked(timeout, "closeTimeout");
    return this;
  }

  /**
   * Records what transactions do for {@code retso advise learn}, a line of JSON each: the first
   * 1,000 of each name, then one of 100, until the file has 64 MiB. Row keys are in it, values are
   * not; only its owner may read it. Transactions never wait for it: what does not fit is dropped,
   * and a file that cannot be written ends the recording. Default: the key {@value #RECORDING_KEY}
   * of the configuration, else none.
   */
  public ManagerBuilder recording(Path file) {
    this.recording = given(file, "recording");
    return this;
  }

  /**
   * Logs transactions that take as long as this or longer, attempts of {@code run} one by one, and
   * where their time went: as warnings of the logger {@code io.retso.slow}, ten a second at most.
   * Names of tables and row keys may be in them. Default: none is logged.
   *
   * @param threshold from a begin to its end, 0 (all of them) to 1 h
   */
  public ManagerBuilder slowTransactions(Duration threshold) {
    checked(threshold, "slowTransactions");
    this.slow = threshold;
    return this;
  }

  /** How long a row's cleanup may take, in HBase and until it is not tried again; for tests. */
  ManagerBuilder cleanupTimeout(Duration timeout) {
    this.cleanupTimeoutMillis = checked(timeout, "cleanupTimeout");
    return this;
  }

  /** Which transactions are cleaned up; for tests, in which clients die. */
  ManagerBuilder cleanupAlive(LongPredicate alive) {
    this.cleanupAlive = alive;
    return this;
  }

  private static <T> T given(T setting, String name) {
    return Objects.requireNonNull(setting, () -> name + " is null: leave it out for the default");
  }

  private static long checked(Duration duration, String name) {
    if (given(duration, name).isNegative() || duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException(name + " " + duration + " is not within 0 and 1 hour");
    }
    return duration.toMillis();
  }

  /**
   * Connects to the oracle and to HBase.
   *
   * @throws OracleUnavailableException if no oracle answers at the addresses, or it is of another
   *     version
   * @throws IllegalArgumentException if there is no address, it is malformed, or limits do not fit
   *     each other
   * @throws IOException if HBase's ZooKeeper cannot be reached
   */
  public TransactionManager build() throws IOException {
    if (addresses.isEmpty()) {
      oracle(configuration.get(ORACLE_KEY, ""));
    }
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException(
          "no oracle: call oracle(\"host:port\"), or set " + ORACLE_KEY + " in the configuration");
    }
    ManagerSettings settings = settings();
    Optional<String> tokenTable =
        security == null ? OracleSettings.tokenTable(configuration) : Optional.empty();
    AsyncConnection connection = null;
    OracleClient oracle = null;
    try {
      if (tokenTable.isPresent()) {
        connection = connectHBase();
        RegionTokens tokens = new RegionTokens(connection, TableName.valueOf(tokenTable.get()));
        oracle = connectOracle(Optional.of(OracleSettings.vouched(configuration, tokens)));
      } else {
        oracle = connectOracle(Optional.ofNullable(security).or(this::securityOfUser));
        connection = connectHBase();
      }
      return new HBaseTransactionManager(settings, oracle, connection, ownsHBase, meterRegistry);
    } catch (IOException | RuntimeException e) {
      if (oracle != null) {
        oracle.close();
      }
      if (connection != null && ownsHBase) {
        HBaseTransactionManager.closeQuietly(connection);
      }
      throw e;
    }
  }

  private Optional<ClientSecurity> securityOfUser() {
    return user.isPresent()
        ? OracleSettings.security(configuration, user.get().getUGI())
        : OracleSettings.security(configuration);
  }

  private AsyncConnection connectHBase() throws IOException {
    return Futures.await(hbase.get(), HBaseTransactionManager::closeQuietly);
  }

  private ManagerSettings settings() {
    return new ManagerSettings(
        clientName,
        new WriteLimits(maxRows, maxWriteBytes, flushBytes),
        retryPolicy,
        isolation,
        new Cleaner.Options(cleanupRowsMax, cleanupDelayMillis, cleanupTimeoutMillis, cleanupAlive),
        orphanDelayMillis,
        sweepIntervalMillis,
        closeTimeoutMillis,
        recorded(),
        slow);
  }

  private Path recorded() {
    String set = configuration.getTrimmed(RECORDING_KEY, "");
    return recording != null || set.isEmpty() ? recording : Path.of(set);
  }

  private OracleClient connectOracle(Optional<ClientSecurity> known) throws IOException {
    addresses.forEach(client::address);
    known.ifPresent(client::security);
    OracleClient oracle = client.build();
    try {
      oracle.identity(); // a wrong address, or another version, is to be known now
      return oracle;
    } catch (OracleException e) {
      oracle.close();
      throw new OracleUnavailableException(
          Text.of(
              "the oracle at %s cannot be used: %s; check the address, and that it is a ReTSO"
                  + " oracle of this version",
              String.join(",", addresses), e.getMessage()),
          e);
    }
  }
}
