package io.retso.members;

import io.retso.log.CommitLog;
import io.retso.log.LogEntry;
import io.retso.log.LogException;
import io.retso.log.OneSegmentLog;
import io.retso.sequencer.Recovery;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * A log in memory that one server after the other takes over. What a server appends after it was
 * fenced is dropped, and it is not told: it learns from elsewhere that it was deposed. Thread-safe.
 */
final class SharedLog {
  private final List<byte[]> entries = new ArrayList<>();
  private long epoch;

  /** The writer that does not hear that its entries are kept; 0 if there is none. */
  private long unheard;

  /** The writer before can append no more; returns the epoch of the next one. */
  synchronized long fence() {
    return ++epoch;
  }

  /** From now on the entries of the writer are kept, and it hears of none but empty ones. */
  synchronized void mute() {
    unheard = epoch;
  }

  synchronized long epoch() {
    return epoch;
  }

  synchronized void replay(Recovery recovery) throws LogException {
    for (byte[] entry : entries) {
      recovery.entry(ByteBuffer.wrap(entry));
    }
  }

  /** Returns whether the writer hears that its entry is kept. */
  private synchronized boolean append(long writerEpoch, ByteBuffer entry) {
    if (writerEpoch != epoch) {
      return false;
    }
    byte[] bytes = new byte[entry.remaining()];
    entry.duplicate().get(bytes);
    entries.add(bytes);
    return writerEpoch != unheard || bytes.length == LogEntry.HEADER_BYTES;
  }

  /** The log as the writer of an epoch sees it. */
  CommitLog writer(long writerEpoch, Executor loop, CommitLog.Listener listener) {
    return new OneSegmentLog(
        (position, entry) -> {
          if (append(writerEpoch, entry)) {
            loop.execute(() -> listener.durable(position));
          }
        });
  }
}
