package io.retso.cli;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.retso.bench.options.CountConverter;
import io.retso.cluster.InProcessServer;
import io.retso.cluster.LocalPostgres;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(120)
class BenchCommandTest {
  private static final int USAGE = 64;

  @TempDir Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int retso(String... arguments) {
    CommandLine commandLine = Retso.commandLine();
    commandLine.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return commandLine.execute(arguments);
  }

  private void assertRefused(String reason, String... arguments) {
    assertEquals(USAGE, retso(arguments));
    assertTrue(err.toString().contains(reason), err.toString());
  }

  @Test
  void helpNamesEveryCommand() {
    assertEquals(0, retso("--help"));
    for (String command : new String[] {"server", "status", "bench", "verify"}) {
      assertTrue(out.toString().contains("  " + command), out.toString());
    }
  }

  @Test
  void firstStepsAreNotWrapped() {
    retso("--help");
    String steps = out.toString().split("First steps:\n")[1];
    assertTrue(steps.lines().allMatch(line -> line.startsWith("  retso ")), out::toString);
  }

  /** Picocli formats what it shows, and prints a warning instead if a percent sign is alone. */
  @Test
  void allTextsOfTheHelpCanBeFormatted() {
    assertFormats(Retso.commandLine());
  }

  private static void assertFormats(CommandLine command) {
    for (CommandLine.Model.ArgSpec argument : command.getCommandSpec().args()) {
      for (String text : argument.description()) {
        assertDoesNotThrow(() -> String.format(text), text);
      }
    }
    for (String text : command.getCommandSpec().usageMessage().description()) {
      assertDoesNotThrow(() -> String.format(text), text);
    }
    command.getSubcommands().values().forEach(BenchCommandTest::assertFormats);
  }

  @Test
  void failoverGoesOnOnlyWithARunOfTheSameFlags() throws Exception {
    String[] goOn = {"bench", "failover", "--continue", "--out=" + directory};
    Files.writeString(
        directory.resolve("failover.json"),
        "{\"flags\": [], \"runs\":"
            + " [{\"nodes\": \"1 oracle\", \"flags\": [\"failover\", \"--oracles=1\"]}]}");
    assertEquals(1, retso(goOn));
    assertTrue(err.toString().contains("is of other flags: failover --oracles=1"), err::toString);
    Files.writeString(directory.resolve("failover.json"), "{\"nodes\": \"1 oracle\"}");
    assertEquals(1, retso(goOn));
    assertTrue(err.toString().contains("was written by another version"), err::toString);
  }

  @Test
  void benchHasHelp() {
    assertEquals(0, retso("bench", "--help"));
    assertTrue(out.toString().contains("--quick"));
    assertTrue(out.toString().contains("Exit codes:"));
    List<String> others =
        List.of(
            "kernel",
            "attacks",
            "growth",
            "restart",
            "failover",
            "bounds",
            "smallbank",
            "smallbank-scale",
            "sibench",
            "tpcb",
            "tpcc",
            "rubis",
            "jmh");
    for (String other : others) {
      assertTrue(out.toString().contains("  " + other), out.toString());
    }
  }

  @Test
  void versionIsTold() {
    assertEquals(0, retso("--version"));
    assertTrue(out.toString().matches("(?s)ReTSO \\d+\\.\\d+\\.\\d+.*Java .*"), out.toString());
  }

  @Test
  void withoutACommandItSaysWhatThereIs() {
    assertEquals(USAGE, retso());
    assertTrue(err.toString().contains("name a command"), err.toString());
  }

  @Test
  void badFlagsAreRefusedWithAReason() {
    assertRefused("'many' is not a count", "bench", "--rows", "many");
    assertRefused("--rows must be 1 to", "bench", "--rows", "0");
    assertRefused("--clients must be 1 to", "bench", "--clients", "1,0");
    assertRefused("--outstanding must be 1 to", "bench", "--outstanding", "2G");
    assertRefused("--seconds must be above 0", "bench", "--seconds", "0");
    assertRefused("--rounds must be 1 to", "bench", "--rounds", "0");
    assertRefused("--rate must be at least 1", "bench", "--rate", "0");
    assertRefused("is not HOST:PORT", "bench", "--server", "localhost");
    assertRefused("but was 'paper'", "bench", "--log", "paper");
    assertRefused("--rows must be 1000 to", "bench", "--hbase", "--rows", "10");
    assertRefused("'--rows'", "bench", "smallbank", "--rows", "10");
    assertRefused("is not a regular expression", "bench", "--hbase=(");
    assertRefused("no measurement has a match of 'nomatch'", "bench", "--hbase=nomatch");
    assertRefused("; batch of 10 gets, 32; ", "bench", "--hbase=nomatch");
    assertRefused("; requests; work; bytes and cells", "bench", "--hbase=nomatch");
    assertRefused("no attack has a match of 'nomatch'", "bench", "attacks", "nomatch");
    assertRefused("Unmatched argument", "bench", "growth", "SPACE");
    assertRefused("--rounds must be 1 to", "bench", "restart", "--rounds", "0");
    assertRefused("no fault has a match of 'nomatch'", "bench", "failover", "nomatch");
    assertRefused("--connections must be a multiple", "bench", "failover", "--connections", "150");
    assertRefused("Unknown option", "bench", "--quik");
    assertRefused("no strategy has a match of 'x'", "bench", "smallbank", "x");
    if (LocalPostgres.programs().isEmpty()) {
      String said = "no PostgreSQL is installed";
      assertRefused(said, "bench", "smallbank", "--store", "postgresql");
    }
    assertRefused("is not HOT:PERCENT", "bench", "smallbank", "--mix", "10");
    assertRefused("2 at least are hot", "bench", "smallbank", "--mix", "1:20");
    assertRefused("--clients must be 1 to", "bench", "smallbank", "--clients", "0");
    assertRefused("--sizes must be 1 to", "bench", "sibench", "--sizes", "0");
    assertRefused("--ramp-up must be 0 to", "bench", "sibench", "--ramp-up", "-1");
    assertRefused("'--isolation'", "bench", "bounds", "--isolation", "read_committed");
    assertRefused("--judge-minutes must be 0 to", "bench", "sibench", "--judge-minutes", "-1");
    assertRefused("--warehouses must be 1 to", "bench", "tpcc", "--warehouses", "0");
    assertRefused("--divisor must be 1 to", "bench", "tpcc", "--divisor", "1001");
    assertRefused("--shares must be 0 to", "bench", "tpcc", "--shares", "8,101");
    assertRefused("--probe must be above 0", "bench", "tpcc", "--probe", "0");
    assertRefused("has neither level", "bench", "tpcc", "--store", "hbase,plain");
    assertRefused("--log must be memory or", "bench", "sibench", "--log", "both");
    assertRefused("give both or none", "bench", "sibench", "--oracle", "a:1");
    assertRefused("--scales must be 1 to", "bench", "tpcb", "--scales", "0");
    assertRefused("--accounts must be 1 to", "bench", "tpcb", "--accounts", "200000");
    assertRefused("--divisor must be 1 to", "bench", "rubis", "--divisor", "0");
    assertRefused("--clients must be 1 to", "bench", "rubis", "--clients", "1001");
    assertRefused("has neither level", "bench", "rubis", "--store", "plain");
    assertRefused("has neither level", "bench", "tpcb", "--store", "plain");
    assertRefused("--workloads must be of a,b,c", "bench", "ycsb", "--workloads", "a,g");
    assertRefused("--records must be 1 to", "bench", "ycsb", "--records", "0");
    assertRefused("--clients must be 1 to", "bench", "ycsb", "--clients", "0");
    assertRefused("leave it out", "bench", "ycsb", "--store", "oracle");
    assertRefused("give both or none", "bench", "ycsb", "--cluster", "a:1");
    for (String scales : new String[] {"0", "-1", "0.0001", "NaN", "1001", "0.1,2000"}) {
      assertRefused("--scales must be above 0", "bench", "smallbank-scale", "--scales", scales);
    }
    for (String scales : new String[] {"1,0.5", "1,1", "1,1.00001"}) {
      assertRefused("must be ascending", "bench", "smallbank-scale", "--scales", scales);
    }
    assertRefused("times --accounts must", "bench", "smallbank-scale", "--accounts", "19");
    assertRefused("--workers must be 1 to", "bench", "smallbank-scale", "--workers", "0");
    assertRefused("--rate must be 1 to", "bench", "smallbank-scale", "--rate", "0");
    assertRefused("--minutes must be 1 to", "bench", "smallbank-scale", "--minutes", "1441");
    assertRefused("has neither level", "bench", "smallbank-scale", "--store", "plain");
    assertRefused("is neither HOST[,HOST", "bench", "sibench", "--cluster", "a", "--oracle", "a:1");
  }

  @Test
  void aServerThatIsNotThereIsAFailureWithARemedy() {
    int code =
        retso(
            "bench", "--server", "127.0.0.1:1", "--seconds", "0.1", "--out", directory.toString());
    assertEquals(1, code);
    assertTrue(err.toString().contains("is a server listening there?"), err.toString());
  }

  @Test
  void aPostgresqlThatIsNotThereIsSaidToBe() {
    String url = "jdbc:postgresql://127.0.0.1:1/nothing";
    assertEquals(
        1, retso("bench", "sibench", "--quick", "--store", "postgresql", "--postgresql", url));
    assertTrue(
        err.toString().contains("cannot connect to PostgreSQL: Connection to 127"), err::toString);
  }

  @Test
  void aRunningServerIsMeasured() throws Exception {
    try (InProcessServer server = new InProcessServer(1_000_000, 1 << 20, 100_000)) {
      int code =
          retso(
              "bench",
              "--quick",
              "--seconds",
              "0.3",
              "--clients",
              "1,2",
              "--rows",
              "100k",
              "--server",
              "127.0.0.1:" + server.address().getPort(),
              "--out",
              directory.toString());
      assertEquals(0, code, err::toString);
    }
    assertTrue(out.toString().contains("2 x 100"), out.toString());
    assertTrue(Files.readString(directory.resolve("figure3.svg")).startsWith("<svg"));
    JsonNode json = new ObjectMapper().readTree(directory.resolve("bench.json").toFile());
    assertTrue(json.get("runs").size() > 10);
    assertTrue(json.get("runs").get(0).get("perSecond").asDouble() > 0);
  }

  @Test
  void aRateIsMeasuredAlone() throws Exception {
    try (InProcessServer server = new InProcessServer(1_000_000, 1 << 20, 100_000)) {
      int code =
          retso(
              "bench",
              "--quick",
              "--seconds",
              "0.2",
              "--rate",
              "10k",
              "--rows",
              "100k",
              "--server",
              "127.0.0.1:" + server.address().getPort(),
              "--out",
              directory.toString());
      assertEquals(0, code, err::toString);
    }
    JsonNode json = new ObjectMapper().readTree(directory.resolve("bench.json").toFile());
    assertEquals(1, json.get("runs").size());
    assertEquals("RATE", json.get("runs").get(0).get("kind").asText());
  }

  @Test
  void microbenchmarksNeedARegularExpression() {
    assertEquals(1, retso("bench", "jmh", "("));
    assertTrue(err.toString().contains("is not a regular expression"), err.toString());
  }

  @Test
  void countsHaveSuffixes() throws Exception {
    CountConverter counts = new CountConverter();
    assertEquals(20_000_000L, counts.convert("20M"));
    assertEquals(500_000L, counts.convert("500k"));
    assertEquals(7L, counts.convert("7"));
  }
}
