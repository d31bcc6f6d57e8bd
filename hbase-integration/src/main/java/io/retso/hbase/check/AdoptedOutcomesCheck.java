package io.retso.hbase.check;

import io.retso.client.OracleClient;
import io.retso.client.TransactionStatus;
import io.retso.hbase.futures.Futures;
import io.retso.hbase.layout.AdoptionCell;
import io.retso.hbase.layout.Outcome;
import io.retso.protocol.Timestamps;
import io.retso.text.Text;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Compares the outcomes that regions have adopted with those of the oracle. A transaction is
 * decided before any region hears of it, so whatever the oracle remembers of it must be the same;
 * of what it has forgotten nothing can be said. Nor does it say anything that outcomes are there
 * whose data is in files: they stay until a compaction.
 *
 * <p>Thread-safe.
 */
final class AdoptedOutcomesCheck {
  /** Questions at a time. */
  private static final int QUESTIONS_MAX = 1000;

  /** Transactions that are remembered, some 50 bytes each. */
  private static final int ADOPTED_MAX = 1_000_000;

  private record Adopted(long start, long outcome) {
    boolean canBe() {
      return Timestamps.isWellFormed(start)
          && (outcome == Outcome.ABORTED || Timestamps.isWellFormed(outcome) && outcome > start);
    }
  }

  private final OracleClient oracle;
  private final OracleTimes times;
  private final CheckReport report;
  private final Set<Long> adopted = ConcurrentHashMap.newKeySet();

  AdoptedOutcomesCheck(OracleClient oracle, OracleTimes times, CheckReport report) {
    this.oracle = oracle;
    this.times = times;
    this.report = report;
  }

  /** Whether a region may have adopted an outcome of the transaction. */
  boolean mayHaveAdopted(long start) {
    return adopted.contains(start) || adopted.size() >= ADOPTED_MAX;
  }

  /** Looks at a cell of adopted outcomes. */
  void check(Cell cell) throws IOException {
    List<Adopted> outcomes = new ArrayList<>();
    AdoptionCell.read(cell, (start, outcome) -> outcomes.add(new Adopted(start, outcome)));
    String place =
        Text.of(
            "row %s, adopted outcomes %s",
            Bytes.toStringBinary(CellUtil.cloneRow(cell)),
            Bytes.toStringBinary(CellUtil.cloneQualifier(cell)));
    if (!outcomes.stream().allMatch(Adopted::canBe)) {
      report.found(
          new Finding(
              FindingKind.BROKEN_OUTCOMES,
              place,
              "the cell names what is no transaction: another program has put it. A region that"
                  + " replays its log may believe it: delete the cell, with ADMIN"));
      return;
    }
    for (int from = 0; from < outcomes.size(); from += QUESTIONS_MAX) {
      compare(outcomes.subList(from, Math.min(outcomes.size(), from + QUESTIONS_MAX)), place);
    }
  }

  private void compare(List<Adopted> outcomes, String place) throws IOException {
    List<CompletableFuture<TransactionStatus>> answers =
        outcomes.stream().map(one -> oracle.statusAsync(one.start, times.snapshot())).toList();
    for (int i = 0; i < outcomes.size(); i++) {
      Adopted one = outcomes.get(i);
      if (adopted.size() < ADOPTED_MAX) {
        adopted.add(one.start);
      }
      TransactionStatus status = Futures.await(answers.get(i));
      if (!agree(one.outcome, status)) {
        report.found(
            new Finding(
                FindingKind.WRONG_OUTCOME,
                place,
                Text.of(
                    "the region was told that transaction %s %s, and the oracle calls it %s. What"
                        + " it wrote in this region is wrong now: compare its rows with the"
                        + " application's own records",
                    one.start,
                    one.outcome == Outcome.ABORTED ? "aborted" : "committed at " + one.outcome,
                    status)));
      }
    }
  }

  private static boolean agree(long outcome, TransactionStatus status) {
    return switch (status.state()) {
      case COMMITTED -> outcome == status.commitTimestamp();
      case ABORTED -> outcome == Outcome.ABORTED;
      case OPEN -> false;
      case RETRY -> true; // it has forgotten it
    };
  }
}
