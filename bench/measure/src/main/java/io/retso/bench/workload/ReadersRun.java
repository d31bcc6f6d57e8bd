package io.retso.bench.workload;

import io.retso.bench.stores.StoreKind;
import io.retso.bench.stores.Work;
import io.retso.report.Percentiles;

/**
 * One run of readers beside programs.
 *
 * @param readsPerSecond of all readers
 * @param perSecond committed programs
 * @param refusedShare of all attempts of programs, for whatever reason
 * @param transactions that were committed, or refused needlessly
 * @param needless of these, refused for what they read though no cycle was known
 * @param work processor time of an attempt, microseconds
 * @param safePerSecond safe snapshots that the oracle issued; 0 if it does not say
 * @param framesPerSecond of requests to the oracle, of programs and readers; 0 if it does not say
 * @param deferred the first read of deferred readers, milliseconds
 * @param recent the first read of others beside them
 */
public record ReadersRun(
    Subject of,
    int round,
    double readsPerSecond,
    double perSecond,
    double refusedShare,
    long transactions,
    long needless,
    Work work,
    double safePerSecond,
    double framesPerSecond,
    Percentiles deferred,
    Percentiles recent) {

  /**
   * What is measured.
   *
   * @param managers that read on safe snapshots, besides the one of the programs
   */
  public record Subject(StoreKind store, int managers) {
    @Override
    public String toString() {
      return store + ", " + managers + " managers read";
    }
  }
}
