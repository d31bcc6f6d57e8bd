package io.retso.log;

import java.nio.ByteBuffer;

/**
 * The log as its one writer sees it. Appends are asynchronous and become durable in their order.
 *
 * <p>All methods are called by the writer's thread, and the {@link Listener} is called on it.
 */
public interface CommitLog extends AutoCloseable {
  /** Hears of the log's progress, on the writer's thread. */
  interface Listener {
    /** Every append up to and including {@code position} is durable. */
    void durable(long position);

    /** The log is over. Nothing behind the last durable position may ever be acknowledged. */
    void failed(LogException cause);

    /**
     * An append failed, and what was sent with it and later is in doubt. Nothing may be appended
     * until {@link #resumed}; {@link CommitLog#proceed} is to be called meanwhile. A caller that
     * cannot append again takes it for the log's end.
     */
    default void stalled(LogException cause) {
      failed(cause);
    }

    /**
     * The log goes on: everything up to {@code position} is durable, and nothing behind it. What
     * was appended behind it is to be appended again, with the same positions and bytes, before
     * anything else.
     */
    default void resumed(long position) {}
  }

  /**
   * Appends an entry.
   *
   * @param position one above the position of the append before
   * @param entry a sealed entry; untouched until it is durable
   */
  void append(long position, ByteBuffer entry);

  /** Begins to prepare a new segment in the background; does nothing while that is under way. */
  void prepareSegment();

  /** Whether {@link #startSegment} may be called once no append is outstanding. */
  boolean isSegmentReady();

  /**
   * Directs the following appends to the prepared segment, and lets go of segments that no recovery
   * will need any more. The segment before must hold its complete list of uncleaned commits.
   *
   * @param startTimestamp the next timestamp at this moment
   * @param windowStart the timestamp back to which a recovery from now on must reach
   */
  void startSegment(long startTimestamp, long windowStart);

  /**
   * The segments that are started from now on have this version of {@link LogEntry} at least,
   * whichever the readers of the log understand: they hold what an earlier one cannot say.
   */
  default void require(int version) {}

  /** The version of the entries of the segment that is written. */
  default int version() {
    return LogEntry.newestVersion();
  }

  /** Bytes appended to the ledger that is written. */
  long segmentBytes();

  /** Ledgers that hold the log; those that are being made or deleted do not count. */
  default int ledgers() {
    return 0;
  }

  /**
   * The writer does not know whether it is that still. What was appended behind the last {@link
   * Listener#durable}, or is from now on, is not durable before the log's list of ledgers says so:
   * the log stalls until then.
   *
   * @param why for people
   */
  default void doubt(String why) {}

  /** Time passes; to be called about every 10 ms while the log is stalled. */
  default void proceed() {}

  /** Closes the log. Appends that are outstanding may or may not become durable. */
  @Override
  void close();
}
