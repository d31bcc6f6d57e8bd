package io.retso.bench.jmh;

import io.retso.client.Receipts;
import io.retso.protocol.FrameType;
import io.retso.protocol.Timestamps;
import io.retso.security.ClusterSecret;
import io.retso.security.ReceiptMaker;
import io.retso.security.Tickets;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the proofs cost that a client began a transaction, and that the oracle has decided one, for
 * each; and what HMAC would cost instead.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class TicketsBenchmark {
  private static final int FRAME = 16;

  private final long[] starts = new long[FRAME];
  private final long[] made = new long[FRAME];
  private final boolean[] wrong = new boolean[FRAME];
  private final byte[] block = new byte[2 * Long.BYTES];
  private final byte[] mac = new byte[32];
  private final long[] decided = new long[2 * FRAME];
  private Tickets tickets;
  private ReceiptMaker receipts;
  private Receipts proving;
  private Mac hmac;
  private long first = Timestamps.GAP;

  /** Makes keys, and the tickets of a frame. */
  @Setup
  public void setUp() throws GeneralSecurityException {
    byte[] key = ClusterSecret.random().keys(Tickets.PURPOSE, "bench").get(0);
    tickets = new Tickets(List.of(key));
    receipts = new ReceiptMaker(List.of(key));
    long[] keys = new long[FrameType.KEYS_NUMBERS];
    Arrays.setAll(keys, receipts::key);
    proving = Receipts.of(keys);
    hmac = Mac.getInstance("HmacSHA256");
    hmac.init(new SecretKeySpec(key, "HmacSHA256"));
    for (int i = 0; i < FRAME; i++) {
      starts[i] = first + i * (long) Timestamps.GAP;
      decided[i] = starts[i] + Timestamps.GAP;
    }
    receipts.make(starts, decided, FRAME);
    tickets.make(first, Timestamps.GAP, Tickets.ANYBODY, made, 0, FRAME);
  }

  /** Makes those of a frame. */
  @Benchmark
  @OperationsPerInvocation(FRAME)
  public long makeFrame() {
    first += FRAME * Timestamps.GAP;
    tickets.make(first, Timestamps.GAP, Tickets.ANYBODY, made, 0, FRAME);
    return made[FRAME - 1];
  }

  /** Makes one alone. */
  @Benchmark
  public long makeOne() {
    first += Timestamps.GAP;
    tickets.make(first, Timestamps.GAP, Tickets.ANYBODY, made, 0, 1);
    return made[0];
  }

  /** Checks those of a frame. */
  @Benchmark
  @OperationsPerInvocation(FRAME)
  public int checkFrame() {
    return tickets.check(starts, made, Tickets.ANYBODY, wrong, FRAME);
  }

  /** Checks one alone. */
  @Benchmark
  public int checkOne() {
    return tickets.check(starts, made, Tickets.ANYBODY, wrong, 1);
  }

  /** Makes the receipts of a frame. */
  @Benchmark
  @OperationsPerInvocation(FRAME)
  public long receiptsOfFrame() {
    receipts.make(starts, decided, FRAME);
    return decided[FRAME];
  }

  /** Checks a receipt, as a region does. */
  @Benchmark
  public boolean proveOne() {
    return proving.prove(starts[0], decided[0], decided[FRAME]);
  }

  /** Puts the same text under HMAC-SHA-256: one alone takes as long as each of a frame. */
  @Benchmark
  public long hmacOne() throws GeneralSecurityException {
    first += Timestamps.GAP;
    ByteBuffer.wrap(block).putLong(first).putLong(Tickets.ANYBODY);
    hmac.update(block);
    hmac.doFinal(mac, 0);
    return mac[0];
  }
}
