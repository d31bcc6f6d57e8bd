package io.retso.server.config;

import io.retso.text.Visible;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Every setting of the server, once. The properties file, the flags, {@code --help}, {@code
 * deploy/retso.properties} and {@code docs/configuration.md} are all made from this table.
 */
public final class Settings {
  public static final Setting<String> ORACLE_NAME =
      new Setting<>(
          "oracle.name",
          "retso",
          ValueType.oracleName(),
          "What this oracle is called: in messages, in descriptors of tables, and in the setting of"
              + " region servers that says where it is. Which oracle it is goes by the random id of"
              + " its log alone.");

  public static final Setting<String> LISTEN_HOST =
      new Setting<>(
          "listen.host", "127.0.0.1", ValueType.host(), "Address on which clients connect.");

  /** The default lies below the ephemeral range, so no outgoing connection ever sits on it. */
  public static final Setting<Integer> LISTEN_PORT =
      new Setting<>("listen.port", "7521", ValueType.port(), "Port on which clients connect.");

  public static final Setting<String> INSECURE =
      new Setting<>(
          "insecure",
          "no",
          ValueType.choice("no", "yes-i-know"),
          "yes-i-know lets this server listen beyond its own machine although clients need not"
              + " identify themselves: every client that reaches it can read which rows are"
              + " written, and report sweeps, which lets the oracle forget commits. It may then"
              + " lack a secret.file, too.");

  public static final Setting<String> SECRET_FILE =
      new Setting<>(
          "secret.file",
          "",
          ValueType.file(),
          "File with the secret that the servers of one log share, which others must not be able to"
              + " read; ./retso secret makes one. With it tickets are made, by which the oracle"
              + " knows which client began a transaction, and passwords of the log's ledgers. Empty"
              + " for data.dir/secret, which is made if it is not there; with a zookeeper of your"
              + " own it is needed.");

  public static final Setting<String> ACCESS_FILE =
      new Setting<>(
          "access.file",
          "",
          ValueType.file(),
          "File that says what is asked of clients, which names they have and what they may"
              + " do; it is read again every 10 s. Empty asks nothing of clients.");

  public static final Setting<String> TLS_CERTIFICATE =
      new Setting<>(
          "tls.certificate",
          "",
          ValueType.file(),
          "File in PEM with the certificate that this server shows to clients and to the other"
              + " servers of its log, then those of the authorities between it and one of tls.ca."
              + " This file and the next two are read again every 10 s; ./retso secure makes them"
              + " where there is no authority.");

  public static final Setting<String> TLS_KEY =
      new Setting<>(
          "tls.key",
          "",
          ValueType.file(),
          "File in PEM with the key of tls.certificate, in PKCS#8 without a password, that others"
              + " must not be able to read.");

  public static final Setting<String> TLS_CA =
      new Setting<>(
          "tls.ca",
          "",
          ValueType.file(),
          "File in PEM with the certificates of the authorities that are trusted to sign those of"
              + " clients and servers, and their lists of revoked ones, if there are any.");

  public static final Setting<String> KERBEROS_KEYTAB =
      new Setting<>(
          "kerberos.keytab",
          "",
          ValueType.file(),
          "Keytab with the key of kerberos.principal, that others must not be able to read. With it"
              + " clients may identify themselves by tickets of Kerberos, inside of TLS. It may be"
              + " replaced while the server runs.");

  public static final Setting<String> KERBEROS_PRINCIPAL =
      new Setting<>(
          "kerberos.principal",
          "retso/_HOST",
          ValueType.kerberosService(),
          "This server's name in Kerberos. _HOST is the host of advertise.address, or the name of"
              + " this machine; clients ask for tickets for the host by which they reach the"
              + " server, or for retso.tls.server.name. Without a realm it is in that of"
              + " krb5.conf.");

  public static final Setting<Duration> KERBEROS_LASTS =
      new Setting<>(
          "kerberos.lasts",
          "1h",
          ValueType.duration(Duration.ofSeconds(1), Duration.ofHours(24)),
          "For how long a ticket counts that a client has shown. Clients show one again at four"
              + " fifths of it: so one whose tickets have ended is known for so much longer at"
              + " most.");

  public static final Setting<String> AUDIT_FILE =
      new Setting<>(
          "audit.file",
          "",
          ValueType.file(),
          "File for a line of JSON about each event of security: which clients came in, which were"
              + " refused and why, what was changed. Ten of them are kept, of 50 MiB each. Empty"
              + " for none.");

  public static final Setting<String> ADVERTISE_ADDRESS =
      new Setting<>(
          "advertise.address",
          "",
          ValueType.address(),
          "Where clients and the other servers of the same log reach this one. Empty for"
              + " listen.host and listen.port; to be set if listen.host is 0.0.0.0 or a name of"
              + " this machine alone. Each server needs its own.");

  public static final Setting<String> HTTP_HOST =
      new Setting<>(
          "http.host",
          "127.0.0.1",
          ValueType.host(),
          "Address of the live page, /metrics, /health, /leader and /status, which are read-only"
              + " and need no password, and of /handover.");

  public static final Setting<Integer> HTTP_PORT =
      new Setting<>(
          "http.port", "7522", ValueType.port(), "Port of what http.host is the address of.");

  public static final Setting<Boolean> HTTP_HANDOVER_REMOTE =
      new Setting<>(
          "http.handover.remote",
          "false",
          ValueType.flag(),
          "Whether POST /handover is taken from other machines, too; there is no password.");

  public static final Setting<Path> DATA_DIR =
      new Setting<>(
          "data.dir",
          "./retso-data",
          ValueType.directory(),
          "Where the embedded ZooKeeper and bookie keep the log. Not used with a zookeeper of your"
              + " own.");

  public static final Setting<String> LOG =
      new Setting<>(
          "log",
          "bookkeeper",
          ValueType.choice("bookkeeper", "memory"),
          "bookkeeper keeps every commit through crashes; memory forgets everything with the"
              + " process, for measurements only.");

  public static final Setting<String> ZOOKEEPER =
      new Setting<>(
          "zookeeper",
          "",
          ValueType.zookeeper(),
          "ZooKeeper of the BookKeeper cluster that holds the log. Empty starts ZooKeeper and a"
              + " bookie inside this process, with their files in data.dir.");

  public static final Setting<String> ZOOKEEPER_AUTH =
      new Setting<>(
          "zookeeper.auth",
          "auto",
          ValueType.choice("auto", "none", "digest", "sasl", "x509"),
          "By what ZooKeeper knows the servers and bookies of the log, which alone may then read"
              + " and change its nodes: digest by a password that comes from the secret; sasl and"
              + " x509 by what ZooKeeper's own client is told with -Dzookeeper.* in RETSO_OPTS."
              + " Nodes that are there already get it from ./retso secure-log. auto is digest for"
              + " an embedded log and none otherwise.");

  public static final Setting<Integer> EMBEDDED_BOOKIES =
      new Setting<>(
          "embedded.bookies",
          "1",
          ValueType.smallCount(1, 5, "bookies"),
          "Bookies to start inside this process. More than one is for trying out quorums: they"
              + " share one disk.");

  public static final Setting<Integer> LOG_ENSEMBLE =
      new Setting<>(
          "log.ensemble",
          "auto",
          ValueType.autoCount(1, 20, "bookies"),
          "Bookies over which a ledger is spread. auto is 3 with a zookeeper of your own, and at"
              + " most embedded.bookies otherwise.");

  public static final Setting<Integer> LOG_WRITE_QUORUM =
      new Setting<>(
          "log.write.quorum",
          "auto",
          ValueType.autoCount(1, 20, "bookies"),
          "Copies of each log entry, at most log.ensemble. auto is log.ensemble.");

  public static final Setting<Integer> LOG_ACK_QUORUM =
      new Setting<>(
          "log.ack.quorum",
          "auto",
          ValueType.autoCount(1, 20, "bookies"),
          "Copies that must be on disk before a commit is acknowledged, at most log.write.quorum."
              + " auto is a majority of log.write.quorum.");

  public static final Setting<Boolean> LOG_SYNC =
      new Setting<>(
          "log.sync",
          "true",
          ValueType.flag(),
          "Whether the embedded bookie forces its journal to disk before it acknowledges. false"
              + " survives a killed process but not a power failure.");

  public static final Setting<Boolean> LOG_TLS =
      new Setting<>(
          "log.tls",
          "false",
          ValueType.flag(),
          "Whether bookies are spoken to by TLS only, in which this server shows tls.certificate"
              + " and theirs must be of an authority of tls.ca, for the host at which they are."
              + " Bookies need settings of their own for it. An embedded one needs none of this.");

  public static final Setting<Integer> LOG_INFLIGHT =
      new Setting<>(
          "log.inflight",
          "4",
          ValueType.smallCount(1, 64, "entries"),
          "Log entries on their way to the bookies at a time. More hides a long round trip, fewer"
              + " make larger entries.");

  public static final Setting<Duration> LOG_TIMEOUT =
      new Setting<>(
          "log.timeout",
          "10s",
          ValueType.duration(Duration.ofSeconds(1), Duration.ofMinutes(10)),
          "How long a bookie may take for a log entry before it counts as failed, rounded up to"
              + " seconds. If too few are left the log stalls, so pauses of the disks must fit"
              + " into it.");

  public static final Setting<String> LOG_LEDGERS =
      new Setting<>(
          "log.ledgers",
          "/ledgers",
          ValueType.znode(),
          "ZooKeeper node with the metadata of the BookKeeper cluster (zkLedgersRootPath there).");

  public static final Setting<String> LOG_ZNODE =
      new Setting<>(
          "log.znode",
          "/retso/log",
          ValueType.znode(),
          "ZooKeeper node that lists the ledgers of this oracle. Two oracles on one ensemble need"
              + " two nodes.");

  public static final Setting<Long> ROWS =
      new Setting<>(
          "rows",
          "32M",
          ValueType.count(1, 1_000_000_000, "rows"),
          "Rows whose last commit is remembered (NR of the paper), 12.8 bytes of heap each. Fewer"
              + " make long transactions abort more often.");

  public static final Setting<Integer> WINDOW_TIMESTAMPS =
      new Setting<>(
          "window.timestamps",
          "2^23",
          ValueType.powerOfTwo(3, 28, "timestamps"),
          "Timestamps whose transactions are remembered, 8 bytes of heap each. A transaction during"
              + " which more are issued is aborted; a restart replays a little more than so many."
              + " An idle oracle that follows the clock (timestamps.first) uses 225,000 an hour.");

  public static final Setting<Integer> UNCLEANED_MAX =
      new Setting<>(
          "uncleaned.max",
          "1M",
          ValueType.smallCount(1, 1 << 28, "transactions"),
          "Committed transactions whose clients have not reported the cleanup, at most; 32 to 64"
              + " bytes of heap each. Beyond it new commits with rows are refused.");

  public static final Setting<Integer> RESERVATION_TIMESTAMPS =
      new Setting<>(
          "reservation.timestamps",
          "auto",
          ValueType.autoCount(1 << 10, 1 << 25, "timestamps"),
          "Timestamps reserved in the log ahead of use, at most: twice what is used during the"
              + " slowest log write, and an eighth of window.timestamps at most. A crash skips what"
              + " is left of them, after a start without much work a sixteenth; a stop skips none."
              + " auto is an eighth of window.timestamps, at most 2^20.");

  public static final Setting<Long> TIMESTAMPS_FIRST =
      new Setting<>(
          "timestamps.first",
          "clock",
          ValueType.countOrClock(1, 1L << 58, "as a timestamp"),
          "The first timestamp of an oracle that never issued any, rounded up to a multiple of 16;"
              + " without effect once its log has an entry. clock is the milliseconds since 1970,"
              + " which timestamps do not fall behind later either: what a table got by HBase's own"
              + " timestamps is then older than every transaction to come. With a number they"
              + " follow no clock.");

  public static final Setting<Duration> TRANSACTION_TIMEOUT =
      new Setting<>(
          "transaction.timeout",
          "10m",
          ValueType.duration(Duration.ofSeconds(1), Duration.ofDays(30)),
          "A transaction that is open for longer, reading ones included, is aborted, so that dead"
              + " clients do not hold back the low watermark. It is noticed up to a thirtieth of"
              + " the limit and a second later. Of older transactions the oracle remembers only"
              + " those that are committed and not cleaned up.");

  public static final Setting<Integer> CONNECTIONS_MAX =
      new Setting<>(
          "connections.max",
          "1024",
          ValueType.smallCount(1, 65_536, "connections"),
          "Client connections at a time; one more is turned away.");

  public static final Setting<Integer> CONNECTIONS_PER_HOST =
      new Setting<>(
          "connections.per.host",
          "auto",
          ValueType.autoCount(1, 65_536, "connections"),
          "Of them, connections from one address. auto is a quarter of connections.max, but at"
              + " least 64.");

  public static final Setting<Duration> CLIENT_IDLE_TIMEOUT =
      new Setting<>(
          "client.idle.timeout",
          "1m",
          ValueType.duration(Duration.ofSeconds(1), Duration.ofDays(1)),
          "How long a client may send nothing before it is asked whether it lives, and how long it"
              + " may take to answer before it is disconnected.");

  public static final Setting<Duration> CLIENT_STALL_TIMEOUT =
      new Setting<>(
          "client.stall.timeout",
          "30s",
          ValueType.duration(Duration.ofMillis(100), Duration.ofHours(1)),
          "How long a client may leave its replies unread before it is disconnected.");

  public static final Setting<Duration> INHERITED_RETENTION =
      new Setting<>(
          "inherited.retention",
          "1h",
          ValueType.duration(Duration.ZERO, Duration.ofDays(365)),
          "How long the ledgers of the server before this one are kept although they are not needed"
              + " any more: longer than a cut-off server could go on believing that it is in"
              + " charge.");

  /** All of them, in the order of the documentation. */
  public static final List<Setting<?>> ALL =
      List.of(
          ORACLE_NAME,
          LISTEN_HOST,
          LISTEN_PORT,
          INSECURE,
          SECRET_FILE,
          ACCESS_FILE,
          TLS_CERTIFICATE,
          TLS_KEY,
          TLS_CA,
          KERBEROS_KEYTAB,
          KERBEROS_PRINCIPAL,
          KERBEROS_LASTS,
          AUDIT_FILE,
          ADVERTISE_ADDRESS,
          HTTP_HOST,
          HTTP_PORT,
          HTTP_HANDOVER_REMOTE,
          DATA_DIR,
          LOG,
          ZOOKEEPER,
          ZOOKEEPER_AUTH,
          EMBEDDED_BOOKIES,
          LOG_ENSEMBLE,
          LOG_WRITE_QUORUM,
          LOG_ACK_QUORUM,
          LOG_SYNC,
          LOG_TLS,
          LOG_INFLIGHT,
          LOG_TIMEOUT,
          LOG_LEDGERS,
          LOG_ZNODE,
          ROWS,
          WINDOW_TIMESTAMPS,
          UNCLEANED_MAX,
          RESERVATION_TIMESTAMPS,
          TIMESTAMPS_FIRST,
          TRANSACTION_TIMEOUT,
          CONNECTIONS_MAX,
          CONNECTIONS_PER_HOST,
          CLIENT_IDLE_TIMEOUT,
          CLIENT_STALL_TIMEOUT,
          INHERITED_RETENTION);

  private static final Map<String, Setting<?>> BY_KEY =
      ALL.stream().collect(Collectors.toUnmodifiableMap(Setting::key, Function.identity()));

  private Settings() {}

  /**
   * The setting of a key.
   *
   * @throws ConfigException if there is none; the message has the nearest right names
   */
  static Setting<?> byKey(String key, String where) throws ConfigException {
    Setting<?> setting = BY_KEY.get(key);
    if (setting != null) {
      return setting;
    }
    List<String> near = NearestNames.of(key, ALL.stream().map(Setting::key).toList());
    throw new ConfigException(
        where
            + ": unknown setting '"
            + Visible.of(key)
            + "'; "
            + (near.isEmpty()
                ? "retso server --help lists all of them"
                : "did you mean " + String.join(" or ", near) + "?"));
  }
}
