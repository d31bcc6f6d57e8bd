package io.retso.log;

import java.nio.ByteBuffer;
import java.util.Objects;

/** A log that never begins another segment: a test says what becomes of its entries. */
public final class OneSegmentLog implements CommitLog {
  /** Gets an entry, which is valid until it is durable. */
  public interface Appender {
    void append(long position, ByteBuffer entry);
  }

  private final Appender appender;

  public OneSegmentLog(Appender appender) {
    this.appender = Objects.requireNonNull(appender);
  }

  @Override
  public void append(long position, ByteBuffer entry) {
    appender.append(position, entry);
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
