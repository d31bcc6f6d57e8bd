package io.retso.verify.clients;

import io.retso.verify.history.History;
import io.retso.verify.history.Step;
import io.retso.verify.history.Transaction;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What clients got done. A store that does nothing contradicts nothing, so a run with hardly any
 * work says nothing about it.
 *
 * @param commits transactions with appends whose clients know that they committed
 * @param looks transactions that looked for a token; without those of clients that were killed
 * @param moves those of them that moved it
 * @param skewed pairs of transactions that overlapped, missed an append of each other, and both
 *     committed
 * @param refused pairs of which the first committed and the second was refused, as no serial order
 *     might explain it
 */
public record Work(long commits, long looks, long moves, long skewed, long refused) {
  /** Nothing at all. */
  public static final Work NONE = new Work(0, 0, 0, 0, 0);

  /** A run of a second has many times as many. */
  static final int COMMITS_MIN = 10;

  /** That of a history; the client that reads everything in the end appends nothing. */
  public static Work of(History history) {
    Work work = NONE;
    for (Transaction transaction : history.transactions()) {
      boolean isPartner = ListWorker.isPartner(transaction.process());
      boolean isCommitted = transaction.outcome() == Transaction.Outcome.COMMITTED;
      boolean isRefused =
          transaction.error() != null && transaction.error().startsWith(ListWorker.REFUSED);
      work =
          work.plus(
              new Work(
                  isCommitted && appends(transaction) ? 1 : 0,
                  0,
                  0,
                  isPartner && isCommitted ? 1 : 0,
                  isPartner && isRefused ? 1 : 0));
    }
    return work;
  }

  /** A transaction looked for a token. */
  static Work look(boolean moved) {
    return new Work(0, 1, moved ? 1 : 0, 0, 0);
  }

  /** What {@link #write} wrote. */
  public static Work read(Path file) throws IOException {
    long[] counts =
        Arrays.stream(Files.readString(file).split(" ")).mapToLong(Long::parseLong).toArray();
    return new Work(counts[0], counts[1], counts[2], counts[3], counts[4]);
  }

  /** Writes it to a file, for another process. */
  public void write(Path file) throws IOException {
    Files.writeString(
        file, String.format(Locale.ROOT, "%d %d %d %d %d", commits, looks, moves, skewed, refused));
  }

  private static boolean appends(Transaction transaction) {
    return transaction.steps().stream().anyMatch(step -> step instanceof Step.Append);
  }

  /** The work of two. */
  public Work plus(Work other) {
    return new Work(
        commits + other.commits,
        looks + other.looks,
        moves + other.moves,
        skewed + other.skewed,
        refused + other.refused);
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
    if (skewed + refused == 0) {
      missing.add(
          "serial order was not tested: no two transactions missed an append of each other, of"
              + " which the first committed and the second committed or was refused; if it was lack"
              + " of time, run longer (--minutes)");
    }
    return missing;
  }
}
