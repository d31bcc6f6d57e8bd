package io.retso.net;

import io.netty.util.internal.PlatformDependent;
import java.net.InetAddress;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Bounds the memory of all connections together: parts of frames that were read, and replies that
 * their clients do not read. Each connection has bounds of its own, but a thousand times a megabyte
 * is more than the server has, and without memory it ends.
 *
 * <p>Above half of the bound a host that holds more than its part of that is read from on one
 * connection only, the one that holds most: so its frames are completed one after the other, and it
 * waits for no other. Beyond the bound, which takes many hosts or much at once, connections of the
 * host that holds most are closed, the largest first. Others do not notice.
 *
 * <p>Looks ten times a second and after each {@value #LOOKS_PER_BOUND}th of the bound that was
 * received or answered. Of the event loop.
 */
final class ConnectionMemory {
  /** Bytes that connections hold together, unless that is a quarter of all direct memory. */
  static final long BYTES_MAX = 128L << 20;

  private static final int PART_OF_MEMORY = 4;
  private static final int LOOKS_PER_BOUND = 8;

  private final Supplier<Iterable<Connection>> connections;
  private final Executor loop;

  /** A test makes it smaller. */
  long bytesMax = Math.min(BYTES_MAX, PlatformDependent.maxDirectMemory() / PART_OF_MEMORY);

  private long moved;

  /**
   * Makes it for a server's connections.
   *
   * @param loop runs a task when what is being done is done
   */
  ConnectionMemory(Supplier<Iterable<Connection>> connections, Executor loop) {
    this.connections = connections;
    this.loop = loop;
  }

  /** So many bytes came from a client, or are to leave to it. */
  void moved(int bytes) {
    moved += bytes;
    if (moved >= bytesMax / LOOKS_PER_BOUND) {
      moved = 0;
      loop.execute(this::look);
    }
  }

  /** What the connections of a host hold together, and the one of them that holds most. */
  private static final class Host {
    long bytes;
    Connection largest;

    void add(Connection connection) {
      bytes += connection.heldBytes();
      boolean larger = largest == null || connection.heldBytes() > largest.heldBytes();
      largest = larger ? connection : largest;
    }
  }

  /** Closes connections as long as all together hold too much, and slows the others down. */
  void look() {
    while (held() > bytesMax) {
      Collections.max(hosts().values(), Comparator.comparingLong(host -> host.bytes))
          .largest
          .shed();
    }
    Map<InetAddress, Host> hosts = held() > bytesMax / 2 ? hosts() : Map.of();
    for (Connection each : connections.get()) {
      Host host = hosts.get(each.host());
      boolean holdsMuch = host != null && host.bytes > bytesMax / 2 / hosts.size();
      each.pause(holdsMuch && each != host.largest);
    }
  }

  long held() {
    long bytes = 0;
    for (Connection each : connections.get()) {
      bytes += each.heldBytes();
    }
    return bytes;
  }

  private Map<InetAddress, Host> hosts() {
    Map<InetAddress, Host> hosts = new HashMap<>();
    connections
        .get()
        .forEach(each -> hosts.computeIfAbsent(each.host(), h -> new Host()).add(each));
    return hosts;
  }
}
