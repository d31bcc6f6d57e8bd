package io.retso.server.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

class ServerConfigTest {
  static final List<Setting<?>> allSettings = Settings.ALL;

  @TempDir Path dir;

  private ServerConfig load(String text) throws Exception {
    return ServerConfig.builder().load(file(text)).build();
  }

  private Path file(String text) throws Exception {
    return Files.writeString(dir.resolve("retso.properties"), text);
  }

  private String refused(String text) throws Exception {
    Path file = file(text);
    return assertThrows(ConfigException.class, () -> ServerConfig.builder().load(file).build())
        .getMessage();
  }

  @Test
  void theDefaultsAreAValidConfiguration() throws Exception {
    ServerConfig config = ServerConfig.builder().build();
    assertEquals(7521, config.get(Settings.LISTEN_PORT));
    assertEquals(32_000_000L, config.get(Settings.ROWS));
    assertEquals(1 << 23, config.get(Settings.WINDOW_TIMESTAMPS));
    assertEquals(Duration.ofSeconds(30), config.get(Settings.CLIENT_STALL_TIMEOUT));
    assertTrue(config.isEmbedded());
    assertEquals(new ServerConfig.Quorums(1, 1, 1), config.quorums());
  }

  @ParameterizedTest
  @FieldSource("allSettings")
  void everySettingTakesItsDefaultFromAFile(Setting<?> setting) throws Exception {
    ServerConfig config = load(setting.key() + " = " + setting.defaultText() + "\n");
    assertEquals(setting.defaultValue(), config.get(setting));
  }

  @ParameterizedTest
  @FieldSource("allSettings")
  void everySettingRefusesNonsenseAndSaysWhatIsAllowed(Setting<?> setting) throws Exception {
    String message = refused("# first line\n" + setting.key() + " = a\u0000;\n");
    assertTrue(message.contains("line 2"), message);
    assertTrue(message.contains(setting.key()), message);
    assertTrue(message.contains(setting.type().allowed()), message);
  }

  @ParameterizedTest
  @FieldSource("allSettings")
  void everySettingIsFoundWhenItsNameIsMistyped(Setting<?> setting) throws Exception {
    String key = setting.key();
    String typo = key.substring(0, key.length() - 2) + key.charAt(key.length() - 1);
    String message = refused(typo + " = 1\n");
    assertTrue(message.contains("unknown setting '" + typo + "'"), message);
    assertTrue(message.contains(key), message);
    assertTrue(refused(key.replace('.', '_').toUpperCase() + "X=1").contains(key));
  }

  @ParameterizedTest
  @CsvSource({
    "rows, 8M, 8000000",
    "rows, 8Mi, 8388608",
    "rows, 64k, 64000",
    "rows, 1_000_000, 1000000",
    "rows, 1G, 1000000000",
    "window.timestamps, 2^20, 1048576",
    "window.timestamps, 1Mi, 1048576",
    "window.timestamps, 8, 8",
    "uncleaned.max, 2^28, 268435456",
    "client.stall.timeout, 100ms, PT0.1S",
    "client.stall.timeout, 2m, PT2M",
    "inherited.retention, 0s, PT0S",
    "inherited.retention, 2d, PT48H",
    "log, MEMORY, memory",
    "log.sync, False, false",
    "log.znode, /a/b-c/d_e, /a/b-c/d_e",
    "zookeeper, 'zk1:2181,zk2:2181/retso', 'zk1:2181,zk2:2181/retso'",
    "zookeeper, [::1]:2181, [::1]:2181",
    "listen.host, 0.0.0.0, 0.0.0.0",
    "data.dir, /var/lib/my retso, /var/lib/my retso",
    "log.ensemble, auto, 0",
  })
  void valuesWithSuffixes(String key, String text, String expected) throws Exception {
    ServerConfig config = load("secret.file=s\n" + key + "=" + text);
    assertEquals(expected, config.get(Settings.byKey(key, "test")).toString());
  }

  @ParameterizedTest
  @CsvSource({
    "listen.port, 65536",
    "listen.port, -1",
    "listen.port, http",
    "rows, 0",
    "rows, 1000000001",
    "rows, 99999999999999999999",
    "rows, 999999999999G",
    "rows, 2^99",
    "rows, 8 M",
    "rows, 8m",
    "rows, 1__0",
    "rows, 1.5M",
    "window.timestamps, 4",
    "window.timestamps, 2^29",
    "window.timestamps, 8M",
    "log.inflight, 65",
    "log.inflight, 0",
    "client.stall.timeout, 30",
    "client.stall.timeout, 99ms",
    "client.stall.timeout, 2h",
    "log, disk",
    "log.sync, yes",
    "log.znode, retso/log",
    "log.znode, /",
    "log.znode, /retso//log",
    "zookeeper, zk1",
    "zookeeper, zk1:99999",
    "zookeeper, 'zk1:2181,,zk2:2181'",
    "zookeeper, zk1:2181/",
    "listen.host, two words",
  })
  void valuesOutOfRange(String key, String text) throws Exception {
    String message = refused(key + " = " + text);
    assertTrue(message.contains(key + " = " + text + " is not allowed: use "), message);
  }

  @Test
  void aRepeatedKeyIsRefusedWithBothLines() throws Exception {
    String message = refused("rows = 1M\n\n# again\nrows = 2M\n");
    assertTrue(message.contains("line 4: rows was set before, in line 1"), message);
  }

  @Test
  void aLineWithoutEqualsIsRefused() throws Exception {
    assertTrue(refused("rows 1M\n").contains("line 1: 'rows 1M' has no '='"));
  }

  @Test
  void aPartOfANameFindsTheWholeNames() throws Exception {
    String message = refused("port = 1\n");
    assertTrue(message.contains("did you mean listen.port or http.port?"), message);
  }

  @Test
  void aNameLikeNoneIsAnsweredWithWhereToLook() throws Exception {
    assertTrue(refused("completely.elsewhere = 1\n").contains("retso server --help"));
  }

  @Test
  void aFileThatIsMissingOrNotText() throws Exception {
    Path missing = dir.resolve("none.properties");
    ServerConfig.Builder builder = ServerConfig.builder();
    assertTrue(
        assertThrows(ConfigException.class, () -> builder.load(missing))
            .getMessage()
            .contains(missing + " does not exist"));
    Path binary = Files.write(dir.resolve("binary"), new byte[] {(byte) 0xff, (byte) 0xfe});
    assertTrue(
        assertThrows(ConfigException.class, () -> builder.load(binary))
            .getMessage()
            .contains("not UTF-8"));
    assertThrows(ConfigException.class, () -> builder.load(dir));
  }

  @Test
  void theFirstTimestampIsANumberOrTheClock() throws Exception {
    ServerConfig config = ServerConfig.builder().load(file("timestamps.first = 2^40")).build();
    assertEquals(1L << 40, config.get(Settings.TIMESTAMPS_FIRST));
    assertEquals(ValueType.CLOCK, ServerConfig.builder().build().get(Settings.TIMESTAMPS_FIRST));
    for (String bad : new String[] {"0", "-16", "2^59", "noon"}) {
      String message = refused("timestamps.first = " + bad + "\n");
      assertTrue(message.contains("clock, or 1 to 2^58 as a timestamp"), message);
    }
    assertTrue(refused("transaction.timeout = 10ms\n").contains("1s to 30d"));
  }

  @Test
  void laterSettingsOverrideEarlierOnes() throws Exception {
    ServerConfig.Builder builder = ServerConfig.builder().load(file("rows = 1M\nlog = memory"));
    ServerConfig config = builder.set(Settings.ROWS, "2M").build();
    assertEquals(2_000_000, config.get(Settings.ROWS));
    assertFalse(config.isDurable());
  }

  @Test
  void programsMaySetObjects() throws Exception {
    ServerConfig config =
        ServerConfig.builder()
            .set(Settings.CLIENT_STALL_TIMEOUT, Duration.ofMillis(1500))
            .set(Settings.DATA_DIR, dir)
            .set(Settings.LISTEN_PORT, 0)
            .build();
    assertEquals(Duration.ofMillis(1500), config.get(Settings.CLIENT_STALL_TIMEOUT));
    assertEquals(dir, config.get(Settings.DATA_DIR));
    ServerConfig.Builder builder = ServerConfig.builder();
    assertThrows(IllegalArgumentException.class, () -> builder.set(Settings.ROWS, -1));
  }

  @ParameterizedTest
  @CsvSource({
    "'', 1-1-1",
    "'embedded.bookies=3', 3-3-2",
    "'embedded.bookies=2', 2-2-2",
    "'embedded.bookies=5', 3-3-2",
    "'embedded.bookies=5;log.ensemble=5', 5-5-3",
    "'zookeeper=zk:2181', 3-3-2",
    "'zookeeper=zk:2181;log.write.quorum=2', 3-2-2",
    "'zookeeper=zk:2181;log.ensemble=5;log.write.quorum=3;log.ack.quorum=3', 5-3-3",
    "'zookeeper=zk:2181;log.ensemble=1', 1-1-1",
  })
  void quorumsThatFit(String settings, String expected) throws Exception {
    ServerConfig.Quorums q = load("secret.file=s;".concat(settings).replace(';', '\n')).quorums();
    assertEquals(expected, q.ensemble() + "-" + q.write() + "-" + q.ack());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "log.ensemble=2",
        "log.ensemble=1;log.write.quorum=2",
        "zookeeper=zk:2181;log.ensemble=3;log.write.quorum=4",
        "zookeeper=zk:2181;log.write.quorum=2;log.ack.quorum=3",
        "log.ack.quorum=2",
      })
  void quorumsThatContradict(String settings) throws Exception {
    String message = refused(settings.replace(';', '\n'));
    assertTrue(message.contains("log."), message);
    assertTrue(message.contains(" = "), message);
  }

  /** Its own log comes with a secret; one of several servers must be given one, or told. */
  @Test
  void aLogThatOthersMayTakeOverNeedsTheirSecret() throws Exception {
    String message = refused("zookeeper = zk:2181");
    assertTrue(message.contains("./retso secret FILE"), message);
    assertTrue(message.contains("set insecure = yes-i-know"), message);
    Path own = load("data.dir = /d").secretFile().orElseThrow();
    assertEquals(Path.of("/d/secret"), own);
    Path given = load("zookeeper = zk:2181\nsecret.file = /s").secretFile().orElseThrow();
    assertEquals(Path.of("/s"), given);
    assertEquals(Optional.empty(), load("zookeeper = zk:2181\ninsecure = yes-i-know").secretFile());
    assertEquals(Optional.empty(), load("log = memory").secretFile());
    assertTrue(refused("insecure = true").contains("no or yes-i-know"));
  }

  @Test
  void keysAndFlagsAreUniqueAndLowerCase() {
    long flags = Settings.ALL.stream().map(Setting::flag).distinct().count();
    assertEquals(Settings.ALL.size(), flags);
    for (Setting<?> setting : Settings.ALL) {
      assertTrue(setting.key().matches("[a-z]+(\\.[a-z]+)*"), setting.key());
      assertTrue(setting.description().endsWith("."), setting.key());
    }
    assertEquals("--client-stall-timeout", Settings.CLIENT_STALL_TIMEOUT.flag());
  }

  @Test
  void aByteOrderMarkIsReadOver() throws Exception {
    Path file = Files.write(dir.resolve("bom"), "\uFEFFrows=1M".getBytes(StandardCharsets.UTF_8));
    assertEquals(1_000_000, ServerConfig.builder().load(file).build().get(Settings.ROWS));
  }

  @Test
  void aReservationIsAtMostAnEighthOfTheWindow() throws Exception {
    assertEquals(1 << 20, ServerConfig.builder().build().reservation());
    ServerConfig.Builder small = ServerConfig.builder().set(Settings.WINDOW_TIMESTAMPS, "2^16");
    assertEquals(1 << 13, small.build().reservation());
    assertEquals(1 << 12, small.set(Settings.RESERVATION_TIMESTAMPS, 4096).build().reservation());
    small.set(Settings.RESERVATION_TIMESTAMPS, 8193);
    String message = assertThrows(ConfigException.class, small::build).getMessage();
    assertTrue(message.contains("use at most 8192, or set window.timestamps to 131072"), message);
    assertEquals(8193, small.set(Settings.WINDOW_TIMESTAMPS, 131_072).build().reservation());
    assertEquals(
        2,
        small
            .set(Settings.WINDOW_TIMESTAMPS, 8)
            .set(Settings.RESERVATION_TIMESTAMPS, "auto")
            .build()
            .reservation());
  }
}
