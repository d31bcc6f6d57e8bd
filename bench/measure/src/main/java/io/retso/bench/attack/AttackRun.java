package io.retso.bench.attack;

import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.retso.bench.load.Crowd;
import io.retso.protocol.Frames;
import io.retso.protocol.Limits;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An attack under way, from a loopback address that is not that of the good client: the server
 * knows clients by their address. Thread-safe.
 */
final class AttackRun extends Crowd {
  private final Attack attack;
  private final AtomicLong answered = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong seeds = new AtomicLong();

  /**
   * Begins an attack.
   *
   * @param host an address of this machine, such as 127.0.0.2
   */
  AttackRun(Attack attack, InetSocketAddress server, String host) {
    super("attack", server, host);
    this.attack = attack;
    open(attack.connections());
  }

  @Override
  protected void prepare(SocketChannel channel) {
    channel
        .pipeline()
        .addLast(
            new LengthFieldBasedFrameDecoder(
                Frames.LENGTH_BYTES + Limits.FRAME_BYTES_MAX, 0, Frames.LENGTH_BYTES))
        .addLast(new Attacker(attack, this, seeds.incrementAndGet()));
  }

  /** So many requests were answered. */
  void answered(int requests) {
    answered.addAndGet(requests);
  }

  /** So many requests, or connections, were refused by name. */
  void refused(int requests) {
    refused.addAndGet(requests);
  }

  /** Requests answered so far. */
  long answered() {
    return answered.get();
  }

  /** Requests and connections refused so far. */
  long refused() {
    return refused.get();
  }
}
