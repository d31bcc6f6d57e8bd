package io.retso.hbase.table;

import io.retso.client.RowId;
import io.retso.hbase.table.ScanLoad.Certifying;
import io.retso.hbase.table.ScanLoad.Range;
import io.retso.hbase.table.ScanLoad.Row;
import io.retso.hbase.table.ScanLoad.Transaction;
import io.retso.oracle.Changes;
import io.retso.oracle.CommitBatch;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** How transactions with scans may be certified: by granules, or by exact ranges. */
final class ScanRules {
  private static final int TABLES = 4;

  private ScanRules() {}

  /** The oracle, told of granules. */
  static final class ByGranules implements Certifying {
    private final StatusOracle oracle = new StatusOracle(1 << 20, 1 << 16, 1 << 10, Changes.NONE);
    private final CommitBatch batch = new CommitBatch(10_000);
    private final List<Granules> tables = new ArrayList<>();
    private final int coverMax;

    /** Granules of all requests: what scans have read, and what was written. */
    long rangeReads;

    long rangeWrites;

    ByGranules(List<Integer> sizes, int coverMax) {
      this.coverMax = coverMax;
      for (int i = 0; i < TABLES; i++) {
        tables.add(new Granules(new byte[] {(byte) i}, false, sizes));
      }
    }

    private static long id(Row row) {
      return RowId.of(new byte[] {(byte) row.table()}, row.key());
    }

    @Override
    public long begin() {
      return oracle.begin(1);
    }

    @Override
    public long commit(Transaction tx) {
      IdSet writes = new IdSet();
      IdSet granulesWritten = new IdSet();
      List<Row> written = new ArrayList<>(tx.puts);
      written.addAll(tx.deletes);
      for (Row row : written) {
        writes.add(id(row));
        tables.get(row.table()).addAll(row.key(), granulesWritten);
      }
      IdSet reads = new IdSet();
      tx.gets.forEach(row -> reads.add(id(row)));
      IdSet granulesRead = new IdSet();
      for (Range range : tx.ranges) {
        Granules granules = tables.get(range.table());
        granulesRead.add(granules.bulk());
        granulesRead.addAll(granules.cover(range.low(), range.high(), range.withHigh(), coverMax));
      }
      rangeReads += granulesRead.size();
      rangeWrites += granulesWritten.size();
      long[][] lists = {
        writes.toArray(), reads.without(writes), granulesRead.toArray(), granulesWritten.toArray()
      };
      batch.clear();
      int at =
          batch.add(
              tx.start,
              false,
              true,
              lists[0].length,
              0,
              lists[1].length,
              lists[2].length,
              lists[3].length);
      for (long[] list : lists) {
        System.arraycopy(list, 0, batch.rows(), at, list.length);
        at += list.length;
      }
      oracle.commit(batch);
      oracle.cleaned(tx.start);
      return batch.outcome(0);
    }
  }

  /**
   * The oracle's rule with all versions of all rows, and the ranges themselves: what can be had.
   */
  static final class Exactly implements Certifying {
    private record Committed(Transaction tx, long commit, long position) {}

    private final TreeSet<Long> open = new TreeSet<>();
    private final ArrayDeque<Committed> recent = new ArrayDeque<>();
    private long next = Timestamps.GAP;

    @Override
    public long begin() {
      long start = timestamp();
      open.add(start);
      return start;
    }

    private long timestamp() {
      next += Timestamps.GAP;
      return next;
    }

    @Override
    public long commit(Transaction tx) {
      long oldest = open.first();
      recent.removeIf(other -> other.commit < oldest);
      open.remove(tx.start);
      long lowest = Long.MAX_VALUE;
      long highest = tx.start;
      for (Committed other : recent) {
        if (other.commit > tx.start && tx.hasWrittenWhatWasWrittenBy(other.tx)) {
          return Outcome.ABORTED_CONFLICT;
        }
        if (other.commit > tx.start && tx.hasReadWhatWasWrittenBy(other.tx)) {
          lowest = Math.min(lowest, other.position);
        }
        if (other.tx.hasReadWhatWasWrittenBy(tx)) {
          highest = Math.max(highest, other.position);
        }
      }
      long commit = timestamp();
      long position = lowest == Long.MAX_VALUE ? commit : lowest - 1;
      if (tx.isReadOnly()) {
        position = tx.start;
        if (tx.start >= lowest) {
          return Outcome.ABORTED_READ_ONLY;
        }
      } else if (highest >= position) {
        return Outcome.ABORTED_PIVOT;
      }
      recent.add(new Committed(tx, commit, position));
      return commit;
    }
  }
}
