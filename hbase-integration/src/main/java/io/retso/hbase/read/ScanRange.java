package io.retso.hbase.read;

import io.retso.hbase.table.PreparedTable;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;

/**
 * How much of its range a scan of a serializable transaction has looked at, as far as the
 * application can know: from where it begins up to the last row that the application took, and all
 * of it once the answer was that there are no more rows. What a filter left out is within. Rows
 * that wait to be taken do not count, and so nothing does that lies behind a row at which a limit
 * or the application ended the scan. Thread-safe.
 */
public final class ScanRange {
  /** The range of a transaction whose reads are not certified. */
  public static final ScanRange UNTRACKED = new ScanRange(null, null, new Scan());

  private final ReadSet reads;
  private final PreparedTable table;

  /** The flags; its keys may belong to the application, which may change them. */
  private final Scan scan;

  private final byte[] start;
  private final byte[] stop;

  /** The last row that was taken; null if there was none. Guarded by this, as what follows. */
  private byte[] last;

  private boolean toEnd;

  ScanRange(ReadSet reads, PreparedTable table, Scan scan) {
    this.reads = reads;
    this.table = table;
    this.scan = scan;
    this.start = scan.getStartRow().clone();
    this.stop = scan.getStopRow().clone();
  }

  /** The application is about to get this row. */
  void reached(Result row) {
    if (reads != null) {
      byte[] key = row.getRow().clone(); // the result keeps it for its owner
      synchronized (this) {
        last = key;
      }
    }
  }

  /**
   * The application gets no more rows.
   *
   * @param exhausted whether it is about to learn that there are none
   */
  void ended(boolean exhausted) {
    if (reads != null) {
      synchronized (this) {
        toEnd |= exhausted;
      }
      reads.ended(this);
    }
  }

  /** Adds what was looked at so far. */
  synchronized void addTo(ReadSet set) {
    if (!toEnd && last == null) {
      return;
    }
    byte[] end = toEnd ? stop : last;
    if (scan.isReversed()) {
      set.addRange(table, end, start, scan.includeStartRow());
    } else {
      set.addRange(table, start, end, !toEnd || scan.includeStopRow());
    }
  }
}
