package io.retso.front;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.client.OracleClient;
import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import io.retso.protocol.FrameException;
import io.retso.sequencer.Sequencer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers that let strangers in, each of which {@link StrangerTest} must see. */
class InjectedTicketBugsTest {
  /** What is done wrong. */
  enum Bug {
    FOREIGN_COMMITS_ARE_DECIDED(
        "front/RequestHandler.java", "batch.add(owned(i), repeat,", "batch.add(starts[i], repeat,"),
    FOREIGN_COMMITS_WITH_READS_ARE_DECIDED(
        "front/RequestHandler.java", "              owned(i),\n", "              starts[i],\n"),
    FOREIGN_ABORTS_ARE_CARRIED_OUT(
        "front/RequestHandler.java",
        "foreign[i] ? Outcome.NOT_OWNER : sequencer.abort(starts[i]);",
        "sequencer.abort(starts[i]);"),
    FOREIGN_REPORTS_ARE_BELIEVED(
        "front/RequestHandler.java",
        "foreign[i] ? Outcome.NOT_OWNER : sequencer.cleaned(starts[i]);",
        "sequencer.cleaned(starts[i]);"),
    FOREIGN_REPORTS_COUNT_FOR_THE_SHARE("front/RequestHandler.java", "count - strange", "count"),
    ONE_WRONG_TICKET_SPOILS_ITS_FRAME(
        "front/RequestHandler.java",
        "answers[i] = foreign[i] ? Outcome.NOT_OWNER : sequencer.abort(starts[i]);",
        "answers[i] = foreign[0] || foreign[1] ? Outcome.NOT_OWNER : sequencer.abort(starts[i]);"),
    ALL_MAY_SWEEP("front/Conversation.java", "if (!mayAsk(type)) {", "if (false) {"),
    A_REFUSAL_OVERTAKES_REPLIES(
        "front/Conversation.java",
        "ByteBuf out = replyAt(desk.sequencer().replyPosition(), type, count);",
        "ByteBuf out = leaving();"),
    A_BIT_IS_NOT_COMPARED(
        "security/Tickets.java",
        "tickets[from + i] == macs[key].code(i)",
        "tickets[from + i] >> 1 == macs[key].code(i) >> 1"),
    ONE_TICKET_IS_GOOD_FOR_ALL(
        "security/Tickets.java",
        "tickets[from + i] == macs[key].code(i)",
        "tickets[from + i] != 0");

    private final SourceEdit edit;

    Bug(String file, String text, String instead) {
      edit = new SourceEdit(Path.of("src/main/java/io/retso", file), text, instead);
    }
  }

  /** What the stranger tries; made anew by each loader of classes. */
  static final class Attacks implements Runnable {
    private interface Attack {
      void on(StrangerTest test) throws FrameException;
    }

    @Override
    public void run() {
      for (StrangerTest.Guess guess : StrangerTest.Guess.values()) {
        run(test -> test.neitherEndsNorReportsWhatOthersBegan(guess));
      }
      run(StrangerTest::oneForeignTransactionInAFrameIsRefusedAlone);
      run(test -> test.sweepsAreReportedFromTheServersOwnMachineOnly(false));
      run(test -> test.sweepsAreReportedFromTheServersOwnMachineOnly(true));
      run(StrangerTest::foreignReportsDoNotCountForItsShare);
    }

    private static void run(Attack attack) {
      StrangerTest test = new StrangerTest();
      try {
        test.connect();
        attack.on(test);
      } catch (FrameException e) {
        throw new AssertionError(e);
      } finally {
        test.close();
      }
    }
  }

  private static Runnable attacks(EditedClasses edited) throws ReflectiveOperationException {
    return edited.make(Attacks.class, Runnable.class);
  }

  @ParameterizedTest
  @EnumSource
  void isCaught(Bug bug, @TempDir Path directory) throws Exception {
    bug.edit.compile(directory);
    try (EditedClasses edited =
        EditedClasses.of(directory, StrangerTest.class, Sequencer.class, OracleClient.class)) {
      Runnable attacks = attacks(edited);
      AssertionError caught = assertThrows(AssertionError.class, attacks::run);
      System.out.println(bug + ": " + caught.getMessage());
    }
  }

  @Test
  void withoutABugNothingIsCaught(@TempDir Path directory) throws Exception {
    try (EditedClasses edited =
        EditedClasses.of(directory, StrangerTest.class, Sequencer.class, OracleClient.class)) {
      attacks(edited).run();
    }
  }
}
