package io.retso.server.observe;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.retso.Await;
import io.retso.client.OracleClient;
import io.retso.edited.EditedClasses;
import io.retso.edited.SourceEdit;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Servers that tell events to clients that should be gone: {@link HttpEventsTest} must see it. */
@Timeout(120)
class InjectedEventBugsTest {
  /** What is done wrong. */
  enum Bug {
    EVENTS_PILE_UP_FOR_A_SLOW_READER("if (context.channel().isWritable()) {", "if (true) {"),
    A_SLOW_READER_IS_NEVER_DISCONNECTED(
        "thenAccept(this::tell);\n    } else {\n      close();",
        "thenAccept(this::tell);\n    } else {"),
    RIGHTS_ARE_LOOKED_AT_WITH_THE_FIRST_EVENT_ONLY(
        "endpoint.reply(request, peer).thenAccept(this::tell);",
        "endpoint.reply(request, peer).thenAccept(reply -> tell(reply.isEvents()"
            + " ? reply : new Reply(200, Reply.EVENTS, \"data: as before\\n\\n\")));");

    private final SourceEdit edit;

    Bug(String text, String instead) {
      Path file = Path.of("src/main/java/io/retso/server/observe/HttpConnection.java");
      edit = new SourceEdit(file, text, instead);
    }
  }

  /** What clients do; made anew by each loader of classes. */
  static final class Attempts implements Runnable {
    private interface Attempt {
      void on(HttpEventsTest test) throws Exception;
    }

    @Override
    public void run() {
      run(HttpEventsTest::aClientThatMayReadNoMoreIsDisconnected);
      run(HttpEventsTest::aClientThatDoesNotReadIsDroppedAndOthersAreNot);
    }

    private static void run(Attempt attempt) {
      HttpEventsTest test = new HttpEventsTest();
      try {
        test.start();
        attempt.on(test);
      } catch (Exception e) {
        throw new IllegalStateException("an attempt failed", e);
      } finally {
        test.stop(); // what it holds is given back also after a bug was caught
      }
    }
  }

  private static EditedClasses classes(Path directory) throws Exception {
    return EditedClasses.of(
        directory, HttpEventsTest.class, HttpEndpoint.class, OracleClient.class, Await.class);
  }

  @ParameterizedTest
  @EnumSource
  void isCaught(Bug bug, @TempDir Path directory) throws Exception {
    bug.edit.compile(directory);
    try (EditedClasses edited = classes(directory)) {
      Runnable attempts = edited.make(Attempts.class, Runnable.class);
      assertThrows(AssertionError.class, attempts::run);
    }
  }

  @Test
  void withoutABugNothingIsCaught(@TempDir Path directory) throws Exception {
    try (EditedClasses unedited = classes(directory)) {
      unedited.make(Attempts.class, Runnable.class).run();
    }
  }
}
