package io.retso.member;

/**
 * Looks whether the leader's process is there: a connection to its port is closed by the system at
 * the moment at which the process dies.
 *
 * <p>No call blocks. Of the member's thread.
 */
public interface LeaderWatch extends AutoCloseable {
  /**
   * Watches the leader at an address, and nobody else any more.
   *
   * @param address {@code host:port}; empty for nobody
   */
  void watch(String address);

  /**
   * Whether the connection to the watched leader was closed or refused, and could not be made again
   * since. False while it is not known, as when nothing answers at all.
   */
  boolean isGone();

  /** Watches nobody any more. */
  @Override
  void close();
}
