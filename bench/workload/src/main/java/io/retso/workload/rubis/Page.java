package io.retso.workload.rubis;

import io.retso.workload.Options;

/** A program that only reads; what it shows is all from one snapshot. */
abstract class Page extends Visit {
  /** Whether it has seen what cannot be there in one snapshot. */
  boolean isTorn;

  Page(Options options, Journal journal) {
    super(options, journal);
  }

  @Override
  public final void committed() {
    journal.torn.add(isTorn ? 1 : 0);
  }
}
