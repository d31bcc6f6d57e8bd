package io.retso.log;

import java.nio.ByteBuffer;

/**
 * Passes each call on to another log; subclasses do otherwise with some. Of the writer's thread.
 */
public abstract class ForwardedLog implements CommitLog {
  /** Who gets the next call. */
  protected abstract CommitLog target();

  @Override
  public void append(long position, ByteBuffer entry) {
    target().append(position, entry);
  }

  @Override
  public void prepareSegment() {
    target().prepareSegment();
  }

  @Override
  public boolean isSegmentReady() {
    return target().isSegmentReady();
  }

  @Override
  public void startSegment(long startTimestamp, long windowStart) {
    target().startSegment(startTimestamp, windowStart);
  }

  @Override
  public long segmentBytes() {
    return target().segmentBytes();
  }

  @Override
  public void close() {
    target().close();
  }
}
