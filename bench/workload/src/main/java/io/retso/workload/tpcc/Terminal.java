package io.retso.workload.tpcc;

import io.retso.workload.Options;
import io.retso.workload.Program;

/** What all programs have. */
abstract class Terminal implements Program {
  final Journal journal;
  private final Options options;

  Terminal(Options options, Journal journal) {
    this.options = options;
    this.journal = journal;
  }

  @Override
  public final Options options() {
    return options;
  }
}
