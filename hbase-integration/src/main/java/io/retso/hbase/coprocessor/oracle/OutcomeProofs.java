package io.retso.hbase.coprocessor.oracle;

import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.coprocessor.write.RegionWrites;
import io.retso.hbase.layout.AdoptionRequest.Adoption;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;

/**
 * What a region goes by when a client says how a transaction ended: each user that may write one
 * column of a table can say it of all transactions there. So a region that is told to
 * <em>prove</em> outcomes takes none that the oracle has not told it, by its receipt or by its own
 * answer. A region that <em>trusts</em> its clients takes what they say.
 *
 * <pre>
 *   what the region server remembers of the oracle's answers        no question
 *   a receipt, by the keys that the oracle gives region servers     one question, and one more each
 *                                                                   10 s if receipts are not known
 *   the oracle's answer                                             one question a transaction, of
 *                                                                   all transactions of a list at once
 * </pre>
 *
 * <p>Thread-safe. Waits for the oracle, so it is not to be asked under a lock.
 */
public final class OutcomeProofs implements RegionWrites.Proofs {
  private final OracleLink link;
  private final boolean isTrusting;
  private final ObserverMetrics metrics;

  /**
   * Proofs by a link.
   *
   * @param isTrusting {@link io.retso.hbase.layout.OracleSettings#trustsClients}
   */
  public OutcomeProofs(OracleLink link, boolean isTrusting, ObserverMetrics metrics) {
    this.link = link;
    this.isTrusting = isTrusting;
    this.metrics = metrics;
  }

  /**
   * The request as it may be carried out: with the outcome that the oracle knows. One that the
   * oracle has forgotten was aborted if the row, read from here on, has its mark.
   *
   * @return null if the outcome is another one, or the transaction is not decided
   * @throws IOException if the oracle does not answer
   */
  @Override
  public CleanupRequest proved(CleanupRequest request) throws IOException {
    long start = request.start();
    if (isTrusting || isKnown(start, request.outcome(), request.receipt())) {
      return request;
    }
    long known = ask(List.of(start)).getOrDefault(start, Outcome.UNKNOWN);
    if (known == OracleLink.FORGOTTEN) {
      return new CleanupRequest(request.row(), start, Outcome.ABORTED);
    }
    if (known == request.outcome()) {
      return request;
    }
    metrics.falseOutcomes.increment();
    return null;
  }

  /**
   * Which transactions of a list ended so. One that the oracle has forgotten is not among them: how
   * it ended is another matter in each row.
   *
   * @throws IOException if the oracle does not answer
   */
  @Override
  public BitSet proved(List<Adoption> adoptions) throws IOException {
    BitSet proved = new BitSet(adoptions.size());
    List<Long> unknown = new ArrayList<>();
    for (int i = 0; i < adoptions.size(); i++) {
      Adoption each = adoptions.get(i);
      if (isTrusting || isKnown(each.start(), each.outcome(), each.receipt())) {
        proved.set(i);
      } else {
        unknown.add(each.start());
      }
    }
    Map<Long, Long> answers = unknown.isEmpty() ? Map.of() : ask(unknown);
    for (int i = proved.nextClearBit(0); i < adoptions.size(); i = proved.nextClearBit(i + 1)) {
      long answer = answers.getOrDefault(adoptions.get(i).start(), Outcome.UNKNOWN);
      if (answer == adoptions.get(i).outcome()) {
        proved.set(i);
      } else if (answer != OracleLink.FORGOTTEN) {
        metrics.falseOutcomes.increment();
      }
    }
    return proved;
  }

  private boolean isKnown(long start, long outcome, long receipt) throws IOException {
    if (link.cache().get(start) == outcome) {
      return true;
    }
    if (receipt == 0) {
      return false;
    }
    return link.keys().prove(start, outcome, receipt);
  }

  private Map<Long, Long> ask(List<Long> starts) throws IOException {
    metrics.unprovedOutcomes.increment(starts.size());
    return link.outcomes(starts);
  }
}
