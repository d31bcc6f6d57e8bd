package io.retso.hbase.table;

import io.retso.client.ByteGroup;
import java.util.Arrays;

/**
 * One of the steps by which granules of a table become finer: the keys that begin with the same
 * bytes; or, halfway to one byte more, those whose next byte is of the same {@link ByteGroup}, too.
 * Without half steps a range would have to name each value of a byte that follows that of its end,
 * up to 255, though keys of text have few of them.
 *
 * <p>The <em>label</em> of a key is what it has in common with the other keys of its granule: its
 * first bytes, filled up with zeros if it is too short. At a half step one more, the first byte of
 * the group. Labels of one step are in the order of the keys.
 *
 * @param bytes of the key
 * @param isHalf whether the group of the next byte counts, too
 */
record Step(int bytes, boolean isHalf) {
  /** Bytes of a label. */
  int length() {
    return isHalf ? bytes + 1 : bytes;
  }

  byte[] label(byte[] key) {
    return grouped(Arrays.copyOf(key, length()));
  }

  /** The last label of those that begin like the prefix. */
  byte[] lastLabel(byte[] prefix) {
    byte[] filled = Arrays.copyOf(prefix, length());
    Arrays.fill(filled, prefix.length, filled.length, (byte) 0xff);
    return grouped(filled);
  }

  /** The last label of the next step within one of this step. */
  byte[] lastWithin(byte[] label, Step finer) {
    if (!isHalf) {
      return finer.lastLabel(label);
    }
    byte[] last = label.clone();
    last[bytes] = (byte) ByteGroup.last(label[bytes]);
    return last;
  }

  private byte[] grouped(byte[] label) {
    if (isHalf) {
      label[bytes] = (byte) ByteGroup.first(label[bytes]);
    }
    return label;
  }

  /** Makes it the next label; false if there is none. */
  boolean increment(byte[] label) {
    for (int i = label.length - 1; i >= 0; i--) {
      boolean isGroup = isHalf && i == bytes;
      label[i] = (byte) ((isGroup ? ByteGroup.last(label[i]) : label[i]) + 1);
      if (label[i] != 0) {
        return true;
      }
    }
    return false;
  }
}
