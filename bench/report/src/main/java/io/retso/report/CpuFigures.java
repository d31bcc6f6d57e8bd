package io.retso.report;

import java.util.Locale;

/**
 * Processor time during a run, in cores; negative where it is not known.
 *
 * @param server the server's process
 * @param oracle its thread that decides transactions
 * @param oracleWaits the share of the time in which that thread could have gone on and got no
 *     processor
 * @param compilers the compilers of the server's JVM
 * @param client this process
 * @param stolen what other guests of the hardware took from this machine
 */
public record CpuFigures(
    double server,
    double oracle,
    double oracleWaits,
    double compilers,
    double client,
    double stolen) {
  /** A busy thread must get so much of the time that it asks for. */
  private static final double GRANTED_MIN = 0.8;

  private static final double STOLEN_MAX = 0.1;

  /** Nanoseconds of a transaction, of so many cores at so many transactions a second. */
  public static double nanosPerTransaction(double cores, double perSecond) {
    return cores < 0 || perSecond <= 0 ? -1 : cores * 1e9 / perSecond;
  }

  /** Why a run with these figures says little of the server; empty if it does not. */
  public String doubt() {
    if (oracle >= 0 && oracle < GRANTED_MIN * (oracle + oracleWaits)) {
      return String.format(
          Locale.ROOT,
          "the server's thread had %.1f of a core, and waited for one for %.0f %% of the time",
          oracle,
          100 * oracleWaits);
    }
    if (stolen > STOLEN_MAX) {
      return String.format(Locale.ROOT, "other guests of the hardware took %.1f cores", stolen);
    }
    return "";
  }
}
