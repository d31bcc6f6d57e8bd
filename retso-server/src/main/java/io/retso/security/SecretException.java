package io.retso.security;

/**
 * A file of a secret cannot be relied on. The message says why and what to do, and nothing of what
 * the file contains.
 */
public final class SecretException extends Exception {
  private static final long serialVersionUID = 1L;

  SecretException(String message) {
    super(message);
  }
}
