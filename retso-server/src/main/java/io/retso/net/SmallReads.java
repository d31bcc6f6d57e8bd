package io.retso.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Puts the few bytes of a read into a buffer of their size, before TLS keeps them until a record is
 * whole. What was read is in a buffer of {@value ReadBudget#PIECE_BYTES} bytes, and {@link
 * ConnectionMemory} does not see what the handler of TLS holds: a thousand clients that send a byte
 * now and then would have all the direct memory.
 */
final class SmallReads extends ChannelInboundHandlerAdapter {
  /** A read that fills less than one of so many parts of its buffer is copied. */
  private static final int PARTS = 8;

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf read = (ByteBuf) message;
    if (read.readableBytes() >= read.capacity() / PARTS) {
      ctx.fireChannelRead(read);
      return;
    }
    ByteBuf small;
    try {
      small = ctx.alloc().ioBuffer(read.readableBytes()).writeBytes(read);
    } finally {
      read.release();
    }
    ctx.fireChannelRead(small);
  }
}
