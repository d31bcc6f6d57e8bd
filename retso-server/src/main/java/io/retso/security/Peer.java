package io.retso.security;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.X509Certificate;
import java.util.Optional;

/**
 * What a server knows of a connection before its client says a word.
 *
 * @param host where it comes from; empty in a simulation
 * @param isLocal whether that is the server's own machine
 * @param isEncrypted whether it has TLS
 * @param certificate which the client has shown, signed by a trusted authority
 */
public record Peer(
    Optional<InetAddress> host,
    boolean isLocal,
    boolean isEncrypted,
    Optional<X509Certificate> certificate) {

  /**
   * One that is in clear. No other machine has this one's address, or one of its loopback
   * interface.
   *
   * @param host null if it is over already
   * @param own the address that it was made to; null if it is over already
   */
  public static Peer inClear(InetAddress host, InetSocketAddress own) {
    boolean isHere =
        host != null && (host.isLoopbackAddress() || own != null && host.equals(own.getAddress()));
    return inClear(host, isHere);
  }

  /** One that is in clear, of a host about which that is known. */
  public static Peer inClear(InetAddress host, boolean isLocal) {
    return new Peer(Optional.ofNullable(host), isLocal, false, Optional.empty());
  }

  /** It has TLS by now. */
  public Peer encrypted(Optional<X509Certificate> shown) {
    return new Peer(host, isLocal, true, shown);
  }
}
