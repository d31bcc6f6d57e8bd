package io.retso.verify.run;

import io.retso.verify.history.History;
import io.retso.verify.history.Step;
import io.retso.verify.history.Transaction;
import java.util.ArrayList;
import java.util.List;

/**
 * What clients got done. A store that does nothing contradicts nobody, so a run with hardly any
 * work says nothing about it.
 *
 * @param commits transactions with appends whose clients know that they committed
 */
record Work(long commits) {
  /** Nothing at all. */
  static final Work NONE = new Work(0);

  /** A run of a second has many times as many. */
  static final int COMMITS_MIN = 10;

  /** That of a history; who reads everything in the end appends nothing. */
  static Work of(History history) {
    return new Work(history.transactions().stream().filter(Work::isCommittedAppend).count());
  }

  private static boolean isCommittedAppend(Transaction transaction) {
    return transaction.outcome() == Transaction.Outcome.COMMITTED
        && transaction.steps().stream().anyMatch(step -> step instanceof Step.Append);
  }

  /** The work of two rounds. */
  Work plus(Work other) {
    return new Work(commits + other.commits);
  }

  /** What was done too little to say anything about the store, with a remedy; empty if nothing. */
  List<String> tooLittle() {
    List<String> missing = new ArrayList<>();
    if (commits < COMMITS_MIN) {
      missing.add(
          "nothing was tested: "
              + commits
              + " transactions of clients appended something and committed, and "
              + COMMITS_MIN
              + " are the least; the history tells why the others failed (:error); if it was lack"
              + " of time, run longer (--minutes)");
    }
    return missing;
  }
}
