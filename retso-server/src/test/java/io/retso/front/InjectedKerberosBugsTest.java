package io.retso.front;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.client.OracleClient;
import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import io.retso.sequencer.Sequencer;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers that believe Kerberos too much, each of which {@link KnownByKerberosTest} must see. */
class InjectedKerberosBugsTest {
  /** What is done wrong. */
  enum Bug {
    CLIENTS_SPEAK_FOR_OTHERS(
        "security/Kerberos.java",
        "asked.getAuthenticationID().equals(asked.getAuthorizationID())",
        "true"),
    TICKETS_ARE_TAKEN_IN_CLEAR(
        "security/AccessControl.java",
        "if (!peer.isEncrypted()) {\n      throw new AccessException(\n          \"a ticket",
        "if (false) {\n      throw new AccessException(\n          \"a ticket"),
    NAMES_OF_CERTIFICATES_ARE_NAMES_OF_KERBEROS(
        "security/Access.java", "rule.source == Source.KRB ?", "true ?"),
    STOLEN_TICKETS_ARE_NEW_WHEN_SHOWN(
        "security/Kerberos.java", "authenticated(nowMillis))", "nowMillis)"),
    TICKETS_COUNT_FOR_EVER(
        "security/AccessControl.java",
        "evidence.expiresMillis() + slack < millis.getAsLong()",
        "false"),
    ONE_TURNS_INTO_ANOTHER(
        "front/Introduction.java", "!identity.principal().equals(proved.principal())", "false"),
    STEPS_RUN_SIDE_BY_SIDE("front/Introduction.java", "if (looking) {", "if (false) {");

    private final SourceEdit edit;

    Bug(String file, String text, String instead) {
      edit = new SourceEdit(Path.of("src/main/java/io/retso", file), text, instead);
    }
  }

  /** What clients try; made anew by each loader of classes. */
  static final class Attempts implements Runnable {
    private interface Attempt {
      void on(KnownByKerberosTest test) throws Exception;
    }

    @Override
    public void run() {
      run(KnownByKerberosTest::aTicketSaysWhoItsBearerIs);
      run(KnownByKerberosTest::aClientSpeaksForItselfAlone);
      run(KnownByKerberosTest::aTicketInClearProvesNothing);
      run(KnownByKerberosTest::linesForCertificatesAreNotForNamesOfKerberos);
      run(KnownByKerberosTest::itCountsForAWhileAndCanBeShownAgain);
      run(KnownByKerberosTest::revocationsGoByWhenItsBearerLoggedIn);
      run(KnownByKerberosTest::aConnectionIsOfOneForEver);
      run(KnownByKerberosTest::stepsThatAreLookedAtAreOneAtATime);
    }

    private static void run(Attempt attempt) {
      KnownByKerberosTest test = new KnownByKerberosTest();
      try {
        test.start();
        try {
          attempt.on(test);
        } finally {
          test.stop(); // what it holds is given back also after a bug was caught
        }
      } catch (Exception e) {
        throw new AssertionError(e);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void isCaught(Bug bug, @TempDir Path directory) throws Exception {
    bug.edit.compile(directory);
    try (EditedClasses edited = edited(directory)) {
      Runnable attempts = edited.make(Attempts.class, Runnable.class);
      AssertionError caught = assertThrows(AssertionError.class, attempts::run);
      System.out.println(bug + ": " + caught.getMessage());
    }
  }

  @Test
  void withoutABugNothingIsCaught(@TempDir Path directory) throws Exception {
    try (EditedClasses edited = edited(directory)) {
      edited.make(Attempts.class, Runnable.class).run();
    }
  }

  private static EditedClasses edited(Path directory) throws IOException {
    return EditedClasses.of(
        directory, KnownByKerberosTest.class, Sequencer.class, OracleClient.class);
  }
}
