package io.retso.log.bookkeeper;

import io.retso.log.LedgerStore.Catalog;
import io.retso.log.LedgerStore.Content;
import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.bookkeeper.util.ZkUtils;
import org.apache.bookkeeper.zookeeper.RetryPolicy;
import org.apache.bookkeeper.zookeeper.ZooKeeperClient;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * The list of the log's ledgers, the epoch of its writer, and the log's identity: one node of
 * ZooKeeper, replaced by compare-and-set on its version. Survives the loss of connections and
 * sessions.
 *
 * <pre>
 *   retso-log 1          the format and its version
 *   writer 5b1e...       the server that replaced it last
 *   ledgers 17 19 23     oldest first
 *   id 0c9a...           of the log: random, never changes
 *   epoch 24             grows by one with each take-over
 *   leader a host:7521   the writer's name and address; may be missing
 * </pre>
 *
 * <p>Thread-safe.
 */
final class ZooKeeperCatalog implements AutoCloseable {
  private static final String FORMAT_NAME = "retso-log ";
  private static final int FORMAT_NUMBER = 1;
  private static final String FORMAT = FORMAT_NAME + FORMAT_NUMBER;
  private static final String WRITER = "writer";
  private static final String LEDGERS = "ledgers";
  private static final String ID = "id ";
  private static final String EPOCH = "epoch ";
  private static final String LEADER = "leader ";

  /**
   * The time-out of the session, milliseconds. Nothing of the log hangs on it. After two thirds of
   * it without an answer another server of ZooKeeper is tried, which gets a part of it to accept
   * the connection: as many parts as there are servers. ZooKeeper grants no less than two of its
   * ticks, which are 2 s by default.
   */
  private static final int SESSION_MS = 4_000;

  private static final int RETRY_INTERVAL_MS = 50;

  private final ZooKeeperClient client;
  private final String zookeeper;
  private final ZooKeeperAccess access;
  private final String path;

  /** Distinguishes a replacement of our own, whose reply was lost, from another server's. */
  private final String writer = UUID.randomUUID().toString();

  /** The id of the log, as it was read last. */
  private volatile String logId = UUID.randomUUID().toString();

  private ZooKeeperCatalog(
      ZooKeeperClient client, String zookeeper, ZooKeeperAccess access, String path) {
    this.client = client;
    this.zookeeper = zookeeper;
    this.access = access;
    this.path = path;
  }

  /**
   * Connects.
   *
   * @param timeout for how long this, and a call that finds no connection, tries again
   */
  static ZooKeeperCatalog connect(
      String zookeeper, ZooKeeperAccess access, String path, Duration timeout) throws LogException {
    ZooKeeperCatalog catalog = null;
    try {
      ZooKeeperClient client = client(zookeeper, access, (int) timeout.toMillis());
      catalog = new ZooKeeperCatalog(client, zookeeper, access, path);
      catalog.read();
      return catalog;
    } catch (IOException | KeeperException | InterruptedException e) {
      throw failure("read", zookeeper + path, e);
    } catch (LogException e) {
      catalog.close();
      throw e;
    }
  }

  /** One attempt lasts as long as a session may be silent. */
  private static ZooKeeperClient client(String zookeeper, ZooKeeperAccess access, int timeoutMs)
      throws IOException, KeeperException, InterruptedException {
    int sessionMs = Math.min(SESSION_MS, timeoutMs);
    for (int left = timeoutMs; ; left -= sessionMs) {
      try {
        return ZooKeeperSession.connect(zookeeper, sessionMs, retries(timeoutMs), access);
      } catch (KeeperException.ConnectionLossException e) {
        if (left <= sessionMs) {
          throw e;
        }
      }
    }
  }

  /** BookKeeper's own policy tries again after as long as a session may last. */
  private static RetryPolicy retries(int timeoutMs) {
    return new RetryPolicy() {
      @Override
      public boolean allowRetry(int attempts, long elapsedMs) {
        return elapsedMs < timeoutMs;
      }

      @Override
      public long nextRetryWaitTime(int attempts, long elapsedMs) {
        return RETRY_INTERVAL_MS;
      }
    };
  }

  /** The session with ZooKeeper, for BookKeeper's client. It ends with this. */
  ZooKeeperClient client() {
    return client;
  }

  /** The log's identity: that of the catalog which was read last. */
  String logId() {
    return logId;
  }

  /** Reads the list; creates an empty one if there is none. */
  Catalog read() throws LogException {
    try {
      try {
        return readExisting();
      } catch (KeeperException.NoNodeException e) {
        create();
        return readExisting();
      }
    } catch (KeeperException | InterruptedException e) {
      throw failure("read", e);
    }
  }

  /**
   * Reads the catalog as it is now: a server of ZooKeeper may be behind the others, but first it
   * catches up. If the connection is lost between these two another server answers, which may be
   * behind again.
   */
  Catalog readNewest() throws LogException {
    CompletableFuture<Integer> caughtUp = new CompletableFuture<>();
    client.sync(path, (code, ignored, context) -> caughtUp.complete(code), null);
    try {
      KeeperException.Code code = KeeperException.Code.get(caughtUp.get());
      if (code != KeeperException.Code.OK) {
        throw KeeperException.create(code);
      }
    } catch (KeeperException | InterruptedException | ExecutionException e) {
      throw failure("read", e);
    }
    return read();
  }

  private Catalog readExisting() throws LogException, KeeperException, InterruptedException {
    Stat stat = new Stat();
    String text = text(client.getData(path, false, stat));
    return new Catalog(stat.getVersion(), parse(text));
  }

  private void create() throws KeeperException, InterruptedException {
    try {
      ZkUtils.createFullPathOptimistic(
          client,
          path,
          format(new Content(0, "", List.of())),
          access.acls(),
          CreateMode.PERSISTENT);
    } catch (KeeperException.NodeExistsException e) {
      return; // another server's is as good
    }
  }

  /**
   * Looks whether a server that is this to ZooKeeper could read and replace the catalog.
   *
   * @throws LogException {@link Reason#LOCKED} if it could not
   */
  void check(ZooKeeperAccess other) throws LogException {
    try {
      if (other.isSecured()
          && !other.passwords().isEmpty()
          && !other.isAmong(client.getACL(path, new Stat()))) {
        throw new LogException(
            Reason.LOCKED,
            "ZooKeeper's node "
                + path
                + " is open to the secret before this one only: with both lines start an embedded"
                + " log again, or run retso secure-log");
      }
    } catch (KeeperException | InterruptedException e) {
      throw failure("read", e);
    }
  }

  /** Replaces the catalog if it is still at the version of {@code expected}. */
  Catalog replace(Catalog expected, Content wanted) throws LogException {
    byte[] bytes = format(wanted);
    try {
      Stat stat = client.setData(path, bytes, expected.version());
      return new Catalog(stat.getVersion(), wanted);
    } catch (KeeperException.BadVersionException e) {
      return ownOrConflict(expected.version() + 1, wanted, text(bytes));
    } catch (KeeperException | InterruptedException e) {
      throw failure("replace", e);
    }
  }

  /** A call is repeated after a lost connection; the first try may have succeeded. */
  private Catalog ownOrConflict(int version, Content wanted, String text) throws LogException {
    try {
      Stat stat = new Stat();
      String found = text(client.getData(path, false, stat));
      if (stat.getVersion() == version && found.equals(text)) {
        return new Catalog(version, wanted);
      }
    } catch (KeeperException | InterruptedException e) {
      throw failure("read", e);
    }
    throw new LogException(
        Reason.FENCED, "the log's list of ledgers at " + path + " was replaced by another server");
  }

  private byte[] format(Content content) {
    StringBuilder text = new StringBuilder();
    text.append(FORMAT).append('\n').append(WRITER).append(' ').append(writer).append('\n');
    text.append(LEDGERS);
    content.ledgers().forEach(ledger -> text.append(' ').append(ledger));
    text.append('\n').append(ID).append(logId);
    text.append('\n').append(EPOCH).append(content.epoch());
    if (!content.leader().isEmpty()) {
      text.append('\n').append(LEADER).append(content.leader().replace('\n', ' '));
    }
    return text.append('\n').toString().getBytes(StandardCharsets.UTF_8);
  }

  private Content parse(String text) throws LogException {
    String[] lines = text.split("\n");
    boolean namesLeader = lines.length == 6 && lines[5].startsWith(LEADER);
    if (!lines[0].equals(FORMAT)
        || lines.length != 5 && !namesLeader
        || !lines[2].startsWith(LEDGERS)
        || !lines[3].startsWith(ID)
        || !lines[4].startsWith(EPOCH)) {
      throw corrupt(text, null);
    }
    logId = checkedId(text, lines[3].substring(ID.length()));
    List<Long> ledgers = new ArrayList<>();
    for (String ledger : lines[2].substring(LEDGERS.length()).trim().split(" ")) {
      if (!ledger.isEmpty()) {
        ledgers.add(number(text, ledger));
      }
    }
    long epoch = number(text, lines[4].substring(EPOCH.length()));
    String leader = namesLeader ? lines[5].substring(LEADER.length()) : "";
    return new Content(epoch, leader, List.copyOf(ledgers));
  }

  private long number(String text, String digits) throws LogException {
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      throw corrupt(text, e);
    }
  }

  private String checkedId(String text, String id) throws LogException {
    try {
      return UUID.fromString(id).toString();
    } catch (IllegalArgumentException e) {
      throw corrupt(text, e);
    }
  }

  private LogException corrupt(String text, Throwable cause) {
    String first = text.lines().findFirst().orElse("");
    return new LogException(
        isNewer(first) ? Reason.NEWER : Reason.CORRUPT,
        "ZooKeeper's node "
            + path
            + " is not a list of ledgers that this build reads: it begins with \""
            + first
            + "\", not \""
            + FORMAT
            + "\"; start the version that wrote it, or choose another path",
        cause);
  }

  private static boolean isNewer(String first) {
    String digits = first.startsWith(FORMAT_NAME) ? first.substring(FORMAT_NAME.length()) : "";
    return digits.matches("[0-9]{1,9}") && Integer.parseInt(digits) > FORMAT_NUMBER;
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private LogException failure(String what, Exception e) {
    return failure(what, zookeeper + path, e);
  }

  private static LogException failure(String what, String where, Exception e) {
    if (e instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    if (e instanceof KeeperException.NoAuthException
        || e instanceof KeeperException.AuthFailedException
        || e instanceof KeeperException.InvalidACLException) {
      return new LogException(
          Reason.LOCKED,
          "ZooKeeper does not let this server "
              + what
              + " the log's list of ledgers at "
              + where
              + ": its identity there is not that of the servers that made it (zookeeper.auth, and"
              + " with digest the secret)",
          e);
    }
    return new LogException(
        Reason.UNAVAILABLE,
        "cannot "
            + what
            + " the log's list of ledgers at "
            + where
            + ": "
            + ErrorText.of(e)
            + "; check ZooKeeper and the access to this path",
        e);
  }

  @Override
  public void close() {
    try {
      client.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the session ends by itself
    }
  }
}
