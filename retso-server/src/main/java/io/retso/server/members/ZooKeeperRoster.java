package io.retso.server.members;

import io.retso.log.bookkeeper.ZooKeeperAccess;
import io.retso.member.Roster;
import io.retso.protocol.Limits;
import io.retso.protocol.ServerRole;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.curator.framework.AuthInfo;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.ACL;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The members' nodes in ZooKeeper, beside the log's node: {@code <log.znode>-members/m-<number>},
 * ephemeral and numbered in the order of registration.
 *
 * <pre>
 *   retso-member 1
 *   address host:7521
 *   http host:7522
 *   ready true
 *   behind 12
 *   reads 1              the newest version of the log's entries that it reads
 * </pre>
 *
 * <p>While ZooKeeper cannot be reached the members are those that were known last. A session that
 * is lost costs a member its place: it registers again, as the last one.
 */
public final class ZooKeeperRoster implements Roster {
  /** After this time without a sign of its process a member's node is gone. */
  private static final Duration SESSION_TIMEOUT = Duration.ofSeconds(6);

  /** Time between two changes of the number of entries that a member is behind, at least. */
  static final long LAG_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperRoster.class);
  private static final String FORMAT = "retso-member 1";
  private static final int RETRY_MILLIS = 100;
  private static final long LEAVE_MILLIS_MAX = 1_000;

  /** All nodes are those of the same. */
  private record OneList(List<ACL> acls) implements ACLProvider {
    @Override
    public List<ACL> getDefaultAcl() {
      return acls;
    }

    @Override
    public List<ACL> getAclForPath(String path) {
      return acls;
    }
  }

  private final CuratorFramework client;
  private final CuratorCache cache;
  private final String path;
  private final LongSupplier nanoClock;

  /** Written by the cache's thread, read by the member's. */
  private volatile List<Entry> members = List.of();

  private PersistentNode node;
  private Entry published;
  private long publishedNanos;

  private ZooKeeperRoster(
      CuratorFramework client, CuratorCache cache, String path, LongSupplier nanoClock) {
    this.client = client;
    this.cache = cache;
    this.path = path;
    this.nanoClock = nanoClock;
  }

  /**
   * Begins to connect, and returns at once.
   *
   * @param zookeeper connect string
   * @param access this member's identity there, and whose the nodes are that it makes
   * @param logNode the log's node, which need not exist
   */
  public static ZooKeeperRoster connect(
      String zookeeper, ZooKeeperAccess access, String logNode, LongSupplier nanoClock) {
    CuratorFramework client =
        CuratorFrameworkFactory.builder()
            .authorization(
                access.identities().stream()
                    .map(identity -> new AuthInfo(ZooKeeperAccess.DIGEST, identity))
                    .toList())
            .aclProvider(new OneList(access.acls()))
            .connectString(zookeeper)
            .sessionTimeoutMs((int) SESSION_TIMEOUT.toMillis())
            .connectionTimeoutMs((int) SESSION_TIMEOUT.toMillis())
            .defaultData(new byte[0])
            .retryPolicy(
                new RetryOneTime(RETRY_MILLIS)) // Curator's recipes come back by themselves
            .build();
    client.start();
    String path = logNode + "-members";
    CuratorCache cache = CuratorCache.build(client, path);
    ZooKeeperRoster roster = new ZooKeeperRoster(client, cache, path, nanoClock);
    cache.listenable().addListener((type, before, now) -> roster.look());
    cache.start();
    return roster;
  }

  /**
   * What it says is said again if it is not seen after a while: what is changed while Curator makes
   * the node, may be lost.
   */
  @Override
  public void publish(Entry own) {
    boolean isSaid = own.equals(published);
    if (isTooSoon() ? isSaid || isOnlyLag(own) : isSaid && members.contains(own)) {
      return;
    }
    published = own;
    publishedNanos = nanoClock.getAsLong();
    byte[] bytes = format(own);
    if (node == null) {
      node = new PersistentNode(client, CreateMode.EPHEMERAL_SEQUENTIAL, true, path + "/m-", bytes);
      node.start();
    } else {
      try {
        node.setData(bytes); // in the background
      } catch (Exception e) { // it says no more than this
        LOG.debug("the member's node cannot be changed now; it will be", e);
      }
    }
  }

  private boolean isOnlyLag(Entry own) {
    return own.isReady() == published.isReady()
        && own.address().equals(published.address())
        && own.httpAddress().equals(published.httpAddress());
  }

  private boolean isTooSoon() {
    return published != null && nanoClock.getAsLong() - publishedNanos < LAG_NANOS;
  }

  @Override
  public List<Entry> members() {
    return members;
  }

  /** On the cache's thread. Numbers have ten digits behind a name that Curator makes. */
  private void look() {
    members =
        cache.stream()
            .filter(child -> child.getPath().startsWith(path + "/"))
            .sorted(Comparator.comparing(child -> number(child.getPath())))
            .map(ZooKeeperRoster::parse)
            .flatMap(Optional::stream)
            .limit(Limits.MEMBERS_MAX)
            .toList();
  }

  private static String number(String childPath) {
    return childPath.substring(childPath.lastIndexOf('-') + 1);
  }

  private static byte[] format(Entry own) {
    return String.join(
            "\n",
            FORMAT,
            "address " + own.address(),
            "http " + own.httpAddress(),
            "ready " + own.isReady(),
            "behind " + own.entriesBehind(),
            "reads " + own.logVersion(),
            "")
        .getBytes(StandardCharsets.UTF_8);
  }

  private static Optional<Entry> parse(ChildData child) {
    String text = new String(child.getData(), StandardCharsets.UTF_8);
    String[] lines = text.split("\n");
    try {
      if (lines.length >= 6 && lines[0].equals(FORMAT)) {
        String address = value(lines[1]);
        if (ServerRole.isAddress(address)) {
          return Optional.of(
              new Entry(
                  address,
                  value(lines[2]),
                  Boolean.parseBoolean(value(lines[3])),
                  Integer.parseInt(value(lines[5])),
                  Long.parseLong(value(lines[4]))));
        }
      }
    } catch (NumberFormatException e) {
      LOG.debug("a number", e);
    }
    LOG.warn(
        "ZooKeeper's node {} is no member that this build knows; it is left out", child.getPath());
    return Optional.empty();
  }

  private static String value(String line) {
    return line.substring(line.indexOf(' ') + 1);
  }

  /**
   * Deletes the member's node and ends the session, with which the node goes in any case; waits no
   * longer than a second for ZooKeeper.
   */
  @Override
  public void close() {
    try {
      CompletableFuture.runAsync(this::leave).get(LEAVE_MILLIS_MAX, TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.debug("the member's node is left to the end of its session", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void leave() {
    try {
      if (node != null) { // before its client, or it tries to come back for ever
        node.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      cache.close();
      client.close();
    }
  }
}
