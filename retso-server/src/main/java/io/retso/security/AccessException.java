package io.retso.security;

/** Why somebody is refused; the message names the remedy, and may be told to a client. */
public final class AccessException extends Exception {
  private static final long serialVersionUID = 1;

  public AccessException(String message) {
    super(message);
  }
}
