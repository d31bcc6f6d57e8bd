package io.retso.oracle;

/** The rules that are compared. */
enum Rule {
  INTERVALS(new Intervals()),
  FIRST_COMMITTER(new FirstCommitter());

  final SerialRule rule;

  Rule(SerialRule rule) {
    this.rule = rule;
  }
}
