package io.retso.log.bookkeeper;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.junit.jupiter.api.function.Executable;

/** A client of ZooKeeper that knows where it is, and which nodes it has. */
public final class ZooKeeperStranger {
  private ZooKeeperStranger() {}

  /** Everything that is below some nodes, as those see it that may. */
  public static List<String> nodes(String zookeeper, ZooKeeperAccess access, String... roots)
      throws Exception {
    List<String> nodes = new ArrayList<>(List.of(roots));
    try (ZooKeeperSession session = ZooKeeperTree.connect(zookeeper, access)) {
      for (int i = 0; i < nodes.size(); i++) {
        for (String child : session.getChildren(nodes.get(i), false)) {
          nodes.add(nodes.get(i) + "/" + child);
        }
      }
    }
    return nodes;
  }

  /** Somebody without a password, who tries everything with each node. */
  public static void isKeptOut(String zookeeper, List<String> nodes) throws Exception {
    try (ZooKeeperSession stranger = ZooKeeperTree.connect(zookeeper, ZooKeeperAccess.OPEN)) {
      for (String node : nodes) {
        isRefused(node, () -> stranger.getData(node, false, null));
        isRefused(node, () -> stranger.getChildren(node, false));
        isRefused(node, () -> stranger.setData(node, new byte[0], -1));
        isRefused(node, () -> stranger.setACL(node, ZooDefs.Ids.OPEN_ACL_UNSAFE, -1));
        Executable create =
            () ->
                stranger.create(
                    (node.equals("/") ? "" : node) + "/forged",
                    new byte[0],
                    ZooDefs.Ids.OPEN_ACL_UNSAFE,
                    CreateMode.PERSISTENT);
        isRefused(node, create);
        if (node.lastIndexOf('/') > 0) { // nodes below the root have others in them
          isRefused(node, () -> stranger.delete(node, -1));
        }
      }
    }
  }

  private static void isRefused(String node, Executable attempt) {
    KeeperException e = assertThrows(KeeperException.class, attempt, node);
    assertTrue(
        e instanceof KeeperException.NoAuthException
            || e instanceof KeeperException.NoNodeException // it has gone
            || e instanceof KeeperException.NoChildrenForEphemeralsException,
        node + ": " + e);
  }
}
