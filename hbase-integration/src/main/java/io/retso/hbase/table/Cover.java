package io.retso.hbase.table;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Finds granules that cover a range of a table. It begins with the whole table, and puts finer
 * granules in place of coarse ones as long as they are few enough: first of the one in which the
 * whole range lies, then of those at its two ends, which alone hold rows that are outside. Not
 * thread-safe, for one use.
 *
 * <p>{@link Granules} says which granules a row has: those of sizes below the length of its key,
 * the next one, for which the key is filled up with zeros, and, if there are finer ones, that of
 * the <em>short</em> keys. So in place of a granule there are those of the next size that begin
 * like it, and that of its short keys.
 */
final class Cover {
  /**
   * A granule.
   *
   * @param isShort only keys that are no longer than the prefix, which is filled up with zeros
   */
  record Part(byte[] prefix, boolean isShort) {}

  private final int[] sizes;
  private final byte[] low;
  private final byte[] high;
  private final boolean withHigh;
  private final int max;
  private final List<Part> parts = new ArrayList<>();

  /**
   * One of a range.
   *
   * @param sizes bytes of prefixes, in descending order, the last one 0
   * @param low the first row; empty for the beginning of the table
   * @param high the last row; empty for the end of the table
   * @param withHigh whether {@code high} is in the range
   * @param max granules, at most
   */
  Cover(int[] sizes, byte[] low, byte[] high, boolean withHigh, int max) {
    this.sizes = sizes;
    this.low = low;
    this.high = high;
    this.withHigh = withHigh;
    this.max = max;
  }

  /** The granules, one at least. */
  List<Part> parts() {
    int size = sizes.length - 1;
    parts.add(new Part(new byte[0], false));
    byte[] common = parts.get(0).prefix;
    while (common != null && size > 0 && refineCommon(common, size)) {
      size--;
      byte[] first = first(size);
      common = Arrays.equals(first, last(size)) ? first : null;
    }
    if (common != null) {
      return parts;
    }
    int left = size;
    int right = size;
    while (left > 0 || right > 0) {
      left = left > 0 && refineLeft(left) ? left - 1 : 0;
      right = right > 0 && refineRight(right) ? right - 1 : 0;
    }
    return parts;
  }

  private boolean refineCommon(byte[] prefix, int size) {
    if (isEndedBy(sizes[size])) {
      replace(prefix, List.of(), true);
      return false; // nothing is finer
    }
    // Short keys are prefixes of low if that is longer, so they lie below it.
    boolean withShort = prefix.length > 0 && low.length <= prefix.length;
    return replace(prefix, from(first(size - 1), last(size - 1), withLast(size - 1)), withShort);
  }

  private boolean refineLeft(int size) {
    byte[] prefix = first(size);
    if (low.length <= prefix.length) {
      return false; // at most short keys of it are outside
    }
    byte[] end = filled(prefix, sizes[size - 1], 0xff);
    return replace(prefix, from(first(size - 1), end, true), false);
  }

  private boolean refineRight(int size) {
    if (high.length == 0 || !withLast(size)) {
      return false; // none of it is outside
    }
    byte[] prefix = last(size);
    if (isEndedBy(prefix.length)) {
      replace(prefix, List.of(), true);
      return false; // nothing is finer
    }
    byte[] begin = filled(prefix, sizes[size - 1], 0);
    return replace(prefix, from(begin, last(size - 1), withLast(size - 1)), true);
  }

  /** Whether all longer keys that begin like {@code high} lie above the range. */
  private boolean isEndedBy(int size) {
    return high.length > 0 && high.length <= size;
  }

  /** Puts finer ones in place of a granule; false if they would be too many. */
  private boolean replace(byte[] prefix, List<byte[]> finer, boolean withShort) {
    if (parts.size() - 1 + finer.size() + (withShort ? 1 : 0) > max) {
      return false;
    }
    parts.removeIf(part -> !part.isShort && Arrays.equals(part.prefix, prefix));
    finer.forEach(each -> parts.add(new Part(each, false)));
    if (withShort) {
      parts.add(new Part(prefix, true));
    }
    return true;
  }

  private byte[] first(int size) {
    return Arrays.copyOf(low, sizes[size]);
  }

  private byte[] last(int size) {
    return high.length == 0 ? filled(high, sizes[size], 0xff) : Arrays.copyOf(high, sizes[size]);
  }

  private static byte[] filled(byte[] prefix, int size, int with) {
    byte[] filled = Arrays.copyOf(prefix, size);
    Arrays.fill(filled, prefix.length, size, (byte) with);
    return filled;
  }

  /**
   * Whether rows of the range may have the last prefix of this size: longer ones do that begin like
   * {@code high}, and so do shorter ones that are filled up to it.
   */
  private boolean withLast(int size) {
    return high.length == 0 || withHigh || high.length > sizes[size] || high[high.length - 1] == 0;
  }

  /** Prefixes of the same size, the first one in any case; one more than allowed, at most. */
  private List<byte[]> from(byte[] first, byte[] last, boolean withLast) {
    List<byte[]> all = new ArrayList<>();
    byte[] next = first;
    int order;
    do {
      all.add(next);
      next = next.clone();
      order = increment(next) ? Bytes.compareTo(next, last) : 1;
    } while (all.size() <= max && (order < 0 || order == 0 && withLast));
    return all;
  }

  /** The next prefix of that length; false if there is none. */
  private static boolean increment(byte[] prefix) {
    for (int i = prefix.length - 1; i >= 0; i--) {
      if (++prefix[i] != 0) {
        return true;
      }
    }
    return false;
  }
}
