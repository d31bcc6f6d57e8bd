package io.retso.hbase.options;

/**
 * Which snapshot a read-only transaction reads that is serializable. Its place in the serial order
 * is the timestamp of that snapshot ({@code readTimestamp}): behind all that it can see.
 */
public enum ReadSnapshot {
  /**
   * One that the oracle issued as safe, some 20 ms old at most: it may lack what was committed in
   * these moments, by the same application, too. Nothing is tracked, and nobody is refused.
   */
  RECENT,
  /**
   * The first safe one that is issued after it began to read, for which it waits some 10 ms. It
   * contains all that was committed before. Nothing is tracked, and nobody is refused.
   */
  DEFERRED,
  /**
   * Its own, at once. It contains all that was committed before. What is read is tracked, and
   * certified at the end, so it may be refused; only {@code read} and {@code readAsync} can say so.
   */
  LATEST
}
