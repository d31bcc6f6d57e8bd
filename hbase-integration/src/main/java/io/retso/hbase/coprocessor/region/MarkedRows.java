package io.retso.hbase.coprocessor.region;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Marks that one batch of a transaction's writes has left, or several, by row; none is added later.
 * A thread that changes it holds the lock of {@link Writers}; others may read meanwhile.
 */
final class MarkedRows {
  private final Mark[] marks;

  /** Those that are not gone. */
  private int count;

  /** What they take. */
  private long bytes;

  /** {@code marks} are of different rows, in their order. */
  MarkedRows(List<Mark> marks) {
    this.marks = marks.toArray(Mark[]::new);
    this.count = this.marks.length;
    for (Mark mark : marks) {
      this.bytes += mark.bytes();
    }
    assert isSorted() : "rows are out of order, or twice there";
  }

  private boolean isSorted() {
    for (int i = 1; i < marks.length; i++) {
      if (Mark.BY_ROW.compare(marks[i - 1], marks[i]) >= 0) {
        return false;
      }
    }
    return true;
  }

  /** The mark of a row; null if there is none. */
  Mark find(byte[] row) {
    int i = search(row);
    return i < 0 || marks[i].isGone() ? null : marks[i];
  }

  private int search(byte[] row) {
    return Arrays.binarySearch(marks, new Mark(row, 0, null), Mark.BY_ROW);
  }

  /** All that are not gone. */
  void forEach(Consumer<Mark> action) {
    for (Mark mark : marks) {
      if (!mark.isGone()) {
        action.accept(mark);
      }
    }
  }

  /** Takes a mark away. */
  void remove(Mark mark) {
    mark.setGone();
    count--;
    bytes -= mark.bytes();
    assert count >= 0 && bytes >= 0 && (count == 0) == (bytes == 0) : count + ", " + bytes;
  }

  boolean isEmpty() {
    return count == 0;
  }

  int size() {
    return count;
  }

  long bytes() {
    return bytes;
  }

  /** The marks of both that are not gone; they are of different rows. */
  MarkedRows with(MarkedRows other) {
    List<Mark> both = new ArrayList<>(count + other.count);
    forEach(both::add);
    other.forEach(both::add);
    both.sort(Mark.BY_ROW);
    return new MarkedRows(both);
  }

  /** Where a scan from {@code row} on begins; -1 or the number of marks if it comes to none. */
  int begin(byte[] row, boolean isReversed) {
    int i = search(row);
    if (i >= 0) {
      return i;
    }
    return isReversed ? -i - 2 : -i - 1;
  }

  /** The mark at a place, be it gone or not; null if there is no such place. */
  Mark at(int i) {
    return i < 0 || i >= marks.length ? null : marks[i];
  }
}
