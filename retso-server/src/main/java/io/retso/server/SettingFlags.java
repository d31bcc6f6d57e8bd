package io.retso.server;

import io.retso.server.config.ConfigException;
import io.retso.server.config.ServerConfig;
import io.retso.server.config.Setting;
import io.retso.server.config.Settings;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Settings of a server as flags of a command: all of the table, and what they override. Stateless.
 */
final class SettingFlags {
  private SettingFlags() {}

  /** Adds flags for these settings. */
  static void add(CommandSpec command, List<Setting<?>> settings) {
    for (Setting<?> setting : settings) {
      String standard = setting.defaultText().isEmpty() ? "empty" : setting.defaultText();
      command.addOption(
          OptionSpec.builder(setting.flag())
              .type(String.class)
              .arity("1")
              .paramLabel(setting.type().label())
              .description(
                  setting.description().replace("%", "%%"),
                  "Allowed: " + setting.type().allowed() + ". Default: " + standard)
              .build());
    }
  }

  /**
   * What a command was given.
   *
   * @param file with settings, which flags override; null for none
   */
  static ServerConfig read(CommandSpec command, Path file) throws ConfigException {
    ServerConfig.Builder builder = ServerConfig.builder();
    if (file != null) {
      builder.load(file);
    }
    for (Setting<?> setting : Settings.ALL) {
      OptionSpec flag = command.findOption(setting.flag());
      if (flag != null && flag.getValue() != null) {
        builder.set(setting, flag.getValue(), setting.flag());
      }
    }
    return builder.build();
  }
}
