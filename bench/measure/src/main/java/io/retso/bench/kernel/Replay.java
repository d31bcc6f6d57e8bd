package io.retso.bench.kernel;

import io.retso.bench.load.RowSource;
import io.retso.log.LogEntry;
import io.retso.log.LogException;
import io.retso.machine.Machine;
import io.retso.oracle.Changes;
import io.retso.oracle.ForwardedChanges;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Timestamps;
import io.retso.sequencer.Recovery;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** A log in memory, as a durable server under load writes it, and its replay. */
final class Replay {
  private static final int ENTRY_BYTES_ENOUGH = 512 * 1024;
  private static final int SPARE_BYTES = 64 * 1024;

  private final LogEntry entry = new LogEntry(ENTRY_BYTES_ENOUGH + SPARE_BYTES);
  private final List<ByteBuffer> entries = new ArrayList<>();

  /** What a replay took, in processor time. */
  record Result(long transactions, long bytes, long nanos) {
    double perSecond() {
      return transactions * 1e9 / nanos;
    }
  }

  /** Writes a log of so many transactions. */
  static Replay log(long transactions, long tableRows, long seed, int windowTimestamps) {
    Replay log = new Replay();
    StatusOracle oracle = new StatusOracle(1_000_000, windowTimestamps, 1_000, log.new Recorder());
    oracle.replay().start(Timestamps.GAP);
    log.entry.segment(Timestamps.GAP);
    log.entry.continued();
    Transactions load = new Transactions(oracle, new RowSource(seed, tableRows), 1000);
    load.run(transactions);
    log.close();
    return log;
  }

  /** Closes an entry of about the size of a busy server's entries. */
  private final class Recorder extends ForwardedChanges {
    @Override
    protected Changes target() {
      return entry;
    }

    @Override
    public void committed(long start, long commit, long[] rows, int from, int to) {
      super.committed(start, commit, rows, from, to);
      if (entry.bytes() >= ENTRY_BYTES_ENOUGH) {
        close();
      }
    }
  }

  private void close() {
    ByteBuffer sealed = entry.seal(entries.size() + 1L);
    ByteBuffer copy = ByteBuffer.allocateDirect(sealed.remaining());
    copy.put(sealed).flip();
    entries.add(copy);
    entry.clear();
  }

  /** Replays the log into an empty oracle. */
  Result replay(StatusOracle oracle) throws LogException {
    Recovery recovery = new Recovery(oracle);
    long begin = Machine.threadCpuNanos();
    for (ByteBuffer one : entries) {
      recovery.entry(one.duplicate());
    }
    recovery.finish(Timestamps.GAP);
    return new Result(recovery.transactions(), recovery.bytes(), Machine.threadCpuNanos() - begin);
  }
}
