package io.retso.verify.clients;

import io.retso.verify.history.History;
import io.retso.verify.history.Step;
import io.retso.verify.history.Transaction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What clients got done. A store that does nothing contradicts nobody, so a run with hardly any
 * work says nothing about it.
 *
 * @param commits transactions with appends whose clients know that they committed
 * @param looks transactions that looked for a token; without those of clients that were killed
 * @param moves those of them that moved it
 */
public record Work(long commits, long looks, long moves) {
  /** Nothing at all. */
  public static final Work NONE = new Work(0, 0, 0);

  /** A run of a second has many times as many. */
  static final int COMMITS_MIN = 10;

  /** That of a history; who reads everything in the end appends nothing. */
  public static Work of(History history) {
    return new Work(history.transactions().stream().filter(Work::isCommittedAppend).count(), 0, 0);
  }

  /** What {@link #write} wrote. */
  public static Work read(Path file) throws IOException {
    String[] counts = Files.readString(file).split(" ");
    return new Work(
        Long.parseLong(counts[0]), Long.parseLong(counts[1]), Long.parseLong(counts[2]));
  }

  /** Writes it to a file, for another process. */
  public void write(Path file) throws IOException {
    Files.writeString(file, commits + " " + looks + " " + moves);
  }

  private static boolean isCommittedAppend(Transaction transaction) {
    return transaction.outcome() == Transaction.Outcome.COMMITTED
        && transaction.steps().stream().anyMatch(step -> step instanceof Step.Append);
  }

  /** The work of two. */
  public Work plus(Work other) {
    return new Work(commits + other.commits, looks + other.looks, moves + other.moves);
  }

  /** What was done too little to say anything about the store, with a remedy; empty if nothing. */
  public List<String> tooLittle() {
    List<String> missing = new ArrayList<>();
    if (commits < COMMITS_MIN) {
      missing.add(
          "nothing was tested: "
              + commits
              + " transactions of clients appended something and committed, and "
              + COMMITS_MIN
              + " are the least; the history says why the others failed (:error); if it was lack"
              + " of time, run longer (--minutes)");
    }
    if (looks == 0 || moves == 0) {
      missing.add(
          "deletes were not tested: clients found a token "
              + looks
              + " times and moved it "
              + moves
              + " times; if it was lack of time, run longer (--minutes)");
    }
    return missing;
  }
}
