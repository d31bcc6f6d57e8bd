package io.retso.hbase.layout;

import io.retso.protocol.Timestamps;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The PendingWrite marks of a row (section 2.2 of the ReTSO paper, field "PendingWrite" of a row).
 *
 * <pre>
 *   row | family !pw | qualifier Ts, 8 bytes big-endian | version Ts | number of the batch, 4 bytes
 * </pre>
 *
 * <p>Qualifiers sort like the start timestamps, which are positive. The family sorts before those
 * of the application, so that the marks come first in a row.
 */
public final class PendingWrite {
  private static final byte[] FAMILY = Bytes.toBytes("!pw");
  private static final int SENT_BYTES = Integer.BYTES + Long.BYTES;

  private PendingWrite() {}

  /** The family of the marks; a copy of the caller's own. */
  public static byte[] family() {
    return FAMILY.clone();
  }

  /**
   * How a prepared table keeps marks: in memory, one version, for ever; and a mark that is put
   * after a delete of its version is there, as only {@code NEW_VERSION_BEHAVIOR} has it: a client
   * that does not know that it was aborted and cleaned up must not write cells without a mark.
   */
  public static ColumnFamilyDescriptor familyDescriptor() {
    return required(ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)).build();
  }

  private static ColumnFamilyDescriptorBuilder required(ColumnFamilyDescriptorBuilder family) {
    return FamilySettings.withoutDrops(family, family.build())
        .setMaxVersions(1)
        .setMinVersions(0)
        .setTimeToLive(HConstants.FOREVER)
        .setKeepDeletedCells(KeepDeletedCells.FALSE)
        .setInMemory(true)
        .setNewVersionBehavior(true);
  }

  /**
   * The family of the marks as a table is to have it. If it has one, only what {@link
   * #familyDescriptor} requires is set; what an operator chose for it stays. A new one is encrypted
   * if any family of the data is, as marks repeat the row keys: with their key if they share one,
   * otherwise with keys that HBase makes up for each file.
   *
   * @param scope of replication, that of the data
   * @throws IllegalArgumentException if there are no marks yet, and the data is encrypted in
   *     several ways
   */
  public static ColumnFamilyDescriptor familyFor(TableDescriptor table, int scope) {
    ColumnFamilyDescriptor existing = table.getColumnFamily(FAMILY);
    if (existing != null) {
      return required(ColumnFamilyDescriptorBuilder.newBuilder(existing)).setScope(scope).build();
    }
    List<ColumnFamilyDescriptor> encrypted =
        Arrays.stream(table.getColumnFamilies())
            .filter(family -> family.getEncryptionType() != null)
            .toList();
    ColumnFamilyDescriptorBuilder marks =
        ColumnFamilyDescriptorBuilder.newBuilder(familyDescriptor()).setScope(scope);
    if (!encrypted.isEmpty()) {
      String cipher = encrypted.get(0).getEncryptionType();
      byte[] key = encrypted.get(0).getEncryptionKey();
      if (encrypted.stream().anyMatch(family -> !cipher.equals(family.getEncryptionType()))) {
        throw new IllegalArgumentException(
            "its families are encrypted in several ways, so the one for the marks, !pw, which"
                + " repeat row keys, is not known: set the same ENCRYPTION for all families");
      }
      marks.setEncryptionType(cipher);
      if (encrypted.stream().allMatch(family -> Arrays.equals(key, family.getEncryptionKey()))) {
        marks.setEncryptionKey(key);
      }
    }
    return marks.build();
  }

  public static boolean isFamily(byte[] family) {
    return Bytes.equals(family, FAMILY);
  }

  /**
   * The column of a transaction's marks.
   *
   * @throws IllegalArgumentException if {@code start} does not have the form of a timestamp
   */
  public static byte[] qualifier(long start) {
    return Bytes.toBytes(CellVersion.checkTimestamp(start));
  }

  /**
   * Adds the mark of the transaction that started at {@code start}; its cells in {@code put} must
   * have that version. Returns {@code put}.
   *
   * @param batch number of the batch of writes, growing within the transaction: a cleaner without a
   *     coprocessor sees by it whether the row was written between its read and its mutation
   */
  public static Put mark(Put put, long start, int batch) {
    return put.addColumn(FAMILY, qualifier(start), start, Bytes.toBytes(batch));
  }

  /** Adds the mark of a transaction's first batch. */
  public static Put mark(Put put, long start) {
    return mark(put, start, 1);
  }

  /**
   * This cell on its way to a region that compares fingerprints, behind the number of the batch.
   * The region keeps the mark without it ({@link #stored}).
   *
   * @param fingerprint of the settings by which it is written, {@link TableSettings#fingerprint}
   */
  public static Put mark(Put put, long start, int batch, long fingerprint) {
    byte[] value = new byte[SENT_BYTES];
    Bytes.putInt(value, 0, batch);
    Bytes.putLong(value, Integer.BYTES, fingerprint);
    return put.addColumn(FAMILY, qualifier(start), start, value);
  }

  /** The fingerprint in a mark that was sent; 0 if it has none, as those of copies of the log. */
  static long fingerprintOf(Cell mark) {
    return mark.getValueLength() == SENT_BYTES
        ? Bytes.toLong(mark.getValueArray(), mark.getValueOffset() + Integer.BYTES)
        : 0;
  }

  /**
   * A copy of a mark as it is in tables and logs: it may be copied into a table of another one. It
   * has no tags: rights and labels of the cells that were written with it do not hide the mark from
   * cleanups and sweeps.
   */
  public static KeyValue stored(Cell mark) {
    byte[] value = CellUtil.cloneValue(mark);
    return new KeyValue(
        CellUtil.cloneRow(mark),
        FAMILY,
        CellUtil.cloneQualifier(mark),
        mark.getTimestamp(),
        KeyValue.Type.Put,
        value.length == SENT_BYTES ? Arrays.copyOf(value, Integer.BYTES) : value);
  }

  /** The mark of the transaction that started at {@code start}, without the number of a batch. */
  public static KeyValue markOf(byte[] row, long start) {
    return new KeyValue(row, FAMILY, qualifier(start), start, KeyValue.Type.Put);
  }

  /** What deletes the mark of the transaction that started at {@code start}. */
  public static KeyValue deleteOf(byte[] row, long start) {
    return new KeyValue(row, FAMILY, qualifier(start), start, KeyValue.Type.Delete);
  }

  public static boolean isMark(Cell cell) {
    return CellUtil.matchingFamily(cell, FAMILY);
  }

  /**
   * Whether a cell of the family is the mark of a transaction. Plain HBase lets every client put
   * cells there that are none; they belong to no transaction and say nothing.
   */
  public static boolean isWellFormed(Cell cell) {
    long version = cell.getTimestamp();
    return Timestamps.isWellFormed(version)
        && CellUtil.matchingQualifier(cell, Bytes.toBytes(version));
  }

  /** The start timestamp of the transaction that wrote the {@link #isWellFormed} mark. */
  public static long startOf(Cell cell) {
    // The version says the same as the qualifier, and needs no decoding.
    return cell.getTimestamp();
  }

  /**
   * The start timestamp of the transaction that {@code mutation} writes for, or 0: only puts of
   * transactions carry a mark.
   *
   * @throws IllegalArgumentException if it has marks of several transactions, or writes what is no
   *     mark into their family
   */
  public static long startOf(Mutation mutation) {
    Cell mark = markOf(mutation);
    return mark == null ? 0 : startOf(mark);
  }

  /** The number of the batch of a transaction's write; 0 if its mark has none. */
  public static int batchOf(Mutation write) {
    Cell mark = markOf(write);
    return mark.getValueLength() >= Integer.BYTES
        ? Bytes.toInt(mark.getValueArray(), mark.getValueOffset())
        : 0;
  }

  /** The cell of the family in a mutation that puts one there, or null. */
  static Cell cellOf(Mutation mutation) {
    List<Cell> cells = mutation.getFamilyCellMap().get(FAMILY);
    return cells == null || cells.isEmpty() || mutation instanceof Delete ? null : cells.get(0);
  }

  /** The mark in {@code mutation}, or null; fails like {@link #startOf(Mutation)}. */
  static Cell markOf(Mutation mutation) {
    List<Cell> marks = mutation.getFamilyCellMap().get(FAMILY);
    if (marks == null || marks.isEmpty() || mutation instanceof Delete) {
      return null;
    }
    if (marks.size() > 1) {
      throw new IllegalArgumentException(
          "a put with "
              + marks.size()
              + " PendingWrite marks: write for one transaction at a time");
    }
    Cell mark = marks.get(0);
    if (!(mutation instanceof Put) || !isWellFormed(mark)) {
      throw new IllegalArgumentException(
          "not a PendingWrite mark: "
              + mark
              + "; family !pw is for puts of transactions, with the start timestamp as version and"
              + " as qualifier");
    }
    return mark;
  }
}
