package io.retso.client.connection;

import java.net.InetSocketAddress;

/** Addresses of oracles as text: {@code host:port}, IPv6 as {@code [::1]:port}. Stateless. */
public final class Addresses {
  private static final int PORT_MAX = 65_535;

  private Addresses() {}

  /** Parses without resolving: names are looked up at each attempt to connect. */
  public static InetSocketAddress parse(String text) {
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon).trim();
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      throw malformed(text, "an IPv6 address needs brackets: [::1]:port");
    }
    if (host.isEmpty()) {
      throw malformed(text, "expected host:port");
    }
    try {
      int port = Integer.parseInt(text.substring(colon + 1).trim());
      if (port >= 1 && port <= PORT_MAX) {
        return InetSocketAddress.createUnresolved(host, port);
      }
    } catch (NumberFormatException e) {
      // Reported below, together with ports out of range.
    }
    throw malformed(text, "the port must be a number from 1 to " + PORT_MAX);
  }

  static String text(InetSocketAddress address) {
    String host = address.getHostString();
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
  }

  private static IllegalArgumentException malformed(String text, String why) {
    return new IllegalArgumentException("address \"" + text + "\": " + why);
  }
}
