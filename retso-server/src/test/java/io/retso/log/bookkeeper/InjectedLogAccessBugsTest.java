package io.retso.log.bookkeeper;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.client.OracleClient;
import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import io.retso.sequencer.Sequencer;
import io.retso.server.embedded.BookieKeyTest;
import io.retso.server.embedded.EmbeddedBookKeeper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers whose log is open to strangers, each of which a test must see. */
@Timeout(60)
class InjectedLogAccessBugsTest {
  private static EmbeddedBookKeeper cluster;
  private static EmbeddedBookKeeper closed;

  /** What is done wrong. */
  enum Bug {
    LEDGERS_GET_NO_PASSWORD(
        "LedgerPasswords", "return lines.isEmpty() ?", "return lines != null ?"),
    LEDGERS_DO_NOT_SAY_WHICH_PASSWORD_THEY_HAVE(
        "BookKeeperStore", "metadata.putAll(by.noteOf(logId));", ""),
    LINES_BEHIND_THE_FIRST_ARE_NOT_TRIED(
        "LedgerPasswords", "line < names.size()", "line < Math.min(1, names.size())"),
    A_LINE_IS_DROPPED_THAT_LEDGERS_NEED(
        "BookKeeperStore", "ledgersByPassword(others).checkPasswords(known);", ""),
    A_START_DOES_NOT_LOOK_AT_PASSWORDS("BookKeeperStore", "ledgers.checkPasswords(known);", ""),
    LOST_LEDGERS_ARE_OPENED_WITHOUT_A_PASSWORD(
        "BookKeeperLostLedgers",
        ".withPassword(passwords.of(ledger, metadata))",
        ".withPassword(new byte[0])");

    private final SourceEdit edit;

    Bug(String type, String text, String instead) {
      edit =
          new SourceEdit(
              Path.of("src/main/java/io/retso/log/bookkeeper", type + ".java"), text, instead);
    }
  }

  @BeforeAll
  static void startCluster(@TempDir Path directory) throws IOException {
    cluster = EmbeddedBookKeeper.start(directory.resolve("open"), 1, false);
    closed = ClosedNodesTest.start(directory.resolve("closed"));
  }

  @AfterAll
  static void stopCluster() throws IOException {
    cluster.close();
    closed.close();
  }

  @ParameterizedTest
  @EnumSource
  void isCaught(Bug bug, @TempDir Path directory) throws Exception {
    bug.edit.compile(directory);
    try (EditedClasses edited =
        EditedClasses.of(
            directory, LedgerPasswordsTest.class, Sequencer.class, OracleClient.class)) {
      BiConsumer<String, String> attempts = attempts(edited, LedgerPasswordsTest.Attempts.class);
      AssertionError caught =
          assertThrows(AssertionError.class, () -> attempts.accept(cluster.zookeeper(), "-" + bug));
      System.out.println(bug + ": " + caught.getMessage());
    }
  }

  /** Nodes of ZooKeeper that are left to everybody, of which {@link ClosedNodesTest} must see. */
  enum OpenNodes {
    THE_CATALOG(
        "log/bookkeeper/ZooKeeperCatalog", "access.acls(),", "ZooKeeperAccess.OPEN.acls(),"),
    LEDGERS("log/bookkeeper/BookKeeperClients", "settings.access().isSecured()", "false"),
    MEMBERS(
        "server/members/ZooKeeperRoster",
        "new OneList(access.acls())",
        "new OneList(ZooKeeperAccess.OPEN.acls())"),
    ALL("log/bookkeeper/ZooKeeperAccess", "if (!secured) {", "if (true) {"),
    A_SESSION_THAT_BEGINS_ANEW_IS_NOBODY(
        "log/bookkeeper/ZooKeeperSession", "access.authenticate(next);", "");

    private final SourceEdit edit;

    OpenNodes(String type, String text, String instead) {
      edit = new SourceEdit(Path.of("src/main/java/io/retso", type + ".java"), text, instead);
    }
  }

  @ParameterizedTest
  @EnumSource
  void areCaught(OpenNodes bug, @TempDir Path directory) throws Exception {
    bug.edit.compile(directory);
    try (EditedClasses edited =
        EditedClasses.of(directory, ClosedNodesTest.class, Sequencer.class, OracleClient.class)) {
      BiConsumer<String, String> attempts = attempts(edited, ClosedNodesTest.Attempts.class);
      AssertionError caught =
          assertThrows(
              AssertionError.class, () -> attempts.accept(closed.zookeeper(), "/" + bug + "/log"));
      System.out.println(bug + ": " + caught.getMessage());
    }
  }

  /** Embedded bookies, or their server, that trust strangers. */
  enum Trust {
    BOOKIES_TRUST_ALL(
        "server/embedded/BookieKey", "key.isProof(said.getData(), SERVER, other, own)", "true"),
    SERVERS_TRUST_ALL(
        "server/embedded/BookieKey", "!key.isProof(proof(said), BOOKIE, own, other)", "false"),
    THE_SIDE_IS_NOT_IN_THE_PROOF("security/SharedKey", "(side + \"|\")", "\"|\""),
    THE_CALLERS_NUMBER_IS_NOT_IN_THE_PROOF("security/SharedKey", "hmac.update(caller);", ""),
    THE_OTHER_NUMBER_IS_NOT_IN_THE_PROOF(
        "security/SharedKey", "hmac.doFinal(called)", "hmac.doFinal()");

    private final SourceEdit edit;

    Trust(String type, String text, String instead) {
      edit = new SourceEdit(Path.of("src/main/java/io/retso", type + ".java"), text, instead);
    }
  }

  @ParameterizedTest
  @EnumSource
  void isNotedAtOnce(Trust bug, @TempDir Path directory) throws Exception {
    bug.edit.compile(directory);
    try (EditedClasses edited =
        EditedClasses.of(directory, BookieKeyTest.class, Sequencer.class, OracleClient.class)) {
      Runnable attempts = edited.make(BookieKeyTest.Attempts.class, Runnable.class);
      AssertionError caught = assertThrows(AssertionError.class, attempts::run);
      System.out.println(bug + ": " + caught.getMessage());
    }
  }

  @Test
  void withoutABugNothingIsCaught(@TempDir Path directory) throws Exception {
    try (EditedClasses edited =
        EditedClasses.of(directory, ClosedNodesTest.class, Sequencer.class, OracleClient.class)) {
      attempts(edited, LedgerPasswordsTest.Attempts.class).accept(cluster.zookeeper(), "-sound");
      attempts(edited, ClosedNodesTest.Attempts.class).accept(closed.zookeeper(), "/sound/log");
    }
  }

  @SuppressWarnings("unchecked") // the class says so
  private static BiConsumer<String, String> attempts(
      EditedClasses edited, Class<? extends BiConsumer<String, String>> type)
      throws ReflectiveOperationException {
    return edited.make(type, BiConsumer.class);
  }
}
