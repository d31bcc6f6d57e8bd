package io.retso.log;

import java.nio.ByteBuffer;

/** Finds the timestamp at which a segment starts. */
class Starts extends IgnoringVisitor {
  long start;

  /** The one of the segment that begins with an entry. */
  static long of(ByteBuffer firstEntry) throws LogException {
    Starts starts = new Starts();
    LogEntry.read(firstEntry, new long[0], starts);
    return starts.start;
  }

  @Override
  public void segment(long timestamp) {
    start = timestamp;
  }
}
