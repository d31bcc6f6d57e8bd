package io.retso.verify.history;

import java.util.Arrays;

/** One step of a transaction over keys that hold lists of numbers. */
public sealed interface Step {

  /** The list that it reads or appends to. */
  long key();

  /**
   * Puts a value at the end of a list.
   *
   * @param value used for this key only once in a history
   */
  record Append(long key, long value) implements Step {
    @Override
    public String toString() {
      return "append " + value + " to k" + key;
    }
  }

  /**
   * Reads a whole list.
   *
   * @param values what was read, oldest first; null while or when that is not known. Not copied: it
   *     is not to be changed.
   */
  record Read(long key, long[] values) implements Step {
    /** A longer list is shown by its last values. */
    private static final int SHOWN_MAX = 12;

    @Override
    public boolean equals(Object other) {
      return other instanceof Read read && read.key == key && Arrays.equals(read.values, values);
    }

    @Override
    public int hashCode() {
      return Long.hashCode(key) * 31 + Arrays.hashCode(values);
    }

    @Override
    public String toString() {
      return "read k" + key + " = " + (values == null ? "?" : show(values, values.length));
    }

    /** The first values of a list for people: all if they are few, else the last ones. */
    public static String show(long[] values, int length) {
      StringBuilder text = new StringBuilder("[");
      int from = Math.max(0, length - SHOWN_MAX);
      if (from > 0) {
        text.append(from).append(" more, ..., ");
      }
      for (int i = from; i < length; i++) {
        text.append(i == from ? "" : " ").append(values[i]);
      }
      return text.append(']').toString();
    }
  }

  /** An append. */
  static Step append(long key, long value) {
    return new Append(key, value);
  }

  /** A read that is planned, or whose result is not known. */
  static Step read(long key) {
    return new Read(key, null);
  }

  /** A read and its result; no values are an empty list. */
  static Step read(long key, long... values) {
    return new Read(key, values);
  }
}
