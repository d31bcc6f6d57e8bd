package io.retso.bench.workload;

import io.retso.bench.stores.StoreKind;
import io.retso.bench.stores.Work;
import io.retso.workload.Isolation;
import java.util.Locale;

/**
 * One run of SIBENCH.
 *
 * @param perSecond committed programs
 * @param millis mean time of a program
 * @param work processor time of an attempt, microseconds
 * @param refusedShare of all attempts
 */
public record SibenchRun(
    Subject of, int round, double perSecond, double millis, Work work, double refusedShare) {

  /**
   * What is measured.
   *
   * @param rows of the table
   */
  public record Subject(StoreKind store, int rows, Isolation isolation) {
    Subject with(Isolation other) {
      return new Subject(store, rows, other);
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "%s, %,d rows, %s", store, rows, isolation);
    }
  }
}
