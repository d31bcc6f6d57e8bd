package io.retso.client.sockets;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.OracleClient;
import io.retso.client.OracleException;
import io.retso.client.TransactionHandle;
import io.retso.client.connection.ClientLoop;
import io.retso.client.connection.ClientSettings;
import io.retso.client.connection.Connection;
import io.retso.client.connection.RemoteOracleClient;
import io.retso.protocol.Handshake;
import io.retso.text.Addresses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Names of hosts that are slow to look up, unknown, or have several addresses. */
@Timeout(60)
class LookupsTest {
  private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
  private final Map<String, InetAddress[]> known = new ConcurrentHashMap<>();
  private final Lookups lookups =
      new Lookups(
          host -> {
            if (!known.containsKey(host)) {
              throw new UnknownHostException(host);
            }
            return known.get(host);
          },
          new Loop(),
          1,
          "test");

  /** No time passes in it. */
  private final class Loop implements ClientLoop {
    @Override
    public long nanoTime() {
      return 0;
    }

    @Override
    public boolean inLoop() {
      return true;
    }

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {}

    @Override
    public void connect(Connection connection) {}

    @Override
    public void shutDown() {}

    @Override
    public void awaitEnd() {}
  }

  private static InetAddress address(int last) throws UnknownHostException {
    return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
  }

  private InetAddress find(String host) throws InterruptedException {
    List<InetAddress> found = new ArrayList<>();
    lookups.find(host, (address, failure) -> found.add(address));
    while (found.isEmpty()) {
      tasks.take().run();
    }
    return found.get(0);
  }

  @Test
  void anAddressOfANameIsUsedUntilItFails() throws Exception {
    known.put("oracle", new InetAddress[] {address(1), address(2), address(3)});
    assertEquals(address(1), find("oracle"));
    assertEquals(address(1), find("oracle"));
    known.put("oracle", new InetAddress[] {address(3), address(1), address(2)}); // other order
    assertEquals(address(1), find("oracle"));
    lookups.failed("oracle", address(1));
    assertEquals(address(2), find("oracle"));
    lookups.failed("oracle", address(1)); // of a connection from before
    assertEquals(address(2), find("oracle"));
    lookups.failed("oracle", address(2));
    assertEquals(address(3), find("oracle"));
    known.put("oracle", new InetAddress[] {address(4)}); // moved
    assertEquals(address(4), find("oracle"));
  }

  @Test
  void anUnknownNameIsLookedUpAgain() throws Exception {
    assertNull(find("oracle"));
    known.put("oracle", new InetAddress[] {address(1)});
    assertEquals(address(1), find("oracle"));
  }

  private static ClientSettings settings(Duration connectTimeout, String... addresses) {
    List<InetSocketAddress> parsed = new ArrayList<>();
    for (String address : addresses) {
      parsed.add(Addresses.parse(address));
    }
    long second = Duration.ofSeconds(1).toNanos();
    return new ClientSettings(
        parsed,
        "lookups",
        Handshake.Mode.ORACLE,
        1,
        16,
        30 * second,
        connectTimeout.toNanos(),
        1_000_000,
        1_000_000,
        second,
        1,
        null,
        null);
  }

  /** The name server of one member is as dead as that member. */
  @Test
  void aNameThatIsLookedUpForLongDelaysNobody() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      ClientSettings settings =
          settings(Duration.ofSeconds(20), "hangs:1", "good:" + server.getLocalPort());
      NettyLoop netty =
          new NettyLoop(
              settings,
              host -> {
                if (host.equals("hangs")) {
                  awaitQuietly(over);
                }
                return new InetAddress[] {InetAddress.getLoopbackAddress()};
              });
      try (OracleClient client = new RemoteOracleClient(settings, netty)) {
        CompletableFuture<TransactionHandle> begin = client.beginAsync();
        try (Socket accepted = server.accept()) {
          assertNotNull(accepted);
        }
        assertFalse(begin.isDone());
      }
    } finally {
      over.countDown();
    }
  }

  /** The attempt ends in time, and the same name is not looked up by more than one thread. */
  @Test
  void aNameThatIsNeverFoundIsOneThreadAndAnAnswerAboutIt() throws Exception {
    CountDownLatch over = new CountDownLatch(1);
    List<Thread> threads = new ArrayList<>();
    ClientSettings settings = settings(Duration.ofMillis(1), "hangs:1");
    ClientSettings hasty =
        new ClientSettings(
            settings.addresses(),
            settings.name(),
            settings.mode(),
            1,
            16,
            Duration.ofSeconds(2).toNanos(),
            settings.connectTimeoutNanos(),
            settings.backoffMinNanos(),
            settings.backoffMaxNanos(),
            settings.pingNanos(),
            1,
            null,
            null);
    NettyLoop netty =
        new NettyLoop(
            hasty,
            host -> {
              synchronized (threads) {
                threads.add(Thread.currentThread());
              }
              awaitQuietly(over);
              throw new UnknownHostException(host);
            });
    try (OracleClient client = new RemoteOracleClient(hasty, netty)) {
      ExecutionException failure =
          assertThrows(ExecutionException.class, () -> client.beginAsync().get());
      OracleException unavailable = (OracleException) failure.getCause();
      assertEquals(OracleException.Category.UNAVAILABLE, unavailable.category());
      assertTrue(unavailable.getMessage().contains("no name server answered"), failure::toString);
      assertEquals(1, threads.size());
    } finally {
      over.countDown();
    }
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
