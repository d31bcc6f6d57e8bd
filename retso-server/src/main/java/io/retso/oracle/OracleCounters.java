package io.retso.oracle;

import io.retso.oracle.rows.CommittedMap;
import io.retso.protocol.Outcome;

/**
 * What the oracle counted. Plain fields, written by the oracle's thread; other threads read copies
 * that this thread published.
 */
public final class OracleCounters implements Cloneable {
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

  /** Serializable transactions aborted as pivots. */
  public long pivots;

  /** Serializable transactions that only read, aborted. */
  public long readOnlyAborts;

  /** Serializable transactions aborted because the successor of a read was not known. */
  public long unknownSuccessors;

  /** Commit requests of transactions that had left the window. */
  public long outOfWindow;

  /** Aborts by request of the client. */
  public long requested;

  /** Snapshots issued for serializable readers. */
  public long safeSnapshots;

  /** Commits refused because too many are not cleaned up, or their host is above its share. */
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
  public long leftWindow;

  /** Rows that fit into the map. */
  public long mapCapacity;

  /** Rows in the map. */
  public long mapOccupied;

  /** Rows evicted. */
  public long mapEvictions;

  /** Timestamps between now and the newest evicted row. */
  public long mapTmaxLag;

  /** Timestamps between now and the window's low end. */
  public long windowLag;

  /** Timestamps between now and the low watermark. */
  public long watermarkLag;

  /** Snapshots that are held. */
  public long holds;

  /** Timestamps between now and the oldest of them; 0 without any. */
  public long holdLag;

  /** When the oldest was taken, in milliseconds since 1970; 0 without any. */
  public long oldestHoldMillis;

  /** Counts an abort by its outcome. */
  void countRefusal(long outcome) {
    if (outcome == Outcome.ABORTED_CONFLICT) {
      conflicts++;
    } else if (outcome == Outcome.ABORTED_TOO_OLD) {
      evicted++;
    } else if (outcome == Outcome.ABORTED_PIVOT) {
      pivots++;
    } else if (outcome == Outcome.ABORTED_READ_ONLY) {
      readOnlyAborts++;
    } else {
      assert outcome == Outcome.ABORTED_UNKNOWN_SUCCESSOR : Outcome.nameOf(outcome);
      unknownSuccessors++;
    }
  }

  /** Sets the sizes of the state at this moment. */
  void describe(
      CommittedMap map,
      TransactionWindow window,
      UncleanedCommits uncleanedTable,
      long uncleanedCommits,
      long lowWatermark) {
    open = window.count(TransactionWindow.OPEN);
    halfAborted = window.count(TransactionWindow.HALF_ABORTED);
    uncleaned = uncleanedCommits;
    uncleanedCapacity = uncleanedTable.capacity();
    leftWindow = window.forcedAborts();
    mapCapacity = map.capacity();
    mapOccupied = map.occupied();
    mapEvictions = map.evictions();
    mapTmaxLag = (int) window.next() - map.newestEvicted() & 0xffff_ffffL;
    windowLag = window.next() - window.low();
    watermarkLag = window.next() - lowWatermark;
  }

  /** A copy, to be handed to other threads. */
  public OracleCounters copy() {
    try {
      return (OracleCounters) clone();
    } catch (CloneNotSupportedException e) {
      throw new AssertionError(e);
    }
  }
}
