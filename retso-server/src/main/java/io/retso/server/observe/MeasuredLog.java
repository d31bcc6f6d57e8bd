package io.retso.server.observe;

import io.retso.log.CommitLog;
import io.retso.log.LogException;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;

/**
 * Stands between the sequencer and its log, and measures each entry: its size, and how long it took
 * to become durable. Two readings of the clock per entry, none per transaction.
 *
 * <p>Of the writer's thread, like the log itself.
 */
public final class MeasuredLog implements CommitLog {
  /**
   * More entries than are ever outstanding, except at the start of a segment with very many
   * uncleaned commits; then the latency of the first ones is measured too short.
   */
  private static final int ENTRIES = 1024;

  private final CommitLog.Listener listener;
  private final LongSupplier nanoClock;

  /** When each outstanding entry was appended; indexed by position. */
  private final long[] appendedAt = new long[ENTRIES];

  private final Measures measures;
  private CommitLog log;

  /** Invariant: appended - durable entries are outstanding. */
  private long appended;

  private long durable;

  /** What was measured of one log after the other; of the writer's thread. */
  public static final class Measures {
    private final BatchHistogram latencies = BatchHistogram.ofLatencies();
    private final BatchHistogram sizes = BatchHistogram.ofSizes();

    /** Copies it. */
    public void copyInto(Figures figures) {
      figures.appends.copyFrom(latencies);
      figures.entrySizes.copyFrom(sizes);
    }
  }

  /** Makes the meter; {@link #measure} gives it its log. */
  public MeasuredLog(CommitLog.Listener listener, LongSupplier nanoClock, Measures measures) {
    this.listener = listener;
    this.nanoClock = nanoClock;
    this.measures = measures;
  }

  /** What the log must report to. */
  public CommitLog.Listener listener() {
    return new CommitLog.Listener() {
      @Override
      public void durable(long position) {
        measureDurable(position);
        listener.durable(position);
      }

      @Override
      public void failed(LogException cause) {
        listener.failed(cause);
      }

      @Override
      public void stalled(LogException cause) {
        listener.stalled(cause);
      }

      @Override
      public void resumed(long position) {
        measureDurable(position);
        listener.resumed(position);
      }
    };
  }

  /** Sets the log, which was taken over at {@code lastPosition}. */
  public void measure(CommitLog takenLog, long lastPosition) {
    log = takenLog;
    appended = lastPosition;
    durable = lastPosition;
  }

  private void measureDurable(long position) {
    long now = nanoClock.getAsLong();
    for (; durable < position; durable++) {
      measures.latencies.record(now - appendedAt[index(durable + 1)], 1);
    }
  }

  private int index(long position) {
    return (int) position & ENTRIES - 1;
  }

  /** Copies what is outstanding, and the log's size. */
  public void copyInto(Figures figures) {
    figures.ledgers = log.ledgers();
    figures.ledgerBytes = log.segmentBytes();
    figures.outstanding = appended - durable;
    figures.oldestOutstandingNanos =
        appended == durable ? 0 : nanoClock.getAsLong() - appendedAt[index(durable + 1)];
  }

  @Override
  public void append(long position, ByteBuffer entry) {
    if (position > appended) { // otherwise it is appended again
      appendedAt[index(position)] = nanoClock.getAsLong();
      appended = position;
      measures.sizes.record(entry.remaining(), 1);
    }
    log.append(position, entry);
  }

  @Override
  public void require(int version) {
    log.require(version);
  }

  @Override
  public int version() {
    return log.version();
  }

  @Override
  public void prepareSegment() {
    log.prepareSegment();
  }

  @Override
  public boolean isSegmentReady() {
    return log.isSegmentReady();
  }

  @Override
  public void startSegment(long startTimestamp, long windowStart) {
    log.startSegment(startTimestamp, windowStart);
  }

  @Override
  public long segmentBytes() {
    return log.segmentBytes();
  }

  @Override
  public int ledgers() {
    return log.ledgers();
  }

  @Override
  public void doubt(String why) {
    log.doubt(why);
  }

  @Override
  public void proceed() {
    log.proceed();
  }

  @Override
  public void close() {
    log.close();
  }
}
