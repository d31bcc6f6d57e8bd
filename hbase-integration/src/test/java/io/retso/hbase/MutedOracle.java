package io.retso.hbase;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Stands between a client and an oracle, and may swallow what the oracle answers: requests arrive,
 * replies are lost, or late. Or the oracle reads requests late, after their connection is lost to
 * the client. Or it is as if there were no oracle.
 */
public final class MutedOracle implements AutoCloseable {
  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private volatile int oraclePort;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();

  /** Those of them that lead to clients. */
  private final List<Socket> clients = new CopyOnWriteArrayList<>();

  private volatile boolean muted;
  private volatile boolean down;
  private volatile byte[] instead;

  /** Guarded by this. */
  private boolean held;

  /** Connections so far; guarded by this. */
  private int accepted;

  /**
   * Requests of the first so many connections are not read, but of still fewer; guarded by this.
   */
  private int unreadTo;

  private int readTo;

  /** Requests were kept back. */
  private volatile boolean hasUnread;

  public MutedOracle(int oraclePort) throws IOException {
    this.oraclePort = oraclePort;
    start("accept", this::accept);
  }

  public String address() {
    return "127.0.0.1:" + server.getLocalPort();
  }

  /** Whether replies are swallowed from now on. */
  public void mute(boolean on) {
    muted = on;
    if (!on) {
      closeSockets(); // half a reply may have been swallowed: clients connect anew
    }
  }

  /** Whether replies are kept back from now on, until this is turned off. */
  public synchronized void hold(boolean on) {
    held = on;
    notifyAll();
  }

  /** From now on the oracle reads nothing of what is sent on the connections that exist now. */
  public synchronized void stopReading() {
    unreadTo = accepted;
  }

  /** Whether it has not read something since. */
  public boolean hasUnread() {
    return hasUnread;
  }

  /** The oracle reads on, from the first so many connections. */
  public synchronized void readOn(int connections) {
    readTo = connections;
    notifyAll();
  }

  /** How many connections there were. */
  public synchronized int accepted() {
    return accepted;
  }

  private synchronized int nextConnection() {
    return ++accepted;
  }

  /** Clients lose their connections, of which the oracle does not hear while it does not read. */
  public void loseClients() {
    close(clients);
  }

  private synchronized void awaitReading(int connection) {
    while (connection > readTo && connection <= unreadTo) {
      hasUnread = true;
      await();
    }
  }

  private synchronized void awaitRelease() {
    while (held) {
      await();
    }
  }

  /** The caller is in a loop, and holds this object. */
  private void await() {
    try {
      wait();
    } catch (InterruptedException e) {
      throw new AssertionError(e); // these threads are not interrupted
    }
  }

  /** Whether connections are closed, those that exist and new ones, from now on. */
  public void down(boolean on) {
    down = on;
    closeSockets();
  }

  /** From now on it leads to the oracle at this port. */
  public void leadTo(int port) {
    oraclePort = port;
    closeSockets();
  }

  /** What is answered to the first words on each new connection, in place of the oracle. */
  public void answer(byte[] words) {
    instead = words;
    closeSockets();
  }

  private void accept() throws IOException {
    while (true) {
      Socket client = server.accept();
      if (down) {
        client.close();
        continue;
      }
      byte[] words = instead;
      if (words != null) {
        sockets.add(client);
        start("words", () -> answer(client, words));
        continue;
      }
      Socket oracle = new Socket(InetAddress.getLoopbackAddress(), oraclePort);
      int connection = nextConnection();
      clients.add(client);
      sockets.addAll(List.of(client, oracle));
      start("requests", () -> copy(client, oracle, connection));
      start("replies", () -> copy(oracle, client, 0));
    }
  }

  private static void answer(Socket client, byte[] words) throws IOException {
    client.getInputStream().read(new byte[1 << 10]);
    client.getOutputStream().write(words);
  }

  /** Copies requests of a connection, or replies of number 0. */
  private void copy(Socket from, Socket to, int connection) throws IOException {
    boolean replies = connection == 0;
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[1 << 16];
      for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
        if (replies) {
          awaitRelease();
        } else {
          awaitReading(connection);
        }
        if (!(replies && muted)) {
          out.write(buffer, 0, read);
        }
      }
    }
  }

  private interface Task {
    void run() throws IOException;
  }

  private static void start(String name, Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException e) {
                // one of the two sides closed
              }
            },
            "muted-" + name);
    thread.setDaemon(true);
    thread.start();
  }

  private void closeSockets() {
    close(sockets);
    clients.clear();
  }

  private static void close(List<Socket> sockets) {
    for (Socket socket : sockets) {
      try {
        socket.close();
      } catch (IOException e) {
        // it is closed either way
      }
    }
    sockets.clear();
  }

  @Override
  public void close() throws IOException {
    server.close();
    closeSockets();
  }
}
