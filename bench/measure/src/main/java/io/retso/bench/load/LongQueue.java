package io.retso.bench.load;

/** A first-in-first-out queue of numbers. Grows when it is full; not thread-safe. */
final class LongQueue {
  private long[] numbers = new long[1024];
  private int head;
  private int tail;

  void add(long number) {
    if (tail - head == numbers.length) {
      grow();
    }
    numbers[tail++ & numbers.length - 1] = number;
  }

  /** Takes the oldest one out; there must be one. */
  long remove() {
    assert head != tail;
    return numbers[head++ & numbers.length - 1];
  }

  private void grow() {
    long[] larger = new long[2 * numbers.length];
    int size = tail - head;
    for (int i = 0; i < size; i++) {
      larger[i] = numbers[head + i & numbers.length - 1];
    }
    numbers = larger;
    head = 0;
    tail = size;
  }
}
