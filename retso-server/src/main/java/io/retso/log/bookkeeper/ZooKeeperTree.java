package io.retso.log.bookkeeper;

import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.bookkeeper.zookeeper.BoundExponentialBackoffRetryPolicy;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/** Which clients may read and change what is in ZooKeeper already. Stateless. */
public final class ZooKeeperTree {
  private static final int SESSION_MS = 10_000;
  private static final int RETRY_MS = 100;
  private static final int RETRIES = 20;
  private static final int ANY_VERSION = -1;

  /** What ZooKeeper keeps for itself, and lets no client change. */
  private static final String OWN = "/zookeeper/config";

  private ZooKeeperTree() {}

  /** What {@link #set} did. */
  public record Result(int nodes, int changed) {}

  /** A session for a command or a start, in which lost connections are made again. */
  public static ZooKeeperSession connect(String zookeeper, ZooKeeperAccess access)
      throws IOException, KeeperException, InterruptedException {
    return ZooKeeperSession.connect(
        zookeeper,
        SESSION_MS,
        new BoundExponentialBackoffRetryPolicy(RETRY_MS, RETRY_MS, RETRIES),
        access);
  }

  /**
   * Gives nodes their access lists, in the order of the roots, and those further down last. Nodes
   * that come or go meanwhile are left alone. Repeating it does no harm.
   *
   * @param roots nodes of which all that is below them is meant, too; they need not exist
   * @param alone nodes of which that is not meant; they need not exist
   * @param access whose they are from here on
   */
  public static Result set(
      ZooKeeper session, List<String> roots, List<String> alone, ZooKeeperAccess access)
      throws KeeperException, InterruptedException {
    int nodes = 0;
    int changed = 0;
    for (String node : alone) {
      nodes++;
      changed += set(session, node, access) ? 1 : 0;
    }
    for (String root : roots) {
      Deque<String> left = new ArrayDeque<>(List.of(root));
      while (!left.isEmpty()) {
        String node = left.pop();
        nodes++;
        changed += set(session, node, access) ? 1 : 0;
        children(session, node).forEach(left::push);
      }
    }
    return new Result(nodes, changed);
  }

  /**
   * Gives what a log and its bookies have in ZooKeeper their access lists; its catalog last.
   *
   * @param zookeeper connect string
   * @param log the node of the log's catalog
   * @param ledgers the node of the bookies
   * @param by the identity that does it
   * @param to whose they are from here on
   * @throws LogException {@link Reason#UNAVAILABLE} or {@link Reason#LOCKED}
   */
  public static Result ofLog(
      String zookeeper, String log, String ledgers, ZooKeeperAccess by, ZooKeeperAccess to)
      throws LogException {
    List<String> above = new ArrayList<>(above(log));
    above.addAll(above(ledgers));
    try (ZooKeeperSession session = connect(zookeeper, by)) {
      return set(session, List.of(ledgers, log + "-members", log), above, to);
    } catch (KeeperException.NoAuthException | KeeperException.InvalidACLException e) {
      throw new LogException(
          Reason.LOCKED, "ZooKeeper does not let this server change the access to its nodes", e);
    } catch (IOException | KeeperException e) {
      throw new LogException(
          Reason.UNAVAILABLE,
          "ZooKeeper cannot be used at " + zookeeper + ": " + ErrorText.of(e),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LogException(Reason.UNAVAILABLE, "interrupted", e);
    }
  }

  private static boolean set(ZooKeeper session, String node, ZooKeeperAccess access)
      throws KeeperException, InterruptedException {
    if (node.equals(OWN)) {
      return false;
    }
    try {
      List<ACL> before = session.getACL(node, new Stat());
      if (before.equals(access.acls())) {
        return false;
      }
      session.setACL(node, access.acls(), ANY_VERSION);
      return !session.getACL(node, new Stat()).equals(before);
    } catch (KeeperException.NoNodeException e) {
      return false;
    }
  }

  private static List<String> children(ZooKeeper session, String node)
      throws KeeperException, InterruptedException {
    List<String> paths = new ArrayList<>();
    try {
      for (String child : session.getChildren(node, false)) {
        paths.add((node.equals("/") ? "" : node) + "/" + child);
      }
    } catch (KeeperException.NoNodeException e) {
      return List.of();
    }
    return paths;
  }

  /** The nodes above another one, but for the root: it says which clients may delete the node. */
  private static List<String> above(String node) {
    List<String> above = new ArrayList<>();
    for (int slash = node.lastIndexOf('/'); slash > 0; slash = node.lastIndexOf('/', slash - 1)) {
      above.add(node.substring(0, slash));
    }
    return above;
  }
}
