package io.retso.server.config;

/**
 * The configuration cannot be used. The message names the setting, what was given, where it was
 * given and what is allowed, so that it can be shown to the operator as it is.
 */
public final class ConfigException extends Exception {
  private static final long serialVersionUID = 1L;

  public ConfigException(String message) {
    super(message);
  }

  public ConfigException(String message, Throwable cause) {
    super(message, cause);
  }
}
