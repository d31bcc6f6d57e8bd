package io.retso.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;

/** The tickets of the servers that tests make up: each is told by its start timestamp. */
public final class TestTickets {
  private TestTickets() {}

  /** The ticket of a transaction: a number that no other has, and no start timestamp. */
  public static long of(long start) {
    return ~(start * 0x9e3779b97f4a7c15L);
  }

  /** What the client holds that began the transaction. */
  public static TransactionHandle handle(long start) {
    return TransactionHandle.of(start, of(start));
  }

  /** Fails unless each request of a checked frame that only an owner may make has its ticket. */
  public static void check(ByteBuf frame) {
    FrameType type = Frames.requestType(frame, 0);
    switch (type) {
      case COMMIT, COMMIT_READS, ABORT, CLEANED, SWEPT -> {
        int at = Frames.HEADER_BYTES;
        for (int i = Frames.count(frame, 0); i > 0; i--) {
          long start = frame.getLong(at);
          assertEquals(of(start), frame.getLong(at + Long.BYTES), () -> type + " of " + start);
          at += Frames.ownedBytes(type, frame, at);
        }
      }
      default -> {} // a matter of roles alone
    }
  }
}
