package io.retso.hbase.coprocessor.write;

import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.coprocessor.region.RegionMarks;
import io.retso.hbase.coprocessor.region.RegionOutcomes;
import io.retso.hbase.layout.CellVersion;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.RawVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;

/**
 * Turns a cleanup request into what it asks for; docs/protocol.md, "Cleanup of one row".
 *
 * <p>The request is a put of the mark. Its cells are replaced, inside of the batch, by
 *
 * <pre>
 *   family f   column q   version Tc + 1   put      value        only if the transaction committed
 *              column q   version Ts       delete
 *   ...        for each cell with version Ts
 *   family !pw column Ts  version Ts       delete
 * </pre>
 *
 * <p>and by nothing if the mark is not there. All of them go into one edit of the WAL and become
 * visible at once. Deletes name single versions of single columns, and so sort behind the newest
 * version of their column: a reader that has found that one does not come across them.
 *
 * <p>The caller holds the latch of the row for this transaction ({@link RowLatches}): what is read
 * here is all there is, and stays so until the batch is over.
 *
 * <p><em>Hidden cells are deleted, too</em>: those of version Ts that an older delete marker hides
 * from readers; docs/protocol.md, "What a delete marker hides is deleted, too".
 *
 * <p>Why it is enough: a mark is removed here only, and by an edit that deletes each cell of its
 * version which the row physically has. So of every such cell without a mark the store has a marker
 * with a higher sequence number. Memory is flushed in the order of edits: wherever the cell is, in
 * memory or in a file, that marker is in the same place or a later one. A marker that is dropped
 * from a flush or compaction has no such cell in another file, or all files are being compacted;
 * and cells in memory are younger than all markers in files.
 *
 * <p>Hidden cells are never moved. What hides them is a cleanup, which has moved what was to be
 * moved, or a plain writer's delete.
 *
 * <p>A flush may move what is read here, at any time until the batch is applied ({@link
 * io.retso.hbase.coprocessor.region.RegionOutcomes}). It does no harm: it moves it to the same
 * place, or drops the same cells. If they were read before, they are put there once more, and what
 * is deleted is not there; if they were missed, the mark goes, and all is done. Thread-safe.
 */
public final class RowCleaner {
  private static final byte[] FAMILY = PendingWrite.family();

  private final Region region;

  /** Those of the data. */
  private final byte[][] families;

  private final RegionMarks marks;
  private final RegionOutcomes outcomes;
  private final ObserverMetrics metrics;

  public RowCleaner(
      Region region, RegionMarks marks, RegionOutcomes outcomes, ObserverMetrics metrics) {
    this.region = region;
    this.marks = marks;
    this.outcomes = outcomes;
    this.families =
        region.getTableDescriptor().getColumnFamilyNames().stream()
            .filter(family -> !PendingWrite.isFamily(family))
            .toArray(byte[][]::new);
    this.metrics = metrics;
  }

  /**
   * What a row has of a transaction that left its mark there. To be used once.
   *
   * @param visible copies of all cells at version Ts that readers see, but for the mark; null if
   *     nothing was known of a commit, so that they are not needed
   * @param all the same with those that are hidden by delete markers
   * @param hasCell whether a cell for the mark was found
   */
  record Written(List<KeyValue> visible, List<KeyValue> all, boolean hasCell) {
    /** Whether all is known that it takes to carry an outcome out. */
    boolean suffices(long outcome) {
      return !Outcome.isCommitted(outcome) || visible != null;
    }
  }

  /**
   * Replaces the cells of {@code mutation}.
   *
   * @param outcome by which its cells are moved or removed, whatever the request says
   * @param written what the row has; null if there is no mark
   */
  void cleanUp(Mutation mutation, CleanupRequest request, long outcome, Written written) {
    Map<byte[], List<Cell>> changes = mutation.getFamilyCellMap();
    changes.clear();
    if (written == null) {
      return;
    }
    assert written.suffices(outcome) : request;
    for (KeyValue cell : written.all) {
      assert RawVersion.isCell(cell, request.start()) : cell;
      add(changes, deleteOf(cell));
    }
    if (Outcome.isCommitted(outcome)) {
      for (KeyValue cell : written.visible) {
        assert cell.getTimestamp() == request.start() : "used twice: " + cell;
        cell.setTimestamp(CellVersion.committed(outcome)); // a copy
        cell.setSequenceId(0);
        add(changes, cell);
      }
    }
    add(changes, PendingWrite.deleteOf(request.row(), request.start()));
    metrics.cleanedRows.increment();
  }

  private static void add(Map<byte[], List<Cell>> changes, KeyValue cell) {
    changes.computeIfAbsent(CellUtil.cloneFamily(cell), name -> new ArrayList<>(2)).add(cell);
  }

  /** What a row has; null if there is no mark. */
  Written read(CleanupRequest request) throws IOException {
    byte[] row = request.row();
    long start = request.start();
    boolean isInMemory = marks.writers().find(row, start) != null; // before the read
    Get mark = new Get(row).setTimestamp(start);
    boolean hasCell = !read(mark.addColumn(FAMILY, PendingWrite.qualifier(start))).isEmpty();
    if (!hasCell && !isInMemory) {
      return null;
    }
    Get visible = new Get(row).setTimestamp(start);
    Get all = RawVersion.get(row, start).setTimeRange(0, Long.MAX_VALUE);
    all.setFilter(new VersionFilter(start));
    for (byte[] family : families) {
      visible.addFamily(family);
      all.addFamily(family);
    }
    List<KeyValue> found = read(all);
    found.removeIf(cell -> !RawVersion.isCell(cell, start));
    boolean mayMove = request.isCommitted() || Outcome.isCommitted(outcomes.outcomeOf(start));
    return new Written(mayMove ? read(visible) : null, found, hasCell);
  }

  /** Copies of the cells: the scanner gives their memory back. */
  private List<KeyValue> read(Get get) throws IOException {
    List<Cell> cells = new ArrayList<>();
    try (RegionScanner scanner = region.getScanner(new Scan(get))) {
      scanner.next(cells);
      List<KeyValue> copies = new ArrayList<>(cells.size());
      cells.forEach(cell -> copies.add(KeyValueUtil.copyToNewKeyValue(cell)));
      return copies;
    }
  }

  /** Its visibility labels: HBase deletes what has the same ones. */
  private static List<Tag> labelsOf(KeyValue cell) {
    if (cell.getTagsLength() == 0) {
      return List.of();
    }
    List<Tag> labels = new ArrayList<>();
    for (Iterator<Tag> tags = cell.getTags(); tags.hasNext(); ) {
      Tag tag = tags.next();
      if (tag.getType() == TagType.VISIBILITY_TAG_TYPE
          || tag.getType() == TagType.VISIBILITY_EXP_SERIALIZATION_FORMAT_TAG_TYPE) {
        labels.add(tag);
      }
    }
    return labels;
  }

  private static KeyValue deleteOf(KeyValue cell) {
    return new KeyValue(
        cell.getRowArray(),
        cell.getRowOffset(),
        cell.getRowLength(),
        cell.getFamilyArray(),
        cell.getFamilyOffset(),
        cell.getFamilyLength(),
        cell.getQualifierArray(),
        cell.getQualifierOffset(),
        cell.getQualifierLength(),
        cell.getTimestamp(),
        KeyValue.Type.Delete,
        null,
        0,
        0,
        labelsOf(cell));
  }
}
