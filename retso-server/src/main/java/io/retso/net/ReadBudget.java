package io.retso.net;

import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Bounds the bytes that a turn of the loop reads, over all connections: copying them out of the
 * sockets is work that no frame pays for. While the budget lasts, a connection is read in large
 * pieces; then each that is readable gets one small piece, so that a client that sends little waits
 * for no other.
 *
 * <p>Of the event loop.
 */
final class ReadBudget extends DefaultMaxMessagesRecvByteBufAllocator {
  /** Large pieces: a thousand transactions of the usual size are one. */
  static final int PIECE_BYTES = 128 * 1024;

  /** Small pieces, when the budget is used up. */
  static final int PIECE_BYTES_MIN = 4 * 1024;

  /** Large pieces of one connection in a turn. */
  static final int PIECES = 4;

  /** Bytes of a turn; some half a millisecond. */
  static final int TURN_BYTES = 2 * 1024 * 1024;

  private int left = TURN_BYTES;

  ReadBudget() {
    super(PIECES);
  }

  /** A turn begins. */
  void newTurn() {
    left = TURN_BYTES;
  }

  @Override
  public ExtendedHandle newHandle() {
    return new MaxMessageHandle() {
      @Override
      public int guess() {
        return Math.max(PIECE_BYTES_MIN, Math.min(PIECE_BYTES, left));
      }

      @Override
      public void lastBytesRead(int bytes) {
        left -= Math.max(0, bytes);
        super.lastBytesRead(bytes);
      }

      @Override
      public boolean continueReading(UncheckedBooleanSupplier mayHaveMore) {
        return left > 0 && super.continueReading(mayHaveMore);
      }
    };
  }
}
