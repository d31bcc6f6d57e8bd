package io.retso.bench.flood;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.retso.cluster.ClusterException;
import io.retso.cluster.SecuredFiles;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLSocketFactory;
import org.HdrHistogram.Histogram;

/**
 * A region server, a member and an operator that connect in turns all the while, each time anew,
 * from addresses of their own. One that is not let in within five seconds was kept away.
 */
final class Visitors {
  private static final List<String> NAMES = List.of("region-server", "localhost", "operator");
  private static final int PATIENCE_MILLIS = 5_000;
  private static final long PAUSE_MILLIS = 50;

  private final Histogram nanos = new Histogram(3);
  private final InetSocketAddress server;
  private final List<SSLSocketFactory> factories;
  private final Thread thread = new Thread(this::visit, "visitors");
  private int keptAway;
  private volatile boolean over;

  Visitors(InetSocketAddress server, SecuredFiles files) throws ClusterException {
    this.server = server;
    factories =
        List.of(
            files.sockets(NAMES.get(0)).getSocketFactory(),
            files.ofMember().getSocketFactory(),
            files.sockets(NAMES.get(2)).getSocketFactory());
    thread.setDaemon(true);
    thread.start();
  }

  private void visit() {
    try {
      for (int i = 0; !over; i++) {
        long before = System.nanoTime();
        try {
          enter(factories.get(i % factories.size()));
          record(System.nanoTime() - before);
        } catch (IOException e) {
          record(-1);
        }
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // it ends
    }
  }

  private synchronized void record(long took) {
    if (took < 0) {
      keptAway++;
    } else {
      nanos.recordValue(took);
    }
  }

  /** Connects, and waits for the answer to HELLO. */
  private void enter(SSLSocketFactory factory) throws IOException {
    try (Socket plain = new Socket()) {
      plain.setSoTimeout(PATIENCE_MILLIS);
      plain.connect(server, PATIENCE_MILLIS);
      try (Socket socket = factory.createSocket(plain, "localhost", server.getPort(), true)) {
        ByteBuf hello = Unpooled.buffer();
        Flood.writeHello(hello);
        socket.getOutputStream().write(ByteBufUtil.getBytes(hello));
        DataInputStream in = new DataInputStream(socket.getInputStream());
        int length = in.readInt();
        ByteBuf reply = Unpooled.buffer().writeInt(length).writeBytes(in.readNBytes(length));
        if (Frames.isError(reply, 0) || Frames.replyType(reply, 0) != FrameType.HELLO) {
          throw new IOException("turned away");
        }
      }
    }
  }

  /** How many were let in. */
  synchronized long letIn() {
    return nanos.getTotalCount();
  }

  /** How many were not. */
  synchronized int keptAway() {
    return keptAway;
  }

  /** In milliseconds, how long all but one of a hundred waited that were let in. */
  synchronized double p99Millis() {
    return nanos.getValueAtPercentile(99) / 1e6;
  }

  /** Ends the visits, and returns when the last one is over. */
  void stop() throws InterruptedException {
    over = true;
    thread.join(2L * PATIENCE_MILLIS);
  }
}
