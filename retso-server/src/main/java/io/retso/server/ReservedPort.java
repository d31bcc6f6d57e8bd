package io.retso.server;

import io.retso.text.Addresses;
import io.retso.text.ErrorText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/**
 * Holds a port without listening on it, until a server of this process listens there. So a port
 * that is taken is known before the log is taken over from a server that works, and a client that
 * connects before this one serves is refused at once and tries another address, instead of waiting.
 *
 * <p>Both sockets have SO_REUSEADDR, which lets one listen beside others that only hold the port.
 * So of two servers that start at the same time on the same port the second to listen still fails.
 */
final class ReservedPort implements AutoCloseable {
  private final Socket socket;

  private ReservedPort(Socket socket) {
    this.socket = socket;
  }

  /**
   * Holds the port of an address; of port 0 there is nothing to hold.
   *
   * @throws IOException if a process listens there, or the address is not of this machine; the
   *     message says what to change
   */
  static ReservedPort of(InetSocketAddress address) throws IOException {
    Socket socket = new Socket();
    try {
      socket.setReuseAddress(true);
      socket.bind(address);
      return new ReservedPort(socket);
    } catch (IOException e) {
      socket.close();
      throw new IOException(
          "cannot listen on "
              + Addresses.text(address)
              + ": "
              + ErrorText.of(e)
              + "; choose another listen.host or listen.port",
          e);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
