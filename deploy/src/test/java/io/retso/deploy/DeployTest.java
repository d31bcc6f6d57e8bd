package io.retso.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.retso.server.commands.ExitCode;
import io.retso.server.config.Setting;
import io.retso.server.config.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The unit, the page for operators and the configuration of Prometheus fit the server. */
class DeployTest {
  private static final Pattern KEY_IN_TEXT =
      Pattern.compile("`([a-z]+(?:\\.[a-z]+)+)`|^ {4}([a-z]+(?:\\.[a-z]+)*) = ", Pattern.MULTILINE);

  private static String read(String name) throws Exception {
    return Files.readString(Path.of(name));
  }

  @Test
  void theUnitRestartsUnlessThatIsUseless() throws Exception {
    Matcher never =
        Pattern.compile("(?m)^RestartPreventExitStatus=(.*)$").matcher(read("retso.service"));
    assertTrue(never.find());
    Set<String> codes = new TreeSet<>(List.of(never.group(1).split(" ")));
    Set<String> expected =
        Stream.of(ExitCode.USAGE, ExitCode.LOG_CORRUPT)
            .map(code -> Integer.toString(code.number()))
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(expected, codes);
  }

  /** By systemd's own judgement, from 0 to 10, where there is a systemd. */
  @Test
  void unitsAreHardened(@TempDir Path directory) throws Exception {
    Path analyze = Path.of("/usr/bin/systemd-analyze");
    assumeTrue(Files.isExecutable(analyze), "no systemd here");
    Path output = directory.resolve("output.txt");
    Process judge =
        new ProcessBuilder(
                analyze.toString(),
                "security",
                "--offline=true",
                "--threshold=30", // tenths
                "--no-pager",
                "retso.service",
                "retso-zookeeper.service",
                "retso-bookie.service")
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    assertEquals(0, judge.waitFor(), () -> "see systemd-analyze security --offline=true");
    assertTrue(Files.readString(output).contains("Overall exposure level"));
  }

  /** By its own judgement, where there is one. */
  @Test
  void ansibleLintHasNothingToSay(@TempDir Path directory) throws Exception {
    Path output = directory.resolve("output.txt");
    assumeTrue(lint(output, "--version") == 0, "no ansible-lint here");
    assertEquals(0, lint(output, "--offline", "-q", "."), () -> "see ansible-lint --offline");
  }

  private static int lint(Path output, String... words) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of("ansible-lint"));
    command.addAll(List.of(words));
    try {
      return new ProcessBuilder(command)
          .directory(Path.of("ansible").toFile())
          .redirectErrorStream(true)
          .redirectOutput(output.toFile())
          .start()
          .waitFor();
    } catch (IOException e) {
      return -1; // there is none
    }
  }

  @Test
  void everySettingThatIsNamedExists() throws Exception {
    Set<String> keys = Settings.ALL.stream().map(Setting::key).collect(Collectors.toSet());
    Set<String> files =
        Set.of(
            "site.yml",
            "stop.yml",
            "wipe.yml",
            "oracles.yaml",
            "oracles.yml",
            "certificate.yaml",
            "alerts.yml",
            "zoo.cfg",
            "bookie.conf");
    int named = 0;
    for (MatchResult m :
        KEY_IN_TEXT.matcher(read("../docs/operating-oracle.md")).results().toList()) {
      String key = m.group(1) == null ? m.group(2) : m.group(1);
      boolean isHbases = key.startsWith("hbase.") || key.startsWith("retso.oracle");
      assertTrue(keys.contains(key) || files.contains(key) || isHbases, key);
      named++;
    }
    assertTrue(named >= 10, "only " + named);
  }

  /** By the table of the page for operators. */
  @Test
  void everyAlarmIsExplained() throws Exception {
    List<String> alarms = found("(?m)^ +- alert: (\\w+)$", read("alerts.yml"));
    assertEquals(alarms, found("(?m)^\\| `(Retso\\w+)` \\|", read("../docs/operating-oracle.md")));
    assertTrue(alarms.size() > 10, alarms::toString);
  }

  private static List<String> found(String pattern, String text) {
    return Pattern.compile(pattern).matcher(text).results().map(m -> m.group(1)).toList();
  }

  @Test
  void prometheusScrapesTheDefaultPortAndReadsTheRules() throws Exception {
    String scrape = read("prometheus.yml");
    assertTrue(scrape.contains("127.0.0.1:" + Settings.HTTP_PORT.defaultText()));
    assertTrue(scrape.contains("- alerts.yml"));
    assertTrue(scrape.contains("job_name: retso"));
  }
}
