package io.retso.log;

import java.nio.ByteBuffer;

/** Finds the timestamp at which a segment starts. */
class Starts implements LogEntry.Visitor {
  long start;

  /** The one of the segment that begins with an entry. */
  static long of(ByteBuffer firstEntry) throws LogException {
    Starts starts = new Starts();
    LogEntry.read(firstEntry, new long[0], starts);
    return starts.start;
  }

  @Override
  public void committed(long s, long commit, long[] rows, int from, int to) {}

  @Override
  public void aborted(long s) {}

  @Override
  public void cleaned(long s) {}

  @Override
  public void swept(long below) {}

  @Override
  public void expired(long below) {}

  @Override
  public void watermark(long below) {}

  @Override
  public void reserved(long timestamp) {}

  @Override
  public void segment(long timestamp) {
    start = timestamp;
  }

  @Override
  public void uncleaned(long s, long commit) {}

  @Override
  public void continued() {}
}
