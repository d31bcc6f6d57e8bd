package io.retso.workload.rubis;

import io.retso.workload.Options;
import io.retso.workload.Program;

/** What all programs have. */
abstract class Visit implements Program {
  final Journal journal;
  private final Options options;

  Visit(Options options, Journal journal) {
    this.options = options;
    this.journal = journal;
  }

  @Override
  public final Options options() {
    return options;
  }
}
