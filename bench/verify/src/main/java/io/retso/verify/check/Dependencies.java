package io.retso.verify.check;

import io.retso.verify.check.Snapshots.Observation;
import io.retso.verify.history.History;
import io.retso.verify.history.Transaction;
import java.util.BitSet;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Derives from the version orders, and from real time, which transaction precedes which. */
final class Dependencies {

  /** One transaction precedes another because of a key. */
  record Dependency(Relation relation, long key, Transaction from, Transaction to) {}

  private final History history;
  private final VersionOrders orders;

  Dependencies(History history, VersionOrders orders) {
    this.history = history;
    this.orders = orders;
  }

  /**
   * Hands out the dependencies between neighbours in the version orders; the others follow from
   * them. Without those to appends that were not seen, except the ones that {@link #ofUnseen}
   * names.
   */
  void forEach(Consumer<Dependency> found) {
    for (VersionOrder order : orders.orders()) {
      Transaction[] writers = order.writers();
      for (int i = 1; i < writers.length; i++) {
        found.accept(new Dependency(Relation.WW, order.key(), writers[i - 1], writers[i]));
      }
      for (Observation read : order.reads()) {
        int writer = order.writerOf(read);
        if (writer >= 0) {
          emit(found, Relation.WR, order.key(), writers[writer], read.reader());
        }
        if (writer + 1 < writers.length) {
          emit(found, Relation.RW, order.key(), read.reader(), writers[writer + 1]);
        }
      }
      if (!order.unseen().isEmpty()) {
        ofUnseen(order, found);
      }
    }
  }

  private static void emit(
      Consumer<Dependency> found, Relation relation, long key, Transaction from, Transaction to) {
    if (from != to) {
      found.accept(new Dependency(relation, key, from, to));
    }
  }

  /**
   * Appends that were not seen come after all that was seen; their own order is not known, with one
   * exception. If one of their transactions read all that was seen, then it is the first of them:
   * had another one been before it, it would have read that. If two did so, one update is lost.
   */
  private static void ofUnseen(VersionOrder order, Consumer<Dependency> found) {
    Set<Transaction> unseen = new LinkedHashSet<>(order.unseen());
    Transaction[] writers = order.writers();
    if (writers.length > 0) {
      Transaction last = writers[writers.length - 1];
      unseen.forEach(writer -> emit(found, Relation.WW, order.key(), last, writer));
    }
    Transaction first = null;
    for (Observation read : order.reads()) {
      if (order.writerOf(read) == writers.length - 1 && unseen.contains(read.reader())) {
        if (first == null) {
          first = read.reader();
          Transaction from = first;
          unseen.forEach(writer -> emit(found, Relation.WW, order.key(), from, writer));
        } else {
          emit(found, Relation.RW, order.key(), read.reader(), first);
        }
      }
    }
  }

  /** Readers of all that was seen of a key, which did not append to it, precede unseen appends. */
  private static void addReadersBeforeUnseen(VersionOrder order, PointGraph graph) {
    Set<Transaction> unseen = new LinkedHashSet<>(order.unseen());
    int atCommits = graph.addShared();
    int atPlaces = graph.addShared();
    for (Observation read : order.reads()) {
      if (order.writerOf(read) == order.writers().length - 1 && !unseen.contains(read.reader())) {
        int reader = read.reader().id();
        int shared = graph.isSerializable(reader) ? atPlaces : atCommits;
        graph.add(graph.missing(reader), shared, Relation.RW, order.key());
      }
    }
    for (Transaction writer : unseen) {
      graph.addInner(atCommits, graph.commit(writer.id()));
      graph.addInner(atPlaces, graph.place(writer.id()));
    }
  }

  /**
   * The graph of instants for a model. A dependency says that the first one's commit is before the
   * second one's start; an anti-dependency, that the first one's start is before the second one's
   * commit, or if the first one is serializable, its place before the other one's place.
   *
   * @param counts gets the number of dependencies of each relation
   */
  PointGraph graph(Model model, boolean isRealTime, Map<Relation, Long> counts) {
    PointGraph graph = new PointGraph(history.transactions().size());
    BitSet committed = orders.committed();
    committed.stream()
        .forEach(id -> graph.addTransaction(id, model.isSerializable(history.transaction(id))));
    forEach(
        d -> {
          counts.merge(d.relation, 1L, Long::sum);
          if (d.relation == Relation.RW) {
            graph.addMiss(d.from.id(), d.to.id(), d.key);
          } else {
            graph.add(graph.commit(d.from.id()), graph.start(d.to.id()), d.relation, d.key);
          }
        });
    for (VersionOrder order : orders.orders()) {
      if (!order.unseen().isEmpty()) {
        addReadersBeforeUnseen(order, graph);
      }
    }
    if (isRealTime) {
      addRealTime(graph);
    }
    graph.freeze();
    return graph;
  }

  PointGraph graph(Model model, boolean isRealTime) {
    return graph(model, isRealTime, new EnumMap<>(Relation.class));
  }

  /**
   * Real-time order has a quadratic number of pairs. So completions lead into a chain of shared
   * nodes, one for each stretch of time without an invocation, and an invocation hangs on the last
   * link before it: A leads to B if and only if A completed before B was invoked. Three edges for
   * each transaction. Nothing leads to a reader that may be stale.
   */
  private void addRealTime(PointGraph graph) {
    List<Transaction> completions = completions();
    int done = 0;
    int chain = -1;
    BitSet committed = orders.committed();
    for (int id = committed.nextSetBit(0); id >= 0; id = committed.nextSetBit(id + 1)) {
      Transaction next = history.transaction(id);
      if (done < completions.size() && completions.get(done).precedes(next)) {
        int link = graph.addShared();
        if (chain >= 0) {
          graph.addInner(chain, link);
        }
        chain = link;
        while (done < completions.size() && completions.get(done).precedes(next)) {
          graph.add(graph.commit(completions.get(done++).id()), chain, Relation.RT, 0);
        }
      }
      if (chain >= 0 && !next.isolation().mayBeStale()) {
        graph.addInner(chain, graph.start(id));
      }
    }
  }

  /** Committed transactions in the order of their completions; the unknown ones never complete. */
  List<Transaction> completions() {
    return orders.committed().stream()
        .mapToObj(history::transaction)
        .filter(transaction -> transaction.completed() != Transaction.NEVER)
        .sorted(Comparator.comparingLong(Transaction::completed))
        .toList();
  }
}
