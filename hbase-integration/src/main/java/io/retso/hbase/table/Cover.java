package io.retso.hbase.table;

import io.retso.client.ByteGroup;
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
 * the <em>short</em> keys. So in place of a granule there are those of the next {@link Step} that
 * begin like it, and, if it has keys that end there, that of its short keys.
 */
final class Cover {
  /**
   * A granule.
   *
   * @param label that of its keys at the step
   * @param isShort only keys that are no longer than the label, which is filled up with zeros
   */
  record Part(Step step, byte[] label, boolean isShort) {}

  private final Step[] steps;
  private final byte[] low;
  private final byte[] high;
  private final boolean withHigh;
  private final int max;
  private final List<Part> parts = new ArrayList<>();

  /**
   * One of a range.
   *
   * @param steps the finest first; the last one is the whole table
   * @param low the first row; empty for the beginning of the table
   * @param high the last row; empty for the end of the table
   * @param withHigh whether {@code high} is in the range
   * @param max granules, at most
   */
  Cover(Step[] steps, byte[] low, byte[] high, boolean withHigh, int max) {
    this.steps = steps;
    this.low = low;
    this.high = high;
    this.withHigh = withHigh;
    this.max = max;
  }

  /** The granules, one at least. */
  List<Part> parts() {
    int step = steps.length - 1;
    byte[] common = first(step);
    parts.add(new Part(steps[step], common, false));
    while (common != null && step > 0 && refineCommon(common, step)) {
      step--;
      byte[] first = first(step);
      common = Arrays.equals(first, last(step)) ? first : null;
    }
    if (common != null) {
      return parts;
    }
    int left = step;
    int right = step;
    while (left > 0 || right > 0) {
      left = left > 0 && refineLeft(left) ? left - 1 : 0;
      right = right > 0 && refineRight(right) ? right - 1 : 0;
    }
    return parts;
  }

  private boolean refineCommon(byte[] label, int step) {
    if (isEndedAt(step)) {
      replace(step, label, List.of(), true);
      return false; // nothing is finer
    }
    if (high.length == 0 && low.length <= steps[step].bytes()) {
      return false; // at most short keys of it are outside
    }
    // Short keys are prefixes of low if that is longer, so they lie below it.
    boolean withShort = label.length > 0 && low.length <= label.length;
    List<byte[]> finer = from(step - 1, first(step - 1), last(step - 1), withLast(step - 1));
    return replace(step, label, finer, withShort);
  }

  private boolean refineLeft(int step) {
    if (low.length <= steps[step].bytes()) {
      return false; // at most short keys of it are outside
    }
    byte[] label = first(step);
    byte[] end = steps[step].lastWithin(label, steps[step - 1]);
    return replace(step, label, from(step - 1, first(step - 1), end, true), false);
  }

  private boolean refineRight(int step) {
    if (high.length == 0 || !withLast(step)) {
      return false; // none of it is outside
    }
    byte[] label = last(step);
    if (isEndedAt(step)) {
      replace(step, label, List.of(), true);
      return false; // nothing is finer
    }
    byte[] begin = steps[step - 1].label(label);
    return replace(step, label, from(step - 1, begin, last(step - 1), withLast(step - 1)), true);
  }

  /** Whether all longer keys that begin like {@code high} lie above the range. */
  private boolean isEndedAt(int step) {
    return high.length > 0 && high.length <= steps[step].bytes();
  }

  /**
   * Puts those of the next step in place of a granule; false if they would be too many.
   *
   * @param withShort whether keys that end here are in the range; at a half step none does
   */
  private boolean replace(int step, byte[] label, List<byte[]> finer, boolean withShort) {
    boolean addsShort = withShort && !steps[step].isHalf();
    if (finer.size() + (addsShort ? 1 : 0) > room()) {
      return false;
    }
    parts.removeIf(
        part -> part.step == steps[step] && !part.isShort && Arrays.equals(part.label, label));
    finer.forEach(each -> parts.add(new Part(steps[step - 1], each, false)));
    if (addsShort) {
      parts.add(new Part(steps[step], label, true));
    }
    return true;
  }

  /** So many may come in place of one. */
  private int room() {
    return max - parts.size() + 1;
  }

  private byte[] first(int step) {
    return steps[step].label(low);
  }

  private byte[] last(int step) {
    return high.length == 0 ? steps[step].lastLabel(high) : steps[step].label(high);
  }

  /**
   * Whether rows of the range may have the last label of this step. Longer ones do that begin like
   * {@code high}, and so do shorter ones that are filled up to it; at a half step, those whose last
   * byte is below that of {@code high} in its group.
   */
  private boolean withLast(int step) {
    int bytes = steps[step].length();
    if (high.length == 0 || withHigh || high.length > bytes) {
      return true;
    }
    byte last = high[high.length - 1];
    return steps[step].isHalf() && high.length == bytes
        ? ByteGroup.first(last) < (last & 0xff)
        : last == 0;
  }

  /** Labels of the step, the first one in any case; one more than there is room for, at most. */
  private List<byte[]> from(int step, byte[] first, byte[] last, boolean withLast) {
    List<byte[]> all = new ArrayList<>();
    byte[] next = first;
    int order;
    do {
      all.add(next);
      next = next.clone();
      order = steps[step].increment(next) ? Bytes.compareTo(next, last) : 1;
    } while (all.size() <= room() && (order < 0 || order == 0 && withLast));
    return all;
  }
}
