package io.retso.text;

import java.net.InetSocketAddress;

/** Addresses as text: {@code host:port}, IPv6 as {@code [::1]:port}. Stateless. */
public final class Addresses {
  private static final int PORT_MAX = 65_535;

  private Addresses() {}

  /**
   * Parses without resolving: names are looked up at each attempt to connect.
   *
   * @throws IllegalArgumentException if it is none; the message names the mistake
   */
  public static InetSocketAddress parse(String text) {
    String address = text.trim();
    if (address.isEmpty()) {
      throw malformed(text, "expected host:port");
    }
    checkThatItIsOne(text, address);
    int colon = address.lastIndexOf(':');
    String host = colon < 0 ? address : address.substring(0, colon).trim();
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      throw malformed(text, "an IPv6 address needs brackets: [::1]:port");
    }
    if (colon < 0 || host.isEmpty()) {
      throw malformed(text, "expected host:port");
    }
    try {
      int port = Integer.parseInt(address.substring(colon + 1).trim());
      if (port >= 1 && port <= PORT_MAX) {
        return InetSocketAddress.createUnresolved(host, port);
      }
    } catch (NumberFormatException e) {
      // Reported below, together with ports out of range.
    }
    throw malformed(text, "the port must be a number from 1 to " + PORT_MAX);
  }

  /** What stands in lists and links is met here more often than an IPv6 address. */
  private static void checkThatItIsOne(String text, String address) {
    int scheme = address.indexOf("://");
    if (scheme >= 0) {
      throw malformed(text, "an address is host:port, without " + address.substring(0, scheme + 3));
    }
    if (address.indexOf('/') >= 0) {
      throw malformed(text, "an address is host:port, without a path");
    }
    if (address.indexOf(';') >= 0 || address.indexOf(',') >= 0) {
      throw malformed(text, "several addresses are separated by commas: host:port,host:port");
    }
    // Blanks beside the colon are let pass; others separate two addresses.
    if (address.replaceAll("\\s*:\\s*", ":").matches("(?s).*\\s.*")) {
      throw malformed(
          text, "several addresses are separated by commas, not by blanks: host:port,host:port");
    }
  }

  /** An address as {@link #parse} reads it. */
  public static String text(InetSocketAddress address) {
    return text(address.getHostString(), address.getPort());
  }

  /**
   * An address as {@link #parse} reads it, and as it stands in a URL.
   *
   * @param host a name, or an address of IPv4 or IPv6, the latter with or without brackets
   */
  public static String text(String host, int port) {
    boolean isBare = host.indexOf(':') >= 0 && !host.startsWith("[");
    return (isBare ? "[" + host + "]" : host) + ":" + port;
  }

  private static IllegalArgumentException malformed(String text, String why) {
    return new IllegalArgumentException("address \"" + text + "\": " + why);
  }
}
