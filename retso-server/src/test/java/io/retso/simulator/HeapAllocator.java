package io.retso.simulator;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;

/** Buffers on the heap, whatever is asked for: nothing of a simulated world must be released. */
final class HeapAllocator extends AbstractByteBufAllocator {
  static final HeapAllocator INSTANCE = new HeapAllocator();

  @Override
  protected ByteBuf newHeapBuffer(int capacity, int capacityMax) {
    return new UnpooledHeapByteBuf(this, capacity, capacityMax);
  }

  @Override
  protected ByteBuf newDirectBuffer(int capacity, int capacityMax) {
    return newHeapBuffer(capacity, capacityMax);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return false;
  }
}
