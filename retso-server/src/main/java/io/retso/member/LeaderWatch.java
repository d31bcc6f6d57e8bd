package io.retso.member;

import io.retso.protocol.Limits;
import io.retso.protocol.ServerRole;
import java.util.function.Consumer;

/**
 * Looks whether the leader's process is there, and hears what it says of itself: a connection to
 * its port is closed by the system at the moment at which the process dies.
 *
 * <p>No call blocks. Of the member's thread.
 */
public interface LeaderWatch extends AutoCloseable {
  /** What names of {@link #clientName} begin with. */
  String CLIENT_NAME_PREFIX = "standby ";

  /**
   * What a standby calls itself when it connects to the leader, so that that one knows that it
   * lives. Members whose addresses are equal as far as a name goes count as one.
   *
   * @param address the standby's
   */
  static String clientName(String address) {
    String name = CLIENT_NAME_PREFIX + address;
    return name.substring(0, Math.min(name.length(), Limits.CLIENT_NAME_BYTES_MAX));
  }

  /** Whether a client that calls itself so says that it is a standby. */
  static boolean isStandby(String clientName) {
    return clientName.startsWith(CLIENT_NAME_PREFIX);
  }

  /**
   * Watches the leader at an address, and no other any more.
   *
   * @param address {@code host:port}; empty for none
   * @param said hears, in tasks of the member's thread, when the server there has another role than
   *     before, until another leader is watched
   * @param gone is run so when {@link #isGone} has become true
   */
  void watch(String address, Consumer<ServerRole> said, Runnable gone);

  /**
   * Whether the connection to the watched leader was closed or refused, and could not be made again
   * since. False while it is not known, as when nothing answers at all.
   */
  boolean isGone();

  /**
   * Whether the watched server has sent anything but an error since this was asked last. It is
   * pinged often enough to send something within a fraction of {@link Silence#NANOS}.
   */
  boolean hasAnswered();

  /** Watches no leader any more. */
  @Override
  void close();
}
