package io.retso.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.server.config.ServerConfig;
import io.retso.server.config.Setting;
import io.retso.server.config.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files that people read say what the table of settings says. */
class ConfigDocsTest {
  private static final Path ROOT = Path.of("..");

  /** {@code -Dtest.jvm.extra=-Dretso.docs.write=true} writes the files instead of checking them. */
  private static void assertFile(Path file, String expected) throws Exception {
    if (Boolean.getBoolean("retso.docs.write")) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, expected);
    }
    assertEquals(
        expected,
        Files.readString(file),
        file
            + " is out of date: ./mvnw test -pl retso-server -am -Dtest=ConfigDocsTest"
            + " -Dtest.jvm.extra=-Dretso.docs.write=true writes it");
  }

  @Test
  void theSampleFileIsUpToDate() throws Exception {
    assertFile(ROOT.resolve("deploy/retso.properties"), ConfigDocs.sampleFile());
  }

  @Test
  void theReferenceIsUpToDate() throws Exception {
    assertFile(ROOT.resolve("docs/configuration.md"), ConfigDocs.reference());
  }

  @Test
  void everySettingIsInBothWithItsDefault() {
    for (Setting<?> setting : Settings.ALL) {
      String line = ("#" + setting.key() + " = " + setting.defaultText()).stripTrailing();
      assertTrue(ConfigDocs.sampleFile().contains("\n" + line + "\n"), line);
      assertTrue(
          ConfigDocs.reference().contains("\n- **`" + setting.key() + "`** (`"), setting.key());
    }
  }

  @Test
  void theSampleFileWithEverythingUncommentedIsTheDefault(@TempDir Path dir) throws Exception {
    String all = ConfigDocs.sampleFile().replaceAll("(?m)^#(?! )(?=[a-z])", "");
    Path file = Files.writeString(dir.resolve("all.properties"), all);
    ServerConfig config = ServerConfig.builder().load(file).build();
    for (Setting<?> setting : Settings.ALL) {
      assertTrue(all.contains("\n" + setting.key() + " ="), setting.key());
      assertEquals(setting.defaultValue(), config.get(setting));
    }
  }
}
