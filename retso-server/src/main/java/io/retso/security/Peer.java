package io.retso.security;

import java.net.InetAddress;
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

  /** One that is in clear. */
  public static Peer inClear(InetAddress host, boolean isLocal) {
    return new Peer(Optional.ofNullable(host), isLocal, false, Optional.empty());
  }

  /** It has TLS by now. */
  public Peer encrypted(Optional<X509Certificate> shown) {
    return new Peer(host, isLocal, true, shown);
  }
}
