package io.retso.front;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.client.OracleClient;
import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import io.retso.sequencer.Sequencer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers that let in whom they should not, each of which {@link KnownClientsTest} must see. */
class InjectedAccessBugsTest {
  /** What is done wrong. */
  enum Bug {
    UNKNOWN_CLIENTS_ARE_SERVED(
        "front/Introduction.java", "identity.isToSay() && !identity.may(type)", "false"),
    CLEAR_TEXT_IS_TAKEN_WHERE_TLS_IS_REQUIRED(
        "security/AccessControl.java",
        "now.tls() == Level.REQUIRED && !peer.isEncrypted()",
        "false"),
    TOKENS_ARE_TAKEN_IN_CLEAR(
        "security/AccessControl.java",
        "if (!peer.isEncrypted()) {\n      throw new AccessException(\n          \"a token",
        "if (false) {\n      throw new AccessException(\n          \"a token"),
    TOKENS_ARE_NOT_CHECKED(
        "security/AccessTokens.java",
        "genuine |= MessageDigest.isEqual(mac(key, said), brought);",
        "genuine = true;"),
    ROLES_ARE_NOT_LOOKED_AT("front/Conversation.java", "&& identity().may(type)", ""),
    REVOCATIONS_ARE_NOT_LOOKED_AT(
        "security/AccessControl.java",
        "now.checkRevoked(principal, evidence.tokenId(), evidence.issuedMillis());",
        ""),
    TOKENS_LAST_FOR_EVER_ON_OPEN_CONNECTIONS(
        "security/AccessControl.java",
        "evidence.expiresMillis() + slack < millis.getAsLong()",
        "false"),
    LOST_ROLES_ARE_KEPT(
        "front/Introduction.java",
        "identity = settings.access().again(transport.peer(), identity);",
        "settings.access().again(transport.peer(), identity);"),
    ONE_TURNS_INTO_ANOTHER(
        "front/Introduction.java", "!identity.principal().equals(proved.principal())", "false"),
    TICKETS_ARE_OF_ALL_PRINCIPALS("front/Conversation.java", "identity.owner()", "1"),
    SHARES_STAY_WITH_HOSTS(
        "front/Conversation.java", "!identity.principal().equals(company)", "false"),
    REFUSED_COMMITS_HAVE_RECEIPTS(
        "security/ReceiptMaker.java",
        "isKnown(outcomes[from + i]) ? mac.code(i) : 0",
        "mac.code(i)"),
    RECEIPTS_ARE_MADE_FOR_CLIENTS_THAT_ARE_NOT_KNOWN(
        "security/AccessControl.java",
        "authentication() == Level.OFF ? null : receipts",
        "receipts"),
    ONE_RECEIPT_PROVES_BOTH_OUTCOMES(
        "security/ReceiptMaker.java", "Receipts.subject(outcomes[from + i])", "0"),
    RECEIPTS_OF_ABORTS_ARE_LEFT_OUT(
        "security/ReceiptMaker.java", "|| Outcome.isAborted(outcome)", "|| false"),
    ALL_MAY_VOUCH("security/Role.java", "APPLICATION(\n", "APPLICATION(VOUCH,\n"),
    ALL_ARE_VOUCHED_FOR("security/AccessControl.java", "now.checkVouched(principal);", ""),
    THOSE_VOUCHED_FOR_HAVE_ALL_ROLES(
        "security/AccessControl.java", "if (proof == Proof.VOUCHED) {", "if (false) {"),
    VOUCHED_TOKENS_LOOK_LIKE_OTHERS(
        "security/AccessTokens.java", "token.vouched ? VOUCHED + token.principal", "false ? \"\""),
    KEYS_OF_RECEIPTS_ARE_FOR_MEMBERS("security/Role.java", "  MEMBER(),", "  MEMBER(KEYS),"),
    ALL_ARE_HEARD_AS_STANDBYS(
        "front/FrontDesk.java", "&& conversation.identity().has(Role.MEMBER)", "");

    private final SourceEdit edit;

    Bug(String file, String text, String instead) {
      edit = new SourceEdit(Path.of("src/main/java/io/retso", file), text, instead);
    }
  }

  /** What clients try; made anew by each loader of classes. */
  static final class Attempts implements Runnable {
    private interface Attempt {
      void on(KnownClientsTest test) throws Exception;
    }

    @Override
    public void run() {
      run(KnownClientsTest::nothingIsAskedBeforeItIsKnownWhoAsks);
      run(KnownClientsTest::aTokenInClearProvesNothing);
      run(KnownClientsTest::aForgedTokenProvesNothing);
      run(KnownClientsTest::eachHasItsRoles);
      run(KnownClientsTest::whatIsRevokedOrOverEndsOpenConnections);
      run(KnownClientsTest::aConnectionIsOfOneForEver);
      run(KnownClientsTest::decidedOutcomesComeWithReceipts);
      run(KnownClientsTest::whatIsNotDecidedHasNoReceipt);
      run(KnownClientsTest::keysOfReceiptsAreForRegionServersAlone);
      run(KnownClientsTest::withoutAuthenticationNeitherReceiptsNorKeysAreGiven);
      run(KnownClientsTest::regionServersVouchForUsersOfHBase);
      run(KnownClientsTest::vouchingHasLimits);
      run(KnownClientsTest::aTransactionIsItsPrincipals);
      run(KnownClientsTest::aTransactionThatWasBegunInClearIsItsBearers);
      run(KnownClientsTest::sharesGoByPrincipal);
      run(KnownClientsTest::onlyMembersAreHeardAsStandbys);
    }

    private static void run(Attempt attempt) {
      KnownClientsTest test = new KnownClientsTest();
      try {
        test.start();
        attempt.on(test);
      } catch (Exception e) {
        throw new AssertionError(e);
      } finally {
        test.stop(); // what it holds is given back also after a bug was caught
      }
    }
  }

  private static Runnable attempts(EditedClasses edited) throws ReflectiveOperationException {
    return edited.make(Attempts.class, Runnable.class);
  }

  @ParameterizedTest
  @EnumSource
  void isCaught(Bug bug, @TempDir Path directory) throws Exception {
    bug.edit.compile(directory);
    try (EditedClasses edited =
        EditedClasses.of(directory, KnownClientsTest.class, Sequencer.class, OracleClient.class)) {
      Runnable attempts = attempts(edited);
      AssertionError caught = assertThrows(AssertionError.class, attempts::run);
      System.out.println(bug + ": " + caught.getMessage());
    }
  }

  @Test
  void withoutABugNothingIsCaught(@TempDir Path directory) throws Exception {
    try (EditedClasses edited =
        EditedClasses.of(directory, KnownClientsTest.class, Sequencer.class, OracleClient.class)) {
      attempts(edited).run();
    }
  }
}
