package io.retso.log;

import io.retso.log.LedgerStore.Catalog;
import io.retso.log.LogException.Reason;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryUntilElapsed;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * The list of the log's ledgers, and the log's identity: one node of ZooKeeper, replaced by
 * compare-and-set on its version. Survives the loss of connections and sessions.
 *
 * <pre>
 *   retso-log 2          the format and its version
 *   writer 5b1e...       who replaced it last
 *   ledgers 17 19 23     oldest first
 *   id 0c9a...           of the log: random, never changes
 * </pre>
 *
 * <p>Version 1 has no id; it gets one when it is replaced.
 *
 * <p>Thread-safe.
 */
final class ZooKeeperCatalog implements AutoCloseable {
  private static final String FORMAT = "retso-log 2";
  private static final String FORMAT_WITHOUT_ID = "retso-log 1";
  private static final String WRITER = "writer";
  private static final String LEDGERS = "ledgers";
  private static final String ID = "id ";
  private static final int RETRY_INTERVAL_MS = 100;

  private final CuratorFramework client;
  private final String zookeeper;
  private final String path;

  /** Distinguishes a replacement of our own, whose reply was lost, from somebody else's. */
  private final String writer = UUID.randomUUID().toString();

  /** The id of the log, as it was read last. */
  private volatile String logId = UUID.randomUUID().toString();

  private ZooKeeperCatalog(CuratorFramework client, String zookeeper, String path) {
    this.client = client;
    this.zookeeper = zookeeper;
    this.path = path;
  }

  /**
   * Connects.
   *
   * @param timeout of the session, and for how long a call tries again before it gives up
   */
  static ZooKeeperCatalog connect(String zookeeper, String path, Duration timeout)
      throws LogException {
    int timeoutMs = (int) timeout.toMillis();
    CuratorFramework client =
        CuratorFrameworkFactory.builder()
            .connectString(zookeeper)
            .sessionTimeoutMs(timeoutMs)
            .connectionTimeoutMs(timeoutMs)
            // Parents would otherwise be given this host's address as their data.
            .defaultData(new byte[0])
            .retryPolicy(new RetryUntilElapsed(timeoutMs, RETRY_INTERVAL_MS))
            .build();
    client.start();
    ZooKeeperCatalog catalog = new ZooKeeperCatalog(client, zookeeper, path);
    try {
      catalog.read();
      return catalog;
    } catch (LogException e) {
      catalog.close();
      throw e;
    }
  }

  /** The log's identity: that of the catalog which was read last. */
  String logId() {
    return logId;
  }

  /** Reads the list; creates an empty one if there is none. */
  Catalog read() throws LogException {
    try {
      if (client.checkExists().forPath(path) == null) {
        create();
      }
      Stat stat = new Stat();
      String text = text(client.getData().storingStatIn(stat).forPath(path));
      return new Catalog(stat.getVersion(), parse(text), text.contains(writer));
    } catch (Exception e) {
      throw failure("read", e);
    }
  }

  private void create() throws Exception {
    try {
      client.create().creatingParentsIfNeeded().forPath(path, format(List.of()));
    } catch (KeeperException.NodeExistsException e) {
      return; // somebody else's is as good
    }
  }

  /** Replaces the list if it is still at the version of {@code expected}. */
  Catalog replace(Catalog expected, List<Long> ledgers) throws LogException {
    byte[] bytes = format(ledgers);
    try {
      Stat stat = client.setData().withVersion(expected.version()).forPath(path, bytes);
      return new Catalog(stat.getVersion(), List.copyOf(ledgers), true);
    } catch (KeeperException.BadVersionException e) {
      return ownOrConflict(expected.version() + 1, ledgers, text(bytes));
    } catch (Exception e) {
      throw failure("replace", e);
    }
  }

  /** A call is repeated after a lost connection; the first try may have succeeded. */
  private Catalog ownOrConflict(int version, List<Long> ledgers, String wanted)
      throws LogException {
    try {
      Stat stat = new Stat();
      String found = text(client.getData().storingStatIn(stat).forPath(path));
      if (stat.getVersion() == version && found.equals(wanted)) {
        return new Catalog(version, List.copyOf(ledgers), true);
      }
    } catch (Exception e) {
      throw failure("read", e);
    }
    throw new LogException(
        Reason.FENCED, "the log's list of ledgers at " + path + " was replaced by another server");
  }

  private byte[] format(List<Long> ledgers) {
    StringBuilder text = new StringBuilder();
    text.append(FORMAT).append('\n').append(WRITER).append(' ').append(writer).append('\n');
    text.append(LEDGERS);
    ledgers.forEach(ledger -> text.append(' ').append(ledger));
    text.append('\n').append(ID).append(logId);
    return text.append('\n').toString().getBytes(StandardCharsets.UTF_8);
  }

  private List<Long> parse(String text) throws LogException {
    String[] lines = text.split("\n");
    boolean hasId = lines.length == 4 && lines[0].equals(FORMAT) && lines[3].startsWith(ID);
    boolean hadNone = lines.length == 3 && lines[0].equals(FORMAT_WITHOUT_ID);
    if (!hasId && !hadNone || !lines[2].startsWith(LEDGERS)) {
      throw corrupt(text, null);
    }
    if (hasId) {
      logId = checkedId(text, lines[3].substring(ID.length()));
    }
    List<Long> ledgers = new ArrayList<>();
    for (String ledger : lines[2].substring(LEDGERS.length()).trim().split(" ")) {
      try {
        if (!ledger.isEmpty()) {
          ledgers.add(Long.valueOf(ledger));
        }
      } catch (NumberFormatException e) {
        throw corrupt(text, e);
      }
    }
    return List.copyOf(ledgers);
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
        Reason.CORRUPT,
        "ZooKeeper's node "
            + path
            + " is not a list of ledgers that this build reads: it begins with \""
            + first
            + "\", not \""
            + FORMAT
            + "\"; start the version that wrote it, or choose another path",
        cause);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private LogException failure(String what, Exception e) {
    if (e instanceof LogException known) {
      return known;
    }
    if (e instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    return new LogException(
        Reason.UNAVAILABLE,
        "cannot "
            + what
            + " the log's list of ledgers at "
            + zookeeper
            + path
            + ": "
            + e.getMessage()
            + "; check ZooKeeper and the access to this path",
        e);
  }

  @Override
  public void close() {
    client.close();
  }
}
