package io.retso.bench.stores;

/**
 * Processor time.
 *
 * @param client of this process, in which clients and, of the oracle alone, rows are
 * @param oracle of the oracle's process; 0 if there is none, or it runs elsewhere
 * @param store of the processes that keep the rows; 0 if there are none, or they run elsewhere
 */
public record Work(double client, double oracle, double store) {
  /** All three together. */
  public double sum() {
    return client + oracle + store;
  }

  /** What was added since an earlier moment, for each of so many, in microseconds. */
  public Work microsSince(Work before, long count) {
    double divisor = 1e3 * Math.max(1, count);
    return new Work(
        (client - before.client) / divisor,
        (oracle - before.oracle) / divisor,
        (store - before.store) / divisor);
  }
}
