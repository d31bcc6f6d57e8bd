package io.retso.net;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.retso.log.LogException;
import io.retso.oracle.CommitBatch;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.Limits;
import io.retso.sequencer.Sequencer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Listens for clients and serves them on one event loop, the sequencer's thread.
 *
 * <p>Life: construct, {@link #attach} a sequencer, {@link #listen}, {@link #drain}, {@link #close}.
 * These may be called from any thread; everything else happens on the loop.
 */
public final class OracleServer implements Sequencer.Replies, AutoCloseable {
  private static final int READ_BYTES = 128 * 1024;
  private static final int READS_PER_TURN = 4;
  private static final WriteBufferWaterMark WRITE_MARKS =
      new WriteBufferWaterMark(256 * 1024, 1024 * 1024);

  /** Hears how long requests took, from their arrival to the moment their reply left. */
  public interface Latencies {
    /** So many replies of the log lane left after about so many nanoseconds. */
    void decided(long nanos, int replies);

    /** So many replies of the fast lane (start timestamps, extensions) left at once. */
    void atOnce(int replies);
  }

  /**
   * Settings.
   *
   * @param connectionsMax connections at a time; more are refused
   * @param stallMillis time after which a client that does not read its replies is disconnected
   * @param epoch told to clients; grows with every take-over of the log
   * @param nanoClock monotonic time
   */
  public record Settings(
      int connectionsMax,
      long stallMillis,
      LongSupplier epoch,
      LongSupplier nanoClock,
      Latencies latencies) {}

  private final Settings settings;
  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("oracle"), NioIoHandler.newFactory());
  private final EventLoop loop = (EventLoop) group.next();
  private final NetCounters counters = new NetCounters();
  private final CompletableFuture<LogException> logFailure = new CompletableFuture<>();

  private Channel listening;

  // Of the event loop.
  private Sequencer sequencer;
  private final CommitBatch batch = new CommitBatch(Limits.TRANSACTION_ROWS_MAX);
  private final Set<Connection> connections = new LinkedHashSet<>();
  private final List<Connection> burst = new ArrayList<>();
  private final List<Connection> held = new ArrayList<>();
  private final List<Connection> waitingForLog = new ArrayList<>();
  private final Runnable endOfBurst = this::endOfBurst;
  private boolean burstScheduled;
  private CompletableFuture<Void> draining;

  public OracleServer(Settings settings) {
    this.settings = settings;
  }

  /** The sequencer's thread. */
  public Executor executor() {
    return loop;
  }

  /** Runs a task on the sequencer's thread again and again, until the server is closed. */
  public void every(long periodNanos, Runnable task) {
    loop.scheduleWithFixedDelay(task, periodNanos, periodNanos, TimeUnit.NANOSECONDS);
  }

  /** Gives the server its sequencer; on the loop, before it listens. */
  public void attach(Sequencer theSequencer) {
    sequencer = theSequencer;
  }

  /**
   * Begins to accept clients.
   *
   * @return the address, with the port that was chosen if 0 was asked for
   */
  public InetSocketAddress listen(InetSocketAddress address) throws IOException {
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 1024)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(
                ChannelOption.RECVBUF_ALLOCATOR,
                new FixedRecvByteBufAllocator(READ_BYTES).maxMessagesPerRead(READS_PER_TURN))
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_MARKS)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    channel.pipeline().addLast(new Connection(OracleServer.this));
                  }
                });
    try {
      listening = bootstrap.bind(address).sync().channel();
      return (InetSocketAddress) listening.localAddress();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while binding " + address, e);
    } catch (Exception e) { // Netty throws checked exceptions past the compiler
      throw new IOException(
          "cannot listen on " + address + ": " + e.getMessage() + "; choose another listen.port",
          e);
    }
  }

  /** What was counted; read on the loop. */
  public NetCounters counters() {
    counters.connections = connections.size();
    return counters;
  }

  /** Completes with the cause when the log fails; from then on nothing is acknowledged. */
  public CompletableFuture<LogException> logFailure() {
    return logFailure;
  }

  // For connections, on the loop.

  Settings settings() {
    return settings;
  }

  Sequencer sequencer() {
    return sequencer;
  }

  CommitBatch batch() {
    return batch;
  }

  NetCounters mutableCounters() {
    return counters;
  }

  boolean admit(Connection connection) {
    if (connections.size() >= settings.connectionsMax()) {
      return false;
    }
    counters.accepted++;
    return connections.add(connection);
  }

  void forget(Connection connection) {
    connections.remove(connection);
    held.remove(connection);
    waitingForLog.remove(connection);
    burst.remove(connection);
    finishDraining();
  }

  /** The connection has replies to send, or handed in requests, in this turn of the loop. */
  void joinBurst(Connection connection) {
    burst.add(connection);
    if (!burstScheduled) {
      burstScheduled = true;
      loop.execute(endOfBurst); // runs when everything readable in this turn has been read
    }
  }

  /** The connection has replies that wait for the log. */
  void holds(Connection connection) {
    held.add(connection);
  }

  /** The connection has requests that the log has no room for. */
  void waitForLog(Connection connection) {
    counters.logWaits++;
    waitingForLog.add(connection);
  }

  private void endOfBurst() {
    burstScheduled = false;
    for (int i = 0; i < burst.size(); i++) {
      burst.get(i).endOfBurst();
    }
    burst.clear();
    sequencer.flush();
  }

  @Override
  public void durable(long position) {
    for (int i = held.size() - 1; i >= 0; i--) {
      if (!held.get(i).release(position)) {
        held.remove(i);
      }
    }
    if (!waitingForLog.isEmpty()) {
      List<Connection> resumed = new ArrayList<>(waitingForLog);
      waitingForLog.clear();
      resumed.forEach(Connection::resume);
    }
    finishDraining();
  }

  @Override
  public void failed(LogException cause) {
    new ArrayList<>(connections)
        .forEach(
            connection ->
                connection.refuse(
                    0, ErrorCode.LOG_FAILED, "the log failed: " + cause.getMessage()));
    logFailure.complete(cause);
  }

  /**
   * Stops taking requests and waits until every reply that is held has left.
   *
   * @return completes on the loop; never if the log hangs: the caller has a time-out
   */
  public CompletableFuture<Void> drain() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    loop.execute(
        () -> {
          if (listening != null) {
            listening.close();
          }
          draining = done;
          connections.forEach(Connection::stopReading);
          finishDraining();
        });
    return done;
  }

  private void finishDraining() {
    if (draining != null && held.isEmpty()) {
      draining.complete(null);
    }
  }

  /** Closes all connections and the loop. */
  @Override
  public void close() {
    loop.execute(
        () ->
            new ArrayList<>(connections)
                .forEach(
                    connection ->
                        connection.refuse(
                            0, ErrorCode.SHUTTING_DOWN, "the server is shutting down")));
    group.shutdownGracefully(50, 2_000, TimeUnit.MILLISECONDS).awaitUninterruptibly(5_000);
  }
}
