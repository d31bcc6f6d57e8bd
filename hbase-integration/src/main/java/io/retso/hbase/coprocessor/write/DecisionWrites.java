package io.retso.hbase.coprocessor.write;

import io.retso.hbase.coprocessor.region.Horizon;
import io.retso.hbase.coprocessor.region.LoggedDecisions;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.coprocessor.region.RegionDecisions;
import io.retso.hbase.coprocessor.region.RegionMarks;
import io.retso.hbase.coprocessor.region.RegionOutcomes;
import io.retso.hbase.layout.DecisionRequest;
import io.retso.hbase.layout.DecisionRequest.Decision;
import io.retso.hbase.layout.PendingWrite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.Region;

/**
 * What a region does with lists of outcomes ({@link DecisionRequest}): docs/decisions/0025.
 *
 * <pre>
 *   prepare   what the region can vouch for goes into one cell, in the place of the request; as
 *             with marks it is in the log only, if the memory of the family has a cell
 *   applied   the cell is in the log, and forced to disk: what the region can still vouch for is
 *             decided. Nobody sees it yet, and no flush has begun since {@link #prepare}
 *   answer    says which are decided
 * </pre>
 *
 * <p>A cell may name transactions that were not decided after all: a flush may have filed one of
 * their versions in between, or a late duplicate be under way. That does no harm: what it says is
 * true, and a replay finds either marks that are cells, which it cleans up as the cell says, or
 * nothing.
 *
 * <p>What another request decides between two looks, at the outcome and at the marks, is answered
 * <em>row by row</em>: the cleanups find no mark, and do nothing.
 *
 * <p><em>Not decided</em> is what {@code RegionMarks.isWhole} cannot vouch for, and
 *
 * <ul>
 *   <li>what is below the horizon, as cleanups of rows treat it in another way: a precaution;
 *   <li>everything, if the row of the request is not the first row of the region: after a split or
 *       merge, nobody would look for the decision there.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class DecisionWrites {
  private static final byte[] FAMILY = PendingWrite.family();

  private final Region region;
  private final Horizon horizon;
  private final RegionMarks marks;
  private final RegionOutcomes outcomes;
  private final RegionDecisions decisions;
  private final ObserverMetrics metrics;

  public DecisionWrites(
      Region region,
      Horizon horizon,
      RegionMarks marks,
      RegionOutcomes outcomes,
      RegionDecisions decisions,
      ObserverMetrics metrics) {
    this.region = region;
    this.horizon = horizon;
    this.marks = marks;
    this.outcomes = outcomes;
    this.decisions = decisions;
    this.metrics = metrics;
  }

  /** A request that is being carried out. */
  static final class Pending {
    private final Mutation mutation;
    private final DecisionRequest request;

    /** In its cell. */
    private final BitSet logged = new BitSet();

    /** Null if there is nothing to decide. */
    private ExtendedCell cell;

    private final BitSet decided = new BitSet();

    private Pending(Mutation mutation, DecisionRequest request) {
      this.mutation = mutation;
      this.request = request;
    }

    boolean isOf(Mutation other) {
      return mutation == other;
    }

    /** What the client is told. */
    Result answer() {
      return request.answer(decided);
    }
  }

  /**
   * Replaces the cell of a request.
   *
   * @throws IllegalArgumentException if it is malformed, or not to be forced to the log
   */
  Pending prepare(MiniBatchOperationInProgress<Mutation> mutations, int index) {
    Mutation mutation = mutations.getOperation(index);
    DecisionRequest request = DecisionRequest.of(mutation);
    if (!marks.isForced(mutation)) { // an answer is given when the decision cannot be lost
      throw new IllegalArgumentException(
          "outcomes are decided in the log only: durability "
              + mutation.getDurability()
              + " of the request, or of the table, is not enough");
    }
    Pending pending = new Pending(mutation, request);
    NavigableMap<Long, Long> outcomesByStart = new TreeMap<>();
    if (decisions.isUsed() && Arrays.equals(request.row(), LoggedDecisions.row(region))) {
      for (int i = 0; i < request.decisions().size(); i++) {
        Decision decision = request.decisions().get(i);
        if (decisions.isDecided(decision.start(), decision.commitTimestamp())) {
          pending.decided.set(i); // it was asked for once more
        } else if (isToBeDecided(decision)
            && outcomesByStart.putIfAbsent(decision.start(), decision.commitTimestamp()) == null) {
          pending.logged.set(i);
        }
      }
    }
    mutation.getFamilyCellMap().clear();
    if (!outcomesByStart.isEmpty()) {
      pending.cell = decisions.newCell(outcomesByStart);
      if (marks.isUsable(mutation)) {
        MiniBatches.log(mutations, index, pending.cell);
      } else {
        mutation.getFamilyCellMap().put(FAMILY, new ArrayList<>(List.of(pending.cell)));
      }
    }
    return pending;
  }

  /**
   * Takes from a plain writer's mutation what deletes marks in the first row of the region: there
   * it might delete decisions, which are about other rows. Marks without versions are cleaned up.
   */
  void keep(Mutation plain) {
    if (decisions.isUsed()
        && plain.getFamilyCellMap().containsKey(FAMILY)
        && Arrays.equals(plain.getRow(), LoggedDecisions.row(region))) {
      plain.getFamilyCellMap().remove(FAMILY);
    }
  }

  private boolean isToBeDecided(Decision decision) {
    long start = decision.start();
    return start >= horizon.refused() && marks.isWhole(start, decision.rows());
  }

  /** The cells are in the log. */
  void applied(List<Pending> all) {
    for (Pending pending : all) {
      if (!pending.logged.isEmpty()) {
        decide(pending);
      }
      metrics.decided.increment(pending.decided.cardinality());
      metrics.decidedByRow.increment(
          pending.request.decisions().size() - pending.decided.cardinality());
    }
  }

  /** To be called after {@link #applied}, without locks. */
  void makeRoom() throws IOException {
    decisions.makeRoom();
  }

  private void decide(Pending pending) {
    assert pending.cell.getSequenceId() > 0 : "decided before it is in the log";
    assert !pending.decided.intersects(pending.logged) : "decided twice";
    LongStream.Builder starts = LongStream.builder();
    for (int i : pending.logged.stream().toArray()) {
      Decision decision = pending.request.decisions().get(i);
      long start = decision.start();
      Runnable decided = () -> outcomes.decided(start, decision.commitTimestamp());
      if (marks.decide(start, decision.rows(), decided)) {
        pending.decided.set(i);
        starts.add(start);
      }
    }
    decisions.decided(starts.build().toArray(), pending.cell.getSequenceId());
  }
}
