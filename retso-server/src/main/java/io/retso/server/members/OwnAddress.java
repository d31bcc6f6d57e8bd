package io.retso.server.members;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.util.Comparator;
import java.util.Optional;

/** At which host others reach a server that was not told. Stateless. */
public final class OwnAddress {
  private OwnAddress() {}

  /**
   * A host at which other machines reach a server that listens on {@code host}: an address of this
   * machine if that one stands for all of them, otherwise {@code host}.
   *
   * <p>Many systems map the machine's own name to a loopback address, where others would reach
   * themselves. An address of an interface is better then.
   */
  public static String of(String host) {
    try {
      if (!InetAddress.getByName(host).isAnyLocalAddress()) {
        return host;
      }
    } catch (IOException e) {
      return host;
    }
    Optional<InetAddress> named = named().filter(address -> !address.isLoopbackAddress());
    return named
        .or(OwnAddress::ofAnInterface)
        .or(OwnAddress::named)
        .map(InetAddress::getHostAddress)
        .orElse(host);
  }

  private static Optional<InetAddress> named() {
    try {
      return Optional.of(InetAddress.getLocalHost());
    } catch (IOException e) {
      return Optional.empty(); // no name server knows the machine's name
    }
  }

  /** IPv4 first, as the language has it; addresses of a link are no use elsewhere. */
  private static Optional<InetAddress> ofAnInterface() {
    try {
      return NetworkInterface.networkInterfaces()
          .flatMap(NetworkInterface::inetAddresses)
          .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
          .min(Comparator.comparing(address -> address instanceof Inet4Address ? 0 : 1));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
