package io.retso.cluster;

import java.io.IOException;

/**
 * A part of a cluster on this machine did not start or ended, and the message shows what it said;
 * or a given cluster cannot be used, and the message says what to do.
 */
public final class ClusterException extends IOException {
  private static final long serialVersionUID = 1;

  public ClusterException(String message, Throwable cause) {
    super(message, cause);
  }
}
