package io.retso.verify.check;

import io.retso.verify.history.History;
import io.retso.verify.history.Transaction;
import io.retso.verify.history.Transaction.Outcome;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Decides whether a history is as its transactions were promised; see the package for why its
 * answer is right.
 */
public final class Checker {
  private static final int DATA = Relation.WW.bit() | Relation.WR.bit() | Relation.RW.bit();

  private final History history;
  private final Model model;
  private final Anomalies anomalies = new Anomalies();

  private Checker(History history, Model model) {
    this.history = history;
    this.model = model;
  }

  /**
   * Checks a history. The same history gets the same verdict, to the letter.
   *
   * <p>Time is linear in the values that were read, apart from sorting; memory is about 300 bytes
   * for each step, beside the history.
   */
  public static Verdict check(History history, Model model) {
    return new Checker(history, model).check();
  }

  private Verdict check() {
    VersionOrders orders = VersionOrders.recover(history, anomalies);
    Dependencies dependencies = new Dependencies(history, orders);
    Map<Relation, Long> edges = new EnumMap<>(Relation.class);
    new Cycles(history, dependencies.graph(model, true, edges), anomalies).find();
    if (model != Model.STRICT_SERIALIZABILITY || Model.of(history) == model) {
      new TimestampCheck(history, anomalies).check(dependencies, orders.committed());
    }
    PointGraph serial = dependencies.graph(Model.STRICT_SERIALIZABILITY, false);
    int unknownSeen =
        (int)
            orders.committed().stream()
                .filter(id -> history.transaction(id).outcome() == Outcome.UNKNOWN)
                .count();
    return new Verdict(
        model,
        count(Outcome.COMMITTED),
        count(Outcome.ABORTED),
        count(Outcome.UNKNOWN),
        unknownSeen,
        orders.orders().size(),
        edges.getOrDefault(Relation.WW, 0L),
        edges.getOrDefault(Relation.WR, 0L),
        edges.getOrDefault(Relation.RW, 0L),
        anomalies.kept(),
        anomalies.counts(),
        orders.withoutLastRead(),
        writeSkews(dependencies),
        Components.of(serial, DATA).size());
  }

  private int count(Outcome outcome) {
    int count = 0;
    for (Transaction transaction : history.transactions()) {
      count += transaction.outcome() == outcome ? 1 : 0;
    }
    return count;
  }

  /** Pairs with anti-dependencies both ways. */
  private static long writeSkews(Dependencies dependencies) {
    LongStream.Builder pairs = LongStream.builder();
    dependencies.forEach(
        d -> {
          if (d.relation() == Relation.RW) {
            pairs.add(pair(d.from(), d.to()));
          }
        });
    long[] sorted = pairs.build().sorted().distinct().toArray();
    return Arrays.stream(sorted)
        .filter(pair -> pair >>> Integer.SIZE < (pair & 0xffffffffL))
        .filter(pair -> Arrays.binarySearch(sorted, Long.rotateLeft(pair, Integer.SIZE)) >= 0)
        .count();
  }

  private static long pair(Transaction from, Transaction to) {
    return (long) from.id() << Integer.SIZE | to.id();
  }
}
