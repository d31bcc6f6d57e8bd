package io.retso.bench.load;

/**
 * A queue of groups of neighbouring transactions: those that came out of one BEGIN frame, and so
 * have consecutive start timestamps and share their instants. Grows when it is full; not
 * thread-safe.
 */
final class Groups {
  private long[] first;
  private int[] count;
  private long[] began;
  private long[] committed;
  private int head;
  private int tail;

  /** Groups before this one are marked as sent. */
  private int unsent;

  Groups(int capacity) {
    int power = Integer.highestOneBit(Math.max(capacity, 2) - 1) << 1;
    first = new long[power];
    count = new int[power];
    began = new long[power];
    committed = new long[power];
  }

  boolean isEmpty() {
    return head == tail;
  }

  /** Adds a group: its first start timestamp, its size and the instant of its begin. */
  void add(long firstStart, int size, long beganNanos) {
    if (tail - head == first.length) {
      grow();
    }
    int slot = tail++ & first.length - 1;
    first[slot] = firstStart;
    count[slot] = size;
    began[slot] = beganNanos;
  }

  /** All groups that were added since the last call were sent at this instant. */
  void sent(long nanos) {
    while (unsent != tail) {
      committed[unsent++ & first.length - 1] = nanos;
    }
  }

  long first() {
    return first[head & first.length - 1];
  }

  int count() {
    return count[head & first.length - 1];
  }

  long began() {
    return began[head & first.length - 1];
  }

  long committed() {
    return committed[head & first.length - 1];
  }

  void remove() {
    head++;
  }

  private void grow() {
    int old = first.length;
    Groups larger = new Groups(2 * old);
    int size = tail - head;
    for (int i = 0; i < size; i++) {
      int slot = head + i & old - 1;
      larger.first[i] = first[slot];
      larger.count[i] = count[slot];
      larger.began[i] = began[slot];
      larger.committed[i] = committed[slot];
    }
    first = larger.first;
    count = larger.count;
    began = larger.began;
    committed = larger.committed;
    unsent -= head;
    head = 0;
    tail = size;
  }
}
