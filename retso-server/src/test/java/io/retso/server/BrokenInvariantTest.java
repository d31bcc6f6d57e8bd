package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.client.TransactionHandle;
import io.retso.edited.SourceEdit;
import io.retso.server.commands.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * With assertions, as ./retso server has: a server that breaks one of its invariants, wherever on
 * its thread that is, ends with a line that says so, and keeps no client waiting.
 */
@Timeout(180)
class BrokenInvariantTest {
  /** A commit was sent before the server broke, or a begin, or neither. */
  private static final Set<Category> TOLD =
      Set.of(Category.UNKNOWN_OUTCOME, Category.TIMEOUT, Category.UNAVAILABLE);

  private static final List<String> ASSERTIONS = List.of("-ea:io.retso...");

  private enum Place {
    DECISION(
        "oracle/CommitDecision", "  private long commit(CommitBatch batch, int i, long placed) {"),
    END_OF_TURN("sequencer/Sequencer", "  public void flush() {"),
    FRAME("front/Turns", "  boolean mayTake(ClientShare share, long units) {"),
    ACKNOWLEDGEMENT("front/FrontDesk", "  public void durable(long position) {"),
    TICK("front/FairUse", "  void tick(long nowNanos, int waitingHosts) {");

    private final String type;
    private final String method;

    Place(String type, String method) {
      this.type = type;
      this.method = method;
    }

    /** It breaks once a file is there, so that the server starts. */
    SourceEdit edit(Path file) {
      String broken = "assert !new java.io.File(\"%s\").exists() : \"broken by this test\";";
      return new SourceEdit(
          Path.of("src/main/java/io/retso", type + ".java"),
          method,
          method + String.format(Locale.ROOT, broken, file));
    }
  }

  @TempDir private Path directory;

  @ParameterizedTest
  @EnumSource
  void endsTheServer(Place place) throws Exception {
    Path classes = directory.resolve("classes");
    Path file = directory.resolve("break");
    place.edit(file).compile(classes);
    try (ServerProcess server =
            ServerProcess.ofEdited(
                classes, directory, ASSERTIONS, "--rows=1k", "--window-timestamps=2^10");
        OracleClient client =
            OracleClient.builder()
                .address("127.0.0.1:" + server.port())
                .requestTimeout(Duration.ofSeconds(10))
                .build()) {
      TransactionHandle start = client.begin();
      Files.createFile(file);
      OracleException e = assertThrows(OracleException.class, () -> commitForEver(client, start));
      assertTrue(TOLD.contains(e.category()), e.toString());
      assertEquals(ExitCode.INTERNAL.number(), server.awaitEnd(), server.outputText());
      String line = "an error in this server: java.lang.AssertionError: broken by this test;";
      assertTrue(server.outputText().contains(line), server.outputText());
    }
  }

  private static void commitForEver(OracleClient client, TransactionHandle first) {
    for (TransactionHandle start = first; ; start = client.begin()) {
      client.commit(start, 1);
    }
  }
}
