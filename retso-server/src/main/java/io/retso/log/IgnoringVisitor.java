package io.retso.log;

import io.retso.oracle.Hold;

/** Passes over all records of an entry; subclasses look at those that they are about. */
public class IgnoringVisitor implements LogEntry.Visitor {
  @Override
  public void committed(long start, long commit, long[] commitRows, int from, int to) {}

  @Override
  public void aborted(long start) {}

  @Override
  public void cleaned(long start) {}

  @Override
  public void swept(long below) {}

  @Override
  public void expired(long below) {}

  @Override
  public void watermark(long below) {}

  @Override
  public void held(Hold hold) {}

  @Override
  public void released(long timestamp) {}

  @Override
  public void reserved(long timestamp) {}

  @Override
  public void segment(long timestamp) {}

  @Override
  public void uncleaned(long start, long commit) {}

  @Override
  public void continued() {}
}
