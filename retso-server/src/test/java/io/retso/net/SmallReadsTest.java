package io.retso.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class SmallReadsTest {
  private static ByteBuf read(int bytes) {
    ByteBuf read = PooledByteBufAllocator.DEFAULT.ioBuffer(ReadBudget.PIECE_BYTES);
    return read.writeZero(bytes);
  }

  @Test
  void aByteIsNotKeptInTheBufferOfALargeRead() {
    EmbeddedChannel channel = new EmbeddedChannel(new SmallReads());
    ByteBuf one = read(1);
    channel.writeInbound(one);
    ByteBuf kept = channel.readInbound();
    assertEquals(1, kept.readableBytes());
    assertTrue(kept.capacity() <= 256, () -> kept.capacity() + " bytes for one");
    assertEquals(0, one.refCnt());
    kept.release();
    channel.finish();
  }

  @Test
  void largeReadsAreNotCopied() {
    EmbeddedChannel channel = new EmbeddedChannel(new SmallReads());
    ByteBuf large = read(ReadBudget.PIECE_BYTES / 8);
    channel.writeInbound(large);
    assertSame(large, channel.readInbound());
    large.release();
    channel.finish();
  }
}
