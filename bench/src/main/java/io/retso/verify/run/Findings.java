package io.retso.verify.run;

/** Receives what no correct store does, seen without the checker. Thread-safe. */
interface Findings {
  /** Something is wrong. */
  void violation(String what);
}
