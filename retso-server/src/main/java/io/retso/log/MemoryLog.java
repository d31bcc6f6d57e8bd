package io.retso.log;

import java.nio.ByteBuffer;

/**
 * No log: the paper's WAL-disabled mode (section 4). Everything is acknowledged at once and
 * forgotten with the process.
 */
public final class MemoryLog implements CommitLog {
  private final Listener listener;

  public MemoryLog(Listener listener) {
    this.listener = listener;
  }

  @Override
  public void append(long position, ByteBuffer entry) {
    listener.durable(position);
  }

  @Override
  public void prepareSegment() {}

  @Override
  public boolean isSegmentReady() {
    return false;
  }

  @Override
  public void startSegment(long startTimestamp, long windowStart) {}

  @Override
  public long segmentBytes() {
    return 0;
  }

  @Override
  public void close() {}
}
