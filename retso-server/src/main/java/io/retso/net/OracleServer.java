package io.retso.net;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.ScheduledFuture;
import io.retso.client.sockets.Sockets;
import io.retso.front.FrontDesk;
import io.retso.log.LogException;
import io.retso.member.Front;
import io.retso.protocol.Authentication.Level;
import io.retso.protocol.ErrorCode;
import io.retso.sequencer.Sequencer;
import io.retso.text.Addresses;
import io.retso.text.ErrorText;
import io.retso.tls.TlsContext;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.LoggerFactory;

/**
 * Listens for clients and serves them on one event loop, the sequencer's thread.
 *
 * <p>Life: construct, {@link #listen}, {@link #front} to lead and follow, {@link #drain}, {@link
 * #close}. What is not said to be on the loop may be called from any thread.
 */
public final class OracleServer implements FrontDesk.Owner, AutoCloseable {
  private static final long DESK_TICK_MILLIS = 100;
  private static final WriteBufferWaterMark WRITE_MARKS =
      new WriteBufferWaterMark(256 * 1024, 1024 * 1024);

  /**
   * Settings.
   *
   * @param connectionsMax connections of clients at a time; more are refused
   * @param connectionsPerHost the same from one address
   * @param idleMillis time after which a client that sends nothing is pinged, and after which it is
   *     disconnected if it does not answer, at least 4
   * @param stallMillis time after which a client that does not read its replies is disconnected
   * @param tls what connections begin TLS with; asked for each, empty if there is none
   */
  public record Settings(
      int connectionsMax,
      int connectionsPerHost,
      long idleMillis,
      long stallMillis,
      Supplier<Optional<TlsContext>> tls,
      FrontDesk.Settings front) {}

  private final Settings settings;
  private final MultiThreadIoEventLoopGroup group;
  private final EventLoop loop;
  private final NetCounters counters = new NetCounters();
  private final ReadBudget reads = new ReadBudget();
  private final CompletableFuture<LogException> logFailure = new CompletableFuture<>();
  private final CompletableFuture<Throwable> error = new CompletableFuture<>();
  private final FrontDesk desk;

  /** What connections hold outside of the heap. */
  final ConnectionMemory memory =
      new ConnectionMemory(() -> admission().connections(), task -> executor().execute(task));

  private final LogLimit lines;
  private final AcceptPace pace;
  private volatile Channel listening;

  /** What takes long in handshakes of TLS and with Kerberos is done on it: so the loop goes on. */
  private final ThreadPoolExecutor door =
      new ThreadPoolExecutor(
          1,
          1,
          1,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          new DefaultThreadFactory("door", true));

  private final Admission admission;

  public OracleServer(Settings settings) {
    this.settings = settings;
    door.allowCoreThreadTimeOut(true);
    admission =
        new Admission(
            settings.connectionsMax(),
            settings.connectionsPerHost(),
            () -> settings.front().access().authentication() != Level.OFF);
    lines = new LogLimit(settings.front().nanoClock(), LoggerFactory.getLogger(OracleServer.class));
    group =
        new MultiThreadIoEventLoopGroup(
            1,
            new DefaultThreadFactory("oracle"),
            TurnMeter.measured(
                Sockets.handlers(),
                new TurnMeter.Clocks(
                    settings.front().nanoClock(),
                    ManagementFactory.getThreadMXBean()::getCurrentThreadCpuTime),
                (nanos, cpuNanos) -> {
                  reads.newTurn();
                  settings.front().latencies().turn(nanos, cpuNanos);
                }));
    loop = (EventLoop) group.next();
    pace = new AcceptPace(settings.front().nanoClock().getAsLong());
    FrontDesk.Loop turns =
        new FrontDesk.Loop() {
          @Override
          public void atEndOfTurn(Runnable task) {
            loop.execute(task); // behind what the loop has found readable
          }

          @Override
          public void inNextTurn(Runnable task) {
            // Tasks that are due are fetched once a turn; others would run before the next reads.
            loop.schedule(guarded(task), 0, TimeUnit.NANOSECONDS);
          }
        };
    desk = new FrontDesk(settings.front(), turns, this);
  }

  /** The sequencer's thread. An error in a task on it ends the server. */
  public Executor executor() {
    return task -> loop.execute(guarded(task));
  }

  /** Runs a task on the sequencer's thread again and again, until the server is closed. */
  public void every(long periodNanos, Runnable task) {
    loop.scheduleWithFixedDelay(guarded(task), periodNanos, periodNanos, TimeUnit.NANOSECONDS);
  }

  /** Runs a task of a connection on the sequencer's thread, once. */
  ScheduledFuture<?> later(long millis, Runnable task) {
    return loop.schedule(guarded(task), millis, TimeUnit.MILLISECONDS);
  }

  private Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        desk.stop(e);
      }
    };
  }

  /** What leads and follows, and hears when replies may leave; on the loop. */
  public Front front() {
    return desk;
  }

  /** The loop, for connections of the server's own. */
  public EventLoop loop() {
    return loop;
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
            .channel(Sockets.listening())
            .option(ChannelOption.SO_BACKLOG, 1024)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(ChannelOption.ALLOCATOR, PooledByteBufAllocator.DEFAULT)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.SO_KEEPALIVE, true)
            .childOption(ChannelOption.RECVBUF_ALLOCATOR, reads)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, WRITE_MARKS)
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    if (settings.front().access().tls() != Level.OFF) {
                      pause(pace.begin(settings.front().nanoClock().getAsLong()));
                      settings
                          .tls()
                          .get()
                          .ifPresent(
                              tls -> channel.pipeline().addLast(new SmallReads(), either(tls)));
                    }
                    channel.pipeline().addLast(new Connection(OracleServer.this, channel));
                  }
                });
    try {
      long tickMillis = settings.idleMillis() / Connection.TICKS_TO_PING;
      every(TimeUnit.MILLISECONDS.toNanos(tickMillis), this::tick);
      every(TimeUnit.MILLISECONDS.toNanos(DESK_TICK_MILLIS), desk::tick);
      every(TimeUnit.MILLISECONDS.toNanos(Sequencer.TICK_MILLIS), desk::beat);
      every(TimeUnit.MILLISECONDS.toNanos(DESK_TICK_MILLIS), memory::look);
      listening = bootstrap.bind(address).sync().channel();
      return (InetSocketAddress) listening.localAddress();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while binding " + Addresses.text(address), e);
    } catch (Exception e) { // Netty throws checked exceptions past the compiler
      throw new IOException(
          "cannot listen on "
              + Addresses.text(address)
              + ": "
              + ErrorText.of(e)
              + "; choose another listen.host or listen.port",
          e);
    }
  }

  /** Accepts no connection for a time. */
  private void pause(long nanos) {
    if (nanos > 0 && listening != null && listening.config().isAutoRead()) {
      listening.config().setAutoRead(false);
      loop.schedule(() -> listening.config().setAutoRead(true), nanos, TimeUnit.NANOSECONDS);
    }
  }

  private ChannelHandler either(TlsContext tls) {
    return tls.acceptEither(door, Connection.HELLO_TIMEOUT_MILLIS);
  }

  /**
   * What is asked of clients, or what they may do, may be something else by now, or the proof of an
   * identity may have ended. On the loop; to be called now and then in any case.
   */
  public void lookAtClients() {
    List.copyOf(admission.connections()).forEach(Connection::look);
  }

  private void tick() {
    List.copyOf(admission.connections()).forEach(Connection::tick);
  }

  /** What was counted; read on the loop. */
  public NetCounters counters() {
    counters.connections = admission.count();
    counters.inClear = 0;
    counters.unknown = 0;
    for (Connection connection : admission.connections()) {
      counters.inClear += connection.peer().isEncrypted() ? 0 : 1;
      counters.unknown += connection.isKnown() ? 0 : 1;
    }
    return counters;
  }

  /**
   * All clients that are connected, a line for each kind of connection of each client; read on the
   * loop.
   */
  public String clients() {
    SortedMap<String, Integer> lines = new TreeMap<>();
    admission.connections().forEach(each -> lines.merge(each.described(), 1, Integer::sum));
    StringBuilder text = new StringBuilder("principal  roles  tls  address  client  connections\n");
    lines.forEach((line, count) -> text.append(line).append("  ").append(count).append('\n'));
    return text.toString();
  }

  /** Completes with the cause when the log fails; from then on nothing is acknowledged. */
  public CompletableFuture<LogException> logFailure() {
    return logFailure;
  }

  /**
   * Completes with an error of this server: it decides and answers nothing any more, and has closed
   * all connections.
   */
  public CompletableFuture<Throwable> error() {
    return error;
  }

  // For connections, on the loop.

  Settings settings() {
    return settings;
  }

  /** Runs what takes long before a client is identified; one thing of a connection at a time. */
  Executor door() {
    return door;
  }

  FrontDesk desk() {
    return desk;
  }

  NetCounters mutableCounters() {
    return counters;
  }

  LogLimit lines() {
    return lines;
  }

  ConnectionMemory memory() {
    return memory;
  }

  Admission admission() {
    return admission;
  }

  @Override
  public void logFailed(LogException cause) {
    List.copyOf(admission.connections())
        .forEach(
            connection ->
                connection.refuse(
                    0, ErrorCode.LOG_FAILED, "the log failed: " + cause.getMessage()));
    logFailure.complete(cause);
  }

  @Override
  public void stopped(Throwable cause) {
    List.copyOf(admission.connections()).forEach(Connection::disconnect);
    error.complete(cause);
  }

  /**
   * Stops taking requests and waits until every reply that is held has left.
   *
   * @return completes on the loop; never if the log hangs: the caller has a time-out
   */
  public CompletableFuture<Void> drain() {
    CompletableFuture<Void> done = new CompletableFuture<>();
    executor()
        .execute(
            () -> {
              if (listening != null) {
                listening.close();
              }
              desk.drain().thenRun(() -> done.complete(null));
              admission.connections().forEach(Connection::stopReading);
            });
    return done;
  }

  /** Closes all connections and the loop; does nothing if that was done. */
  @Override
  public void close() {
    if (group.isShuttingDown()) {
      return;
    }
    loop.execute(
        () ->
            List.copyOf(admission.connections())
                .forEach(
                    connection ->
                        connection.refuse(
                            0, ErrorCode.SHUTTING_DOWN, "the server is shutting down")));
    door.shutdown();
    group.shutdownGracefully(50, 2_000, TimeUnit.MILLISECONDS).awaitUninterruptibly(5_000);
  }
}
