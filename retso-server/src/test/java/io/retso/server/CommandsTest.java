package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.server.commands.ExitCode;
import io.retso.server.commands.StatusCommand;
import io.retso.server.config.Setting;
import io.retso.server.config.Settings;
import io.retso.server.observe.Health;
import io.retso.server.observe.HttpEndpoint;
import io.retso.server.observe.Observation;
import io.retso.server.observe.TestAccess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Timeout(120)
class CommandsTest {
  record Run(int code, String out, String err) {}

  static Run run(Callable<Integer> command, String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int code =
        new CommandLine(command)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err))
            .execute(arguments);
    return new Run(code, out.toString(), err.toString());
  }

  static Run status(String... arguments) {
    return run(new StatusCommand(), arguments);
  }

  @Test
  void theHelpOfTheServerHasEveryFlagWithItsDefault() {
    Run run = run(new ServerCommand(), "--help");
    assertEquals(0, run.code);
    String text = withoutSpace(run.out);
    for (Setting<?> setting : Settings.ALL) {
      assertTrue(run.out.contains(setting.flag() + "="), setting.flag());
      String standard = setting.defaultText().isEmpty() ? "empty" : setting.defaultText();
      String allowed = setting.type().allowed() + ". Default: " + standard;
      assertTrue(text.contains(withoutSpace(allowed)), allowed);
    }
    for (ExitCode code : ExitCode.values()) {
      assertTrue(text.contains(withoutSpace(code.number() + code.meaning())), code.name());
    }
  }

  private static String withoutSpace(String text) {
    return text.replaceAll("\\s+", "");
  }

  @ParameterizedTest
  @CsvSource({
    "--rows=lots, --rows: rows = lots is not allowed: use 1 to 1000M rows",
    "--listen-prot=1, --listen-port",
    "--log-write-quorum=9, log.write.quorum = 9 is larger than log.ensemble = 1",
    "--config=/no/such/file, configuration file /no/such/file does not exist",
    "--rows, --rows",
  })
  void wrongFlagsAreRefused(String flag, String message) {
    Run run = run(new ServerCommand(), flag);
    assertEquals(ExitCode.USAGE.number(), run.code, run.err);
    assertTrue(run.err.contains(message), run.err);
  }

  @Test
  void theHeapOfTheSettingsIsPrintedForALauncher() {
    Run run = run(new ServerCommand(), "--print-heap", "--rows=2M", "--window-timestamps=2^20");
    assertEquals(0, run.code, run.err);
    assertEquals("256", run.out.strip());
    Run wrong = run(new ServerCommand(), "--print-heap", "--rows=lots");
    assertEquals(ExitCode.USAGE.number(), wrong.code);
    assertEquals("", wrong.out);
  }

  @Test
  void aFlagOverridesTheFile(@TempDir Path dir) throws Exception {
    Path file = Files.writeString(dir.resolve("f"), "rows = 1M\nlog.ack.quorum = 9\n");
    Run run = run(new ServerCommand(), "--config=" + file, "--log-ack-quorum=7");
    assertEquals(ExitCode.USAGE.number(), run.code);
    assertTrue(run.err.contains("log.ack.quorum = 7"), run.err);
  }

  @Test
  void aByteOrderMarkIsReadOver(@TempDir Path dir) throws Exception {
    Path file = Files.writeString(dir.resolve("f"), "\ufefflog.ack.quorum = 9\r\nlog = memory\r\n");
    Run run = run(new ServerCommand(), "--config=" + file);
    assertTrue(run.err.contains("log.ack.quorum = 9 is larger"), run.err);
  }

  @ParameterizedTest
  @CsvSource(
      quoteCharacter = '"',
      value = {
        "rows\u00a0= 1k, unknown setting 'rows\\u00a0'; did you mean rows?",
        "rows = 1k\u200b, rows = 1k\\u200b is not allowed",
        "\ufeffrows, '\\ufeffrows' has no '='"
      })
  void charactersThatNobodySeesAreShown(String line, String message, @TempDir Path dir)
      throws Exception {
    Path file = Files.writeString(dir.resolve("f"), "log = memory\n" + line + "\n");
    Run run = run(new ServerCommand(), "--config=" + file);
    assertEquals(ExitCode.USAGE.number(), run.code, run.err);
    assertTrue(run.err.contains(message), run.err);
  }

  /** One line, with what is wrong and what to do. */
  private static void assertFails(ExitCode code, String cause, String remedy, Run run) {
    assertEquals(code.number(), run.code, run.err);
    assertEquals(1, run.err.lines().count(), run.err);
    assertTrue(run.err.startsWith("retso server: "), run.err);
    assertTrue(run.err.contains(cause), run.err);
    assertTrue(run.err.substring(run.err.indexOf(cause)).contains(remedy), run.err);
  }

  @Test
  void filesInThePlaceOfDirectoriesAreNamed(@TempDir Path dir) throws Exception {
    Path file = Files.writeString(dir.resolve("file"), "");
    String[] small = {"--rows=1k", "--window-timestamps=2^10", "--listen-port=0", "--http-port=0"};
    assertFails(
        ExitCode.CANNOT_OPEN,
        "the data directory " + file + " cannot be used",
        "; choose another one",
        run(new ServerCommand(), with(small, "--data-dir=" + file)));
    assertFails(
        ExitCode.CANNOT_OPEN,
        "Not a directory",
        "; choose another one",
        run(new ServerCommand(), with(small, "--data-dir=" + file.resolve("sub"))));
    assertFails(
        ExitCode.USAGE,
        "configuration file " + dir + " cannot be read: Is a directory",
        "",
        run(new ServerCommand(), with(small, "--config=" + dir)));
    Path ready = dir.resolve("missing").resolve("ready");
    assertFails(
        ExitCode.CANNOT_OPEN,
        "missing/ready.part does not exist",
        "; choose another place with --ready-file",
        run(new ServerCommand(), with(small, "--log=memory", "--ready-file=" + ready)));
    for (String part : new String[] {"zookeeper", "bookie-0"}) {
      Path data = Files.createDirectory(dir.resolve("with-" + part));
      Files.writeString(data.resolve(part), "");
      assertFails(
          ExitCode.CANNOT_OPEN,
          data.resolve(part) + " exists, and is not what is needed there",
          "; ",
          run(new ServerCommand(), with(small, "--data-dir=" + data)));
    }
  }

  private static String[] with(String[] some, String... more) {
    return Stream.concat(Stream.of(some), Stream.of(more)).toArray(String[]::new);
  }

  @Test
  void aPortThatIsTakenEndsWithItsOwnCode(@TempDir Path dir) throws Exception {
    try (ServerSocket taken = new ServerSocket(0)) {
      Path ready = Files.writeString(dir.resolve("ready"), "stale");
      Run run =
          run(
              new ServerCommand(),
              "--log=memory",
              "--rows=1M",
              "--http-port=0",
              "--ready-file=" + ready,
              "--listen-port=" + taken.getLocalPort());
      assertEquals(ExitCode.CANNOT_OPEN.number(), run.code, run.err);
      assertFalse(Files.exists(ready));
    }
  }

  @Test
  void statusShowsAServer() throws Exception {
    try (RetsoServer server = TestServers.inMemory()) {
      Run run = status("--http", "127.0.0.1:" + server.httpPort());
      assertEquals(0, run.code, run.err);
      assertTrue(run.out.startsWith("status       serving\n"), run.out);
      for (String line :
          new String[] {"per second", "decisions", "aborted", "held", "map", "log", "network"}) {
        assertTrue(run.out.contains("\n" + line), line);
      }
      assertTrue(run.out.contains("0 of 100,000 rows (0.0 %)"), run.out);
      assertTrue(run.out.contains("0 begins, 0 timestamps, 0 commits"), run.out);

      Run json = status("--json", "--http", "127.0.0.1:" + server.httpPort());
      assertTrue(
          json.out.startsWith("{\n  \"status\": \"serving\",\n  \"serving\": true"), json.out);
      assertTrue(json.out.contains("\"tmaxLagTimestamps\": "), json.out);
      assertTrue(json.out.contains("\"abortsOutOfWindow\": 0,"), json.out);
    }
  }

  @Test
  void statusShowsWhatIsRefusedMost() throws Exception {
    try (RetsoServer server = TestServers.inMemory();
        OracleClient client =
            OracleClient.builder().address("127.0.0.1:" + server.port()).build()) {
      String http = "127.0.0.1:" + server.httpPort();
      assertEquals("no commit was refused lately\n", status("--hot", "--http", http).out);
      TransactionHandle first = client.begin();
      TransactionHandle second = client.begin();
      long commit = client.commit(first, 0xabcdef).commitTimestamp();
      client.commit(second, 0xabcdef);
      TestServers.await(server.httpPort(), "/hot", 200, "0000000000abcdef");
      Run run = status("--hot", "--http", http);
      assertEquals(0, run.code, run.err);
      assertTrue(run.out.matches("id +refusals.*\n0000000000abcdef +1 +" + commit + "\n"), run.out);
      Run json = status("--hot", "--json", "--http", http);
      assertTrue(json.out.contains("\"0000000000abcdef\": {\n      \"refusals\": 1,"), json.out);
    }
  }

  @Test
  void statusWithoutAServerSaysWhatToDo() throws Exception {
    int port;
    try (ServerSocket closed = new ServerSocket(0)) {
      port = closed.getLocalPort();
    }
    Run run = status("--http", "127.0.0.1:" + port);
    assertEquals(ExitCode.UNREACHABLE.number(), run.code);
    assertTrue(run.err.contains("no server answers at http://127.0.0.1:" + port), run.err);
    assertTrue(run.err.contains("--http"), run.err);
  }

  @Test
  void statusOfSomethingElse() throws Exception {
    try (HttpEndpoint other =
        HttpEndpoint.start(
            new java.net.InetSocketAddress("127.0.0.1", 0),
            java.util.Map.of(),
            java.util.Map.of(),
            TestAccess.open(false))) {
      Run run = status("--http", "127.0.0.1:" + other.port());
      assertEquals(ExitCode.UNREACHABLE.number(), run.code);
      assertTrue(run.err.contains("not the HTTP address of a ReTSO server"), run.err);
    }
  }

  @Test
  void statusOfAServerThatStarts() throws Exception {
    try (Observation observation = new Observation(new Health());
        HttpEndpoint http =
            HttpEndpoint.start(
                new java.net.InetSocketAddress("127.0.0.1", 0),
                observation.pages(),
                observation.actions(),
                TestAccess.open(false))) {
      Run run = status("--http", "127.0.0.1:" + http.port());
      assertEquals(ExitCode.UNHEALTHY.number(), run.code);
      assertEquals("status       starting: the log is being recovered\n", run.out);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"7522", "a:99999", "::1:7522", "http://a:1", "a:1/health", "a:1 b:2"})
  void statusOfAnAddressThatIsNone(String address) {
    Run run = status("--http", address);
    assertEquals(ExitCode.USAGE.number(), run.code, run.err);
    assertTrue(run.err.startsWith("retso status: --http: address \"" + address), run.err);
    assertEquals(1, run.err.lines().count(), run.err);
  }

  @Test
  void aFlagThatIsNone() {
    assertEquals(ExitCode.USAGE.number(), status("--htpt", "7522").code);
  }
}
