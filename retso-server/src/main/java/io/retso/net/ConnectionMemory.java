package io.retso.net;

import io.netty.util.internal.PlatformDependent;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Bounds the memory of all connections together: parts of frames that were read, and replies that
 * their clients do not read. Each connection has bounds of its own, but a thousand times a megabyte
 * is more than the server has, and without memory it ends. Beyond the bound connections of the host
 * that holds most are closed, the largest first, so that others do not notice.
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

  /** Closes connections as long as all together hold too much. */
  void look() {
    while (held() > bytesMax) {
      largestOf(largestHost()).shed();
    }
  }

  long held() {
    long bytes = 0;
    for (Connection each : connections.get()) {
      bytes += each.heldBytes();
    }
    return bytes;
  }

  private InetAddress largestHost() {
    Map<InetAddress, Long> held = new HashMap<>();
    connections.get().forEach(each -> held.merge(each.host(), each.heldBytes(), Long::sum));
    return held.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
  }

  private Connection largestOf(InetAddress host) {
    Connection largest = null;
    for (Connection each : connections.get()) {
      boolean larger = largest == null || each.heldBytes() > largest.heldBytes();
      largest = host.equals(each.host()) && larger ? each : largest;
    }
    return largest;
  }
}
