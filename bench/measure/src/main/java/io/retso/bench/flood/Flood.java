package io.retso.bench.flood;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.retso.protocol.Authentication;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** What can be done to a server that wants to know its clients, by one that it does not know. */
enum Flood {
  SILENT("connections that say nothing", 400, Tls.NONE) {
    @Override
    void connected(Flooder a) {}
  },

  HALF_HELLOS("half ClientHellos", 400, Tls.NONE) {
    @Override
    void connected(Flooder a) {
      a.send(Unpooled.copiedBuffer(HELLO, 0, HELLO.length / 2));
    }
  },

  SLOW_RECORDS("ClientHellos, a byte each 50 ms", 400, Tls.NONE) {
    @Override
    void connected(Flooder a) {
      next(a, 0);
    }

    private void next(Flooder a, int at) {
      a.send(Unpooled.copiedBuffer(HELLO, at % HELLO.length, 1));
      a.later(50, TimeUnit.MILLISECONDS, () -> next(a, at + 1));
    }
  },

  RECORDS("records of TLS with nothing in them", 64, Tls.NONE) {
    @Override
    void connected(Flooder a) {
      a.send(Unpooled.wrappedBuffer(new byte[] {22, 3, 3, 0, 0}, new byte[64]));
    }
  },

  CLEAR("HELLO in clear", 64, Tls.NONE) {
    @Override
    void connected(Flooder a) {
      a.hello();
    }

    @Override
    void answered(Flooder a) {
      a.close();
    }
  },

  HANDSHAKES("handshakes, without a certificate", 64, Tls.USUAL) {
    @Override
    void connected(Flooder a) {
      a.close();
    }
  },

  WRONG_TOKENS("handshakes, and wrong tokens", 64, Tls.USUAL) {
    @Override
    void connected(Flooder a) {
      a.hello();
      ByteBuf attempt = a.context().alloc().ioBuffer();
      Authentication.writeAttempt(
          attempt, 2, new Authentication.Attempt(Authentication.TOKEN, TOKEN));
      a.send(attempt);
    }
  },

  KEY_UPDATES("updates of keys, each with a ping", 16, Tls.JDK) {
    @Override
    void connected(Flooder a) {
      a.hello();
      next(a);
    }

    private void next(Flooder a) {
      if (a.updateKeys()) {
        ByteBuf ping = a.context().alloc().ioBuffer(Frames.HEADER_BYTES);
        Frames.writeHeader(ping, FrameType.PING, 0, 3, 0);
        a.send(ping);
        a.later(200, TimeUnit.MICROSECONDS, () -> next(a));
      }
    }
  };

  /** The engine of TLS that a stranger has. */
  enum Tls {
    NONE,
    USUAL,
    /** The one that can be told to update keys. */
    JDK
  }

  /** Begins as a ClientHello of 512 bytes in one record does. */
  private static final byte[] HELLO = new byte[512];

  /** As long as a real one. */
  private static final byte[] TOKEN =
      ("retso1." + "A".repeat(60) + "." + "B".repeat(43)).getBytes(StandardCharsets.US_ASCII);

  static {
    byte[] begin = {22, 3, 1, 1, (byte) 251, 1, 0, 1, (byte) 247, 3, 3};
    System.arraycopy(begin, 0, HELLO, 0, begin.length);
  }

  private final String label;
  private final int connections;
  private final Tls tls;

  Flood(String label, int connections, Tls tls) {
    this.label = label;
    this.connections = connections;
    this.tls = tls;
  }

  /** Connections at a time, from all addresses together. */
  int connections() {
    return connections;
  }

  Tls tls() {
    return tls;
  }

  /** A connection is there, its handshake over if it has one. */
  abstract void connected(Flooder a);

  /** The server said something. */
  void answered(Flooder a) {}

  /** What each client says first. */
  static void writeHello(ByteBuf out) {
    Handshake.writeHello(
        out,
        1,
        new Handshake.Hello(
            Handshake.VERSION_MIN, Handshake.VERSION_MAX, Handshake.Mode.ORACLE, "flood"));
  }

  @Override
  public String toString() {
    return label;
  }
}
