package io.retso.hbase.options;

import org.apache.yetus.audience.InterfaceAudience;

/**
 * Which snapshot a read-only transaction reads that is serializable. Its place in the serial order
 * is the timestamp of that snapshot ({@code readTimestamp}): behind all that it can see.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public enum ReadSnapshot {
  /**
   * The first safe one that the oracle issues after the transaction began to read, for which it
   * waits some 10 ms. It contains all that was committed before. Nothing is tracked, and no
   * transaction is refused for it. The default.
   */
  DEFERRED,
  /**
   * The last one that the oracle issued as safe, some 20 ms old at most, without a wait: it may
   * lack what was committed in these moments, by the same application, too. Nothing is tracked, and
   * no transaction is refused for it.
   */
  RECENT,
  /**
   * Its own, at once. It contains all that was committed before. What is read is tracked, and
   * certified at the end, so it may be refused; only {@code read} and {@code readAsync} can say so.
   */
  LATEST
}
