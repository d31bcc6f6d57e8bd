package io.retso.hbase.layout;

import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The value that means "deleted". A delete is a put of this value, so that older snapshots still
 * see what was there; applications cannot put it.
 */
public final class Tombstone {
  /** 16 bytes from a random source: no application has them by chance. */
  private static final byte[] VALUE = Bytes.fromHex("b1f0c2d49e7a4d0c8a563ef71c98e52d");

  private Tombstone() {}

  /** The value; a copy of the caller's own. */
  public static byte[] value() {
    return VALUE.clone();
  }

  /** Whether the cell says that its column is deleted. */
  public static boolean is(Cell cell) {
    return cell.getValueLength() == VALUE.length && CellUtil.matchingValue(cell, VALUE);
  }
}
