package io.retso.security;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Optional;

/** Addresses that begin with the same bits (RFC 4632): {@code 10.0.0.0/8}. Immutable. */
final class Networks {
  private final byte[] address;

  /** Those that count. */
  private final int bits;

  private Networks(byte[] address, int bits) {
    this.address = address;
    this.bits = bits;
  }

  /** Reads one; a name of a host is none, as others decide what it stands for. */
  static Optional<Networks> of(String text) {
    int slash = text.indexOf('/');
    String address = slash < 0 ? text : text.substring(0, slash);
    if (!address.matches("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*")) {
      return Optional.empty();
    }
    try {
      byte[] bytes = InetAddress.getByName(address).getAddress();
      int all = bytes.length * Byte.SIZE;
      int bits = slash < 0 ? all : Integer.parseInt(text.substring(slash + 1));
      return bits < 0 || bits > all ? Optional.empty() : Optional.of(new Networks(bytes, bits));
    } catch (UnknownHostException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  boolean has(InetAddress host) {
    byte[] other = host.getAddress();
    if (other.length != address.length) {
      return false;
    }
    for (int bit = 0; bit < bits; bit++) {
      int mask = 0x80 >> (bit & 7);
      if (((other[bit >> 3] ^ address[bit >> 3]) & mask) != 0) {
        return false;
      }
    }
    return true;
  }
}
