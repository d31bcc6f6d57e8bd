package io.retso.hbase.coprocessor.purge;

import io.retso.hbase.coprocessor.region.Horizon;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.Tombstone;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.regionserver.InternalScanner;

/**
 * What a flush or compaction of a data family writes: the cells of its source without those that no
 * snapshot at or above the horizon H needs.
 *
 * <pre>
 *   column:   [ versions at or above H ]  [ below H, may be pending ]  C  [ everything older ]
 *                     stay                          stay                       go
 * </pre>
 *
 * <p>C, the <em>cover</em>, is the newest version below H that is committed by its own number.
 * Every snapshot at or above H sees C or something newer. An older version X is never seen by it:
 *
 * <ul>
 *   <li>X committed, by a transaction that was cleaned up or a plain writer: C is newer.
 *   <li>X at the start timestamp of a transaction: that is below H, hence decided. If aborted, X is
 *       never seen. If committed, it was cleaned up, and X is a late duplicate of a write, whose
 *       true place is at {@code Tc + 1}, wherever that stands.
 * </ul>
 *
 * <p>What may be pending covers nothing: it may be aborted.
 *
 * <p>If C is a tombstone it goes, too, if everything older goes with it, for ever: the source must
 * contain every committed version below {@code tombstoneHorizon} that the store has or ever will
 * have ({@link Horizon#activeBy}). HBase's own delete markers are left to HBase.
 *
 * <p>Open scanners with an older read point: they may not see C itself if it is younger than they
 * are. If a cleanup put C there, they still see C's version before the cleanup, for HBase keeps
 * what they can see. If a plain writer did, it has no such version; so C must be visible to all
 * scanners.
 *
 * <p>Not thread-safe, like its source.
 */
public final class VersionPurge extends RewritingScanner {
  private final long horizon;
  private final long tombstoneHorizon;
  private final long readPoint;
  private final ObserverMetrics metrics;

  /** The last cell of the call before; null at the start. */
  private Cell last;

  /** Whether the cover of the current column has been met. */
  private boolean covered;

  /**
   * A purge.
   *
   * @param horizon active; 0 purges nothing
   * @param tombstoneHorizon at most {@code horizon}; 0 keeps all tombstones
   * @param readPoint the smallest read point of open scanners
   */
  VersionPurge(
      InternalScanner source,
      long horizon,
      long tombstoneHorizon,
      long readPoint,
      ObserverMetrics metrics) {
    super(source);
    this.horizon = horizon;
    this.tombstoneHorizon = Math.min(horizon, tombstoneHorizon);
    this.readPoint = readPoint;
    this.metrics = metrics;
  }

  @Override
  void rewrite(List<Cell> cells, boolean more, List<Cell> result) {
    Cell previous = last;
    for (Cell cell : cells) {
      if (previous == null
          || !CellUtil.matchingRows(previous, cell)
          || !CellUtil.matchingColumn(previous, cell)) {
        covered = false;
      }
      previous = cell;
      if (isKept(cell)) {
        result.add(cell);
      }
    }
    if (previous != last) {
      last = KeyValueUtil.toNewKeyCell(previous); // its memory may be given back
    }
  }

  private boolean isKept(Cell cell) {
    long version = cell.getTimestamp();
    if (version >= horizon || cell.getType() != Cell.Type.Put) {
      return true;
    }
    if (covered) {
      metrics.purgedVersions.increment();
      return false;
    }
    if (!CellVersion.isCommitted(version) || sequence(cell) > readPoint) {
      return true;
    }
    covered = true;
    assert version < horizon && tombstoneHorizon <= horizon;
    if (version < tombstoneHorizon && Tombstone.is(cell)) {
      metrics.purgedTombstones.increment();
      return false;
    }
    return true;
  }
}
