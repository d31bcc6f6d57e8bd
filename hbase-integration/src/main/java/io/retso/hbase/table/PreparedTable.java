package io.retso.hbase.table;

import io.retso.client.RowId;
import io.retso.hbase.layout.PendingWrite;
import io.retso.hbase.layout.Refusal;
import io.retso.hbase.layout.SettingsCheck;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Reads;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.AsyncTableRegionLocator;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * A table that holds transactions, as it was when its descriptor was read.
 *
 * @param raw HBase's own table: versions and marks
 * @param shortTimeout the same, whose operations fail after seconds, not minutes, without an
 *     answer: for cleanups that others do if they fail
 * @param regions where its regions are, as HBase's client remembers it
 * @param loadedNanos when the descriptor was read, or tried in vain to be, in nanoseconds of the
 *     clock of {@link TableCatalog}
 * @param fingerprint of the settings, {@link TableSettings#fingerprint}
 * @param outdated whether a region said that it has others
 */
public record PreparedTable(
    TableDescriptor descriptor,
    TableSettings settings,
    AsyncTable<AdvancedScanResultConsumer> raw,
    AsyncTable<AdvancedScanResultConsumer> shortTimeout,
    AsyncTableRegionLocator regions,
    long loadedNanos,
    long fingerprint,
    AtomicBoolean outdated) {
  /** A table whose descriptor was just read. */
  public PreparedTable(
      TableDescriptor descriptor,
      TableSettings settings,
      AsyncTable<AdvancedScanResultConsumer> raw,
      AsyncTable<AdvancedScanResultConsumer> shortTimeout,
      AsyncTableRegionLocator regions,
      long loadedNanos) {
    this(
        descriptor,
        settings,
        raw,
        shortTimeout,
        regions,
        loadedNanos,
        settings.fingerprint(),
        new AtomicBoolean());
  }

  /** This table, as if it had been read then. */
  PreparedTable loadedAt(long nanos) {
    return new PreparedTable(
        descriptor, settings, raw, shortTimeout, regions, nanos, fingerprint, outdated);
  }

  /**
   * Whether it is known that the table has other settings by now: it serves no transaction any
   * more.
   */
  public boolean isOutdated() {
    return outdated.get();
  }

  /** Notes what a failed request to the table says of these settings. */
  public void learnFrom(Throwable failure) {
    if (Refusal.of(failure) == Refusal.TABLE_CHANGED) {
      outdated.set(true);
    }
  }

  /** Adds the mark of a transaction to a put of its cells; see {@link PendingWrite#mark}. */
  public Put mark(Put put, long start, int batch) {
    return isServerReads()
        ? PendingWrite.mark(put, start, batch, fingerprint)
        : SettingsCheck.set(PendingWrite.mark(put, start, batch), fingerprint);
  }

  public TableName name() {
    return descriptor.getTableName();
  }

  public boolean isServerReads() {
    return settings.reads() == Reads.SERVER;
  }

  /** Whether its regions are told how transactions ended, and not each row. */
  public boolean isAdoptedByRegions() {
    return settings.isAdoptedByRegions();
  }

  public boolean isCellConflicts() {
    return settings.conflicts() == Conflicts.CELL;
  }

  public Granules granules() {
    List<Integer> sizes = settings.granules();
    return new Granules(
        name().getName(),
        isCellConflicts(),
        sizes.isEmpty() ? TableSettings.GRANULES_DEFAULT : sizes);
  }

  /** Whether all that write to it name granules; otherwise only serializable transactions do. */
  public boolean hasGranulesOfAll() {
    return !settings.granules().isEmpty();
  }

  /**
   * Whether the conflict ids of what a get looks at are known: its row's, or those of the cells
   * that it names.
   */
  public boolean canName(Get get) {
    return !isCellConflicts() || namesColumns(get);
  }

  /** Whether a get asks for no whole family. */
  public static boolean namesColumns(Get get) {
    return get.hasFamilies()
        && get.getFamilyMap().values().stream()
            .noneMatch(columns -> columns == null || columns.isEmpty());
  }

  /** The conflict ids of what a get looks at that {@link #canName can be named}. */
  public long[] conflictIds(Get get) {
    return isCellConflicts()
        ? get.getFamilyMap().entrySet().stream()
            .flatMapToLong(
                family ->
                    family.getValue().stream()
                        .mapToLong(column -> conflictId(get.getRow(), family.getKey(), column)))
            .toArray()
        : new long[] {RowId.of(name().getName(), get.getRow())};
  }

  /** What a write of the cell protects: its row, or the cell alone. */
  public long conflictId(Cell cell) {
    return isCellConflicts()
        ? conflictId(
            CellUtil.cloneRow(cell), CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell))
        : RowId.of(name().getName(), CellUtil.cloneRow(cell));
  }

  /** What such a write protects; a qualifier that is null is empty, as everywhere in HBase. */
  public long conflictId(byte[] row, byte[] family, byte[] qualifier) {
    byte[] column = qualifier == null ? HConstants.EMPTY_BYTE_ARRAY : qualifier;
    return isCellConflicts()
        ? RowId.of(name().getName(), row, family, column)
        : RowId.of(name().getName(), row);
  }
}
