package io.retso.hbase.coprocessor.write;

import io.retso.hbase.coprocessor.region.AdoptedOutcomes;
import io.retso.hbase.coprocessor.region.Horizon;
import io.retso.hbase.coprocessor.region.LoggedAdoptions;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.coprocessor.region.RegionMarks;
import io.retso.hbase.coprocessor.region.RegionOutcomes;
import io.retso.hbase.layout.AdoptionRequest;
import io.retso.hbase.layout.AdoptionRequest.Adoption;
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
 * What a region does with lists of outcomes ({@link AdoptionRequest}): docs/decisions/0025.
 *
 * <pre>
 *   prepare   what the region can vouch for goes into one cell, in the place of the request; as
 *             with marks it is in the log only, if the memory of the family has a cell
 *   applied   the cell is in the log, and forced to disk: what the region can still vouch for is
 *             adopted. No reader sees it yet, and no flush has begun since {@link #prepare}
 *   answer    says which are adopted
 * </pre>
 *
 * <p>A cell may name transactions that were not adopted after all: a flush may have written one of
 * their versions in between, or a late duplicate be under way. That does no harm: what it says is
 * true, and a replay finds either marks that are cells, which it cleans up as the cell says, or
 * nothing.
 *
 * <p>What another request adopts between two looks, at the outcome and at the marks, is answered
 * <em>row by row</em>: the cleanups find no mark.
 *
 * <p><em>Not adopted</em> is what {@code Writers.canAdopt} cannot vouch for, and
 *
 * <ul>
 *   <li>what is below the horizon, as cleanups of rows treat it in another way: a precaution;
 *   <li>everything, if the row of the request is not the first row of the region: after a split or
 *       merge, the adoption would not be looked for there.
 * </ul>
 *
 * <p>Thread-safe.
 */
public final class AdoptionWrites {
  private static final byte[] FAMILY = PendingWrite.family();

  private final Region region;
  private final Horizon horizon;
  private final RegionMarks marks;
  private final RegionOutcomes outcomes;
  private final AdoptedOutcomes adoptions;
  private final ObserverMetrics metrics;

  public AdoptionWrites(
      Region region,
      Horizon horizon,
      RegionMarks marks,
      RegionOutcomes outcomes,
      AdoptedOutcomes adoptions,
      ObserverMetrics metrics) {
    this.region = region;
    this.horizon = horizon;
    this.marks = marks;
    this.outcomes = outcomes;
    this.adoptions = adoptions;
    this.metrics = metrics;
  }

  /**
   * A request that was looked at.
   *
   * @param outcomes those of the list that are proved; the others are left to cleanups of their
   *     rows
   */
  record Proved(AdoptionRequest request, BitSet outcomes) {}

  /** A request that is being carried out. */
  static final class Pending {
    private final Mutation mutation;
    private final AdoptionRequest request;

    /** In its cell. */
    private final BitSet logged = new BitSet();

    /** Null if there is nothing to adopt. */
    private ExtendedCell cell;

    private final BitSet adopted = new BitSet();

    private Pending(Mutation mutation, AdoptionRequest request) {
      this.mutation = mutation;
      this.request = request;
    }

    boolean isOf(Mutation other) {
      return mutation == other;
    }

    /** What the client is told. */
    Result answer() {
      return request.answer(adopted);
    }
  }

  /**
   * Replaces the cell of a request.
   *
   * @throws IllegalArgumentException if it is not to be forced to the log
   */
  Pending prepare(MiniBatchOperationInProgress<Mutation> mutations, int index, Proved proved) {
    Mutation mutation = mutations.getOperation(index);
    AdoptionRequest request = proved.request();
    if (!marks.isForced(mutation)) { // an answer is given when the adoption cannot be lost
      throw new IllegalArgumentException(
          "outcomes are adopted in the log only: durability "
              + mutation.getDurability()
              + " of the request, or of the table, is not enough");
    }
    Pending pending = new Pending(mutation, request);
    NavigableMap<Long, Long> outcomesByStart = new TreeMap<>();
    if (adoptions.isUsed() && Arrays.equals(request.row(), LoggedAdoptions.row(region))) {
      for (int i = 0; i < request.adoptions().size(); i++) {
        Adoption adoption = request.adoptions().get(i);
        if (adoptions.isAdopted(adoption.start(), adoption.outcome())) {
          pending.adopted.set(i); // it was asked for once more
        } else if (proved.outcomes().get(i)
            && isToBeAdopted(adoption)
            && outcomesByStart.putIfAbsent(adoption.start(), adoption.outcome()) == null) {
          pending.logged.set(i);
        }
      }
    }
    mutation.getFamilyCellMap().clear();
    if (!outcomesByStart.isEmpty()) {
      pending.cell = adoptions.newCell(outcomesByStart);
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
   * it might delete adoptions, which are about other rows. Marks without versions are cleaned up.
   */
  void keep(Mutation plain) {
    if (adoptions.isUsed()
        && plain.getFamilyCellMap().containsKey(FAMILY)
        && Arrays.equals(plain.getRow(), LoggedAdoptions.row(region))) {
      plain.getFamilyCellMap().remove(FAMILY);
    }
  }

  private boolean isToBeAdopted(Adoption adoption) {
    long start = adoption.start();
    return start >= horizon.refused() && marks.writers().canAdopt(start, adoption.rows());
  }

  /** The cells are in the log. */
  void applied(List<Pending> all) {
    for (Pending pending : all) {
      if (!pending.logged.isEmpty()) {
        adopt(pending);
      }
      metrics.adopted.increment(pending.adopted.cardinality());
      metrics.notAdopted.increment(
          pending.request.adoptions().size() - pending.adopted.cardinality());
    }
  }

  /** To be called after {@link #applied}, without locks. */
  void makeRoom() throws IOException {
    adoptions.makeRoom();
  }

  private void adopt(Pending pending) {
    assert pending.cell.getSequenceId() > 0 && marks.isForced(pending.mutation) : "not in the log";
    assert !pending.adopted.intersects(pending.logged) : "adopted twice";
    LongStream.Builder starts = LongStream.builder();
    for (int i : pending.logged.stream().toArray()) {
      Adoption adoption = pending.request.adoptions().get(i);
      long start = adoption.start();
      Runnable adopted = () -> outcomes.adopted(start, adoption.outcome());
      if (marks.writers().adopt(start, adoption.rows(), adopted)) {
        pending.adopted.set(i);
        starts.add(start);
      }
    }
    adoptions.adopted(starts.build().toArray(), pending.cell.getSequenceId());
  }
}
