package io.retso.security;

/** Why a client is refused; the message names the remedy, and may be told to a client. */
public final class AccessException extends Exception {
  private static final long serialVersionUID = 1;

  public AccessException(String message) {
    super(message);
  }
}
