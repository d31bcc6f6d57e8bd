package io.retso.client.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.retso.client.OracleClient;
import io.retso.protocol.Handshake;
import io.retso.text.Addresses;
import java.util.List;

/** A loop of a simulator, which runs the production client on it. */
public abstract class SimulatedLoop implements ClientLoop {
  /** The bytes that a client sends. */
  public interface Wire {
    ByteBufAllocator allocator();

    void send(ByteBuf bytes);

    /** The client ends it. */
    void hangUp();
  }

  /** The client's end of a connection. */
  public static final class End {
    private final Connection connection;

    private End(Connection connection) {
      this.connection = connection;
    }

    /** Where it leads, {@code host:port}. */
    public String address() {
      return Addresses.text(connection.address);
    }

    public void opened(Wire wire) {
      connection.onOpen(new WireTransport(wire));
    }

    public void unreachable(String why) {
      connection.onUnreachable(new IllegalStateException(why));
    }

    public void read(ByteBuf bytes) {
      connection.onRead(bytes);
    }

    public void closed() {
      connection.onClosed();
    }
  }

  private record WireTransport(Wire wire) implements Transport {
    @Override
    public ByteBufAllocator allocator() {
      return wire.allocator();
    }

    @Override
    public boolean isWritable() {
      return true;
    }

    @Override
    public void write(ByteBuf bytes) {
      wire.send(bytes);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      wire.hangUp();
    }
  }

  /**
   * Makes a client that runs on this loop.
   *
   * @param addresses of the servers that it knows, {@code host:port}
   * @param timeoutNanos of requests
   * @param connectNanos of connections
   */
  public final OracleClient client(
      List<String> addresses, int connections, long timeoutNanos, long connectNanos, long seed) {
    long backoffMinNanos = connectNanos / 64;
    ClientSettings settings =
        new ClientSettings(
            addresses.stream().map(Addresses::parse).toList(),
            "simulated",
            Handshake.Mode.ORACLE,
            connections,
            1024,
            timeoutNanos,
            connectNanos,
            backoffMinNanos,
            connectNanos,
            4 * connectNanos,
            seed,
            null,
            null);
    return new RemoteOracleClient(settings, this);
  }

  /** Begins to connect to a server. */
  protected abstract void connect(End end);

  @Override
  public final void connect(Connection connection) {
    connect(new End(connection));
  }

  /** Everything happens on one thread; blocking calls are refused. */
  @Override
  public final boolean inLoop() {
    return true;
  }

  @Override
  public final void shutDown() {}

  @Override
  public final void awaitEnd() {}
}
