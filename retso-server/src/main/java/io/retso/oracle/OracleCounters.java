package io.retso.oracle;

/**
 * What the oracle counted. Plain fields, written by the oracle's thread; other threads read copies
 * that this thread published.
 */
public final class OracleCounters {
  /** Start timestamps issued. */
  public long begins;

  /** Transactions committed. */
  public long commits;

  /** Rows of committed transactions. */
  public long rows;

  /** Aborts because a row was committed by a concurrent transaction. */
  public long conflicts;

  /** Aborts because a row may have been: it was evicted from the map. */
  public long evicted;

  /** Commit requests of transactions that had left the window. */
  public long forced;

  /** Aborts by request of the client. */
  public long requested;

  /** Commits refused because too many transactions are not cleaned up. */
  public long refused;

  /** Status queries. */
  public long queries;

  /** Timestamps issued that are no transactions; those that were passed over do not count. */
  public long timestamps;

  /** Cleaned-up requests. */
  public long cleanups;

  /** Sweeps reported. */
  public long sweptReports;

  /** Open transactions aborted because they were older than the time limit. */
  public long expired;

  /** Transactions started and not decided. */
  public long open;

  /** Transactions aborted and not cleaned up. */
  public long halfAborted;

  /** Transactions committed and not cleaned up. */
  public long uncleaned;

  /** The limit of {@link #uncleaned}. */
  public long uncleanedCapacity;

  /** Open transactions that left the window. */
  public long forcedSweeps;

  /** Rows that fit into the map. */
  public long mapCapacity;

  /** Rows in the map. */
  public long mapOccupied;

  /** Rows evicted. */
  public long mapEvictions;

  /** Stamps between now and the newest evicted row. */
  public long mapTmaxLag;

  /** Stamps between now and the window's low end. */
  public long windowLag;

  /** Stamps between now and the low watermark. */
  public long watermarkLag;

  /** Sets the sizes of the state at this moment. */
  void describe(
      CommittedMap map,
      TransactionWindow window,
      UncleanedCommits uncleanedTable,
      long uncleanedCommits,
      long settledBelow) {
    open = window.count(TransactionWindow.OPEN);
    halfAborted = window.count(TransactionWindow.HALF_ABORTED);
    uncleaned = uncleanedCommits;
    uncleanedCapacity = uncleanedTable.capacity();
    forcedSweeps = window.forcedAborts();
    mapCapacity = map.capacity();
    mapOccupied = map.occupied();
    mapEvictions = map.evictions();
    mapTmaxLag = (int) window.next() - map.newestEvicted() & 0xffff_ffffL;
    windowLag = window.next() - window.low();
    watermarkLag = window.next() - settledBelow;
  }

  /** Copies every field of another. */
  public void copyFrom(OracleCounters other) {
    begins = other.begins;
    commits = other.commits;
    rows = other.rows;
    conflicts = other.conflicts;
    evicted = other.evicted;
    forced = other.forced;
    requested = other.requested;
    refused = other.refused;
    queries = other.queries;
    timestamps = other.timestamps;
    cleanups = other.cleanups;
    sweptReports = other.sweptReports;
    expired = other.expired;
    open = other.open;
    halfAborted = other.halfAborted;
    uncleaned = other.uncleaned;
    uncleanedCapacity = other.uncleanedCapacity;
    forcedSweeps = other.forcedSweeps;
    mapCapacity = other.mapCapacity;
    mapOccupied = other.mapOccupied;
    mapEvictions = other.mapEvictions;
    mapTmaxLag = other.mapTmaxLag;
    windowLag = other.windowLag;
    watermarkLag = other.watermarkLag;
  }
}
