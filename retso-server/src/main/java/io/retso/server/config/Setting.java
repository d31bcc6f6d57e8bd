package io.retso.server.config;

import io.retso.text.Visible;
import java.util.Optional;

/**
 * One setting of the server: a row of the table in {@link Settings}.
 *
 * @param key its name in a properties file: lower case, words separated by dots
 * @param defaultText what it is when it is not set, as it would be typed
 * @param type what it may be
 * @param description one or two sentences for help and documentation
 */
public record Setting<T>(String key, String defaultText, ValueType<T> type, String description) {
  /** Its name on the command line: {@code --listen-port} for {@code listen.port}. */
  public String flag() {
    return "--" + key.replace('.', '-');
  }

  /**
   * Reads a value.
   *
   * @param where where the text comes from, for the error
   */
  T parse(String text, String where) throws ConfigException {
    Optional<T> value = type.reader().apply(text.trim());
    return value.orElseThrow(
        () ->
            new ConfigException(
                where
                    + ": "
                    + key
                    + " = "
                    + Visible.of(text.strip())
                    + " is not allowed: use "
                    + type.allowed()));
  }

  /** What it is by default. */
  public T defaultValue() {
    return type.reader().apply(defaultText).orElseThrow();
  }
}
