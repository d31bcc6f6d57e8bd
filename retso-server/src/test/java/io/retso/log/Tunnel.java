package io.retso.log;

import io.retso.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Forwards connections to a port of this machine, until it is cut or deaf. Thread-safe. */
public final class Tunnel implements AutoCloseable {
  private final ServerSocket front;
  private final int target;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger refused = new AtomicInteger();
  private volatile boolean cut;
  private volatile boolean deaf;

  public Tunnel(int target) throws IOException {
    this.target = target;
    this.front = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    start(this::accept);
  }

  public int port() {
    return front.getLocalPort();
  }

  /** Breaks all connections; new ones break at once until {@link #mend}. */
  public void cut() {
    cut = true;
    open.forEach(Tunnel::close);
  }

  /** Drops all that comes back from the port, until {@link #mend}. */
  public void deafen() {
    deaf = true;
  }

  public void mend() {
    cut = false;
    deaf = false;
  }

  /** Waits until someone whose connections are broken has tried in vain two times more. */
  public void awaitRefusals() throws Exception {
    int before = refused.get();
    Await.until(() -> refused.get() >= before + 2);
  }

  private void accept() {
    try {
      while (true) {
        Socket client = front.accept();
        if (cut) {
          client.close();
          refused.incrementAndGet();
          continue;
        }
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        open.add(client);
        open.add(server);
        start(() -> copy(client, server, false));
        start(() -> copy(server, client, true));
      }
    } catch (IOException e) {
      cut(); // it was closed
    }
  }

  private void copy(Socket from, Socket to, boolean isBack) {
    byte[] bytes = new byte[1 << 13];
    try (from;
        to;
        InputStream in = from.getInputStream()) {
      for (int n; !cut && (n = in.read(bytes)) >= 0; ) {
        if (!isBack || !deaf) {
          to.getOutputStream().write(bytes, 0, n);
        }
      }
    } catch (IOException e) {
      return; // one side is gone, and both are closed by now
    } finally {
      open.remove(from);
      open.remove(to);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "tunnel");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() throws IOException {
    front.close();
    cut();
  }
}
