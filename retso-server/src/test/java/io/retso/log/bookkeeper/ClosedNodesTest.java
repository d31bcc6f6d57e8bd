package io.retso.log.bookkeeper;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.Await;
import io.retso.log.LedgerStore;
import io.retso.log.LogException;
import io.retso.log.LogException.Reason;
import io.retso.member.Roster;
import io.retso.server.embedded.EmbeddedBookKeeper;
import io.retso.server.members.ZooKeeperRoster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.apache.bookkeeper.zookeeper.BoundExponentialBackoffRetryPolicy;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What servers and bookies make in ZooKeeper is theirs alone. */
@Timeout(60)
class ClosedNodesTest {
  static final String PASSWORD = "of servers and bookies";

  private static EmbeddedBookKeeper cluster;

  @BeforeAll
  static void startCluster(@TempDir Path directory) throws IOException {
    cluster = start(directory);
  }

  /** With bookies that know the password. */
  static EmbeddedBookKeeper start(Path directory) throws IOException {
    ZooKeeperAccess access = ZooKeeperAccess.byPasswords(List.of(PASSWORD));
    return EmbeddedBookKeeper.start(directory, 1, false, access, bookie -> {});
  }

  @AfterAll
  static void stopCluster() throws IOException {
    cluster.close();
  }

  /** What a server does, and then a stranger; made anew by each loader of classes. */
  static final class Attempts implements BiConsumer<String, String> {
    private final ZooKeeperAccess access = ZooKeeperAccess.byPasswords(List.of(PASSWORD));

    @Override
    public void accept(String zookeeper, String znode) {
      try {
        makesNothingThatIsOpen(zookeeper, znode);
        isItselfAgainAfterItsSession(zookeeper, znode);
        othersDoNotReadTheLog(zookeeper, znode);
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }

    private BookKeeperSettings settings(String zookeeper, String znode) {
      return BookKeeperSettings.of(zookeeper, 1, 1, 1).withAccess(access).withZnode(znode);
    }

    void makesNothingThatIsOpen(String zookeeper, String znode) throws Exception {
      Roster.Entry own = new Roster.Entry("a:7521", "a:7522", true, 16, 0);
      try (BookKeeperStore store = BookKeeperStore.connect(settings(zookeeper, znode));
          ZooKeeperRoster roster = ZooKeeperRoster.connect(zookeeper, access, znode, () -> 0)) {
        LedgerStore.Ledger ledger = store.create().join();
        try {
          store.replaceCatalog(store.readCatalog().join(), List.of(ledger.id())).join();
          roster.publish(own);
          Await.until(() -> roster.members().equals(List.of(own)));
          ZooKeeperStranger.isKeptOut(
              zookeeper, ZooKeeperStranger.nodes(zookeeper, access, "/ledgers", parent(znode)));
        } finally { // others look at all ledgers
          ledger.closeAsync().join();
          store.delete(ledger.id()).join();
          store.replaceCatalog(store.readCatalog().join(), List.of()).join();
        }
      }
    }

    private static String parent(String znode) {
      return znode.substring(0, znode.lastIndexOf('/'));
    }

    /** ZooKeeper ends a session that is said to be over on another connection. */
    void isItselfAgainAfterItsSession(String zookeeper, String znode) throws Exception {
      BoundExponentialBackoffRetryPolicy retries =
          new BoundExponentialBackoffRetryPolicy(10, 10, 1_000);
      try (ZooKeeperSession session =
          ZooKeeperSession.connect(zookeeper, 10_000, retries, access)) {
        long before = session.getSessionId();
        ZooKeeper same =
            new ZooKeeper(zookeeper, 10_000, event -> {}, before, session.getSessionPasswd());
        Await.until(() -> same.getState().isConnected());
        same.close();
        Await.until(() -> session.getSessionId() != before && session.getState().isConnected());
        session.setData(znode, session.getData(znode, false, null), -1);
      }
    }

    void othersDoNotReadTheLog(String zookeeper, String znode) {
      for (ZooKeeperAccess other :
          List.of(ZooKeeperAccess.OPEN, ZooKeeperAccess.byPasswords(List.of("another")))) {
        BookKeeperSettings settings = settings(zookeeper, znode).withAccess(other);
        LogException e =
            assertThrows(
                LogException.class,
                () ->
                    BookKeeperStore.connect(settings, Optional.empty(), LedgerPasswords.NONE)
                        .close());
        assertEquals(Reason.LOCKED, e.reason(), e.getMessage());
      }
    }
  }

  @Test
  void whatAServerMakesIsItsOwn() throws Exception {
    new Attempts().makesNothingThatIsOpen(cluster.zookeeper(), "/own/log");
  }

  @Test
  void aSessionThatBeginsAnewIsTheSame() throws Exception {
    String znode = "/session/log";
    new Attempts().makesNothingThatIsOpen(cluster.zookeeper(), znode);
    new Attempts().isItselfAgainAfterItsSession(cluster.zookeeper(), znode);
  }

  @Test
  void othersDoNotReadTheLog() throws Exception {
    String znode = "/others/log";
    new Attempts().makesNothingThatIsOpen(cluster.zookeeper(), znode);
    new Attempts().othersDoNotReadTheLog(cluster.zookeeper(), znode);
  }
}
