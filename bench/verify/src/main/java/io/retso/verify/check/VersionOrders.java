package io.retso.verify.check;

import io.retso.verify.check.Snapshots.Observation;
import io.retso.verify.history.History;
import io.retso.verify.history.Step;
import io.retso.verify.history.Step.Append;
import io.retso.verify.history.Transaction;
import io.retso.verify.history.Transaction.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;

/**
 * Recovers from what was read which transactions committed and in which order their appends came,
 * and finds what no order explains.
 *
 * <p>A transaction counts as committed if its client got that answer, or if the outcome is unknown
 * and a transaction that counts as committed has seen one of its appends. The last clause is
 * recursive, hence the queue. An unknown transaction that was not seen is left out: it may not have
 * happened.
 */
final class VersionOrders {
  private final History history;
  private final Anomalies anomalies;
  private final TreeMap<Long, VersionOrder> orders = new TreeMap<>();
  private final BitSet committed = new BitSet();
  private final ArrayDeque<Transaction> toRead = new ArrayDeque<>();
  private final List<Long> withoutLastRead = new ArrayList<>();

  private VersionOrders(History history, Anomalies anomalies) {
    this.history = history;
    this.anomalies = anomalies;
  }

  static VersionOrders recover(History history, Anomalies anomalies) {
    VersionOrders orders = new VersionOrders(history, anomalies);
    for (Transaction transaction : history.transactions()) {
      if (transaction.outcome() == Outcome.COMMITTED) {
        orders.commit(transaction);
      }
    }
    while (!orders.toRead.isEmpty()) {
      Snapshots.take(orders.toRead.remove(), anomalies, orders::observe);
    }
    orders.findUnseen();
    for (VersionOrder order : orders.orders.values()) {
      orders.findWriters(order);
      orders.findIntermediateReads(order);
    }
    return orders;
  }

  /** By key. */
  Collection<VersionOrder> orders() {
    return orders.values();
  }

  /** Transactions that count as committed. */
  BitSet committed() {
    return committed;
  }

  /**
   * Keys with acknowledged appends of which some could be lost unnoticed, since no read of the key
   * was invoked after all of them.
   */
  List<Long> withoutLastRead() {
    return withoutLastRead;
  }

  private VersionOrder order(long key) {
    return orders.computeIfAbsent(key, VersionOrder::new);
  }

  private void commit(Transaction transaction) {
    if (!committed.get(transaction.id())) {
      committed.set(transaction.id());
      toRead.add(transaction);
    }
  }

  private void observe(Observation read) {
    VersionOrder order = order(read.key());
    order.noteLast(read);
    int divergence = order.divergence(read);
    if (divergence >= 0) {
      Observation other = order.longest();
      anomalies.add(
          AnomalyKind.INCOMPATIBLE_ORDER,
          () ->
              String.format(
                  Locale.ROOT,
                  "k%d: %s read %s, but %s read %s: they differ from place %d on",
                  read.key(),
                  read.reader().name(),
                  read.show(),
                  other.reader().name(),
                  other.show(),
                  divergence + 1),
          read.reader(),
          other.reader());
      Set<Long> before = new HashSet<>();
      Arrays.stream(read.list(), 0, divergence).forEach(before::add);
      judge(read, divergence, before);
    } else {
      judge(read, order.length(), order.seen());
      order.add(read);
    }
  }

  /** Looks at values that no earlier list had at their place. */
  private void judge(Observation read, int from, Set<Long> before) {
    for (int i = from; i < read.length(); i++) {
      long value = read.list()[i];
      if (!before.add(value)) {
        accuse(AnomalyKind.DUPLICATE, read, value, "has it twice", null);
        continue;
      }
      int writer = history.writerOf(read.key(), value);
      if (writer == History.NOBODY) {
        accuse(AnomalyKind.GARBAGE_READ, read, value, "which was never appended to it", null);
      } else if (history.transaction(writer).outcome() == Outcome.ABORTED) {
        Transaction failed = history.transaction(writer);
        accuse(
            AnomalyKind.ABORTED_READ,
            read,
            value,
            "appended by " + failed.name() + ", which failed",
            failed);
      } else {
        commit(history.transaction(writer));
      }
    }
  }

  private void accuse(
      AnomalyKind kind, Observation read, long value, String how, Transaction other) {
    Transaction reader = read.reader();
    Transaction[] both =
        other == null ? new Transaction[] {reader} : new Transaction[] {reader, other};
    anomalies.add(
        kind,
        () ->
            String.format(
                Locale.ROOT, "k%d: %s read value %d, %s", read.key(), reader.name(), value, how),
        both);
  }

  /** Finds committed appends that are not in the orders; some of them are lost. */
  private void findUnseen() {
    TreeMap<Long, Long> lastAppends = new TreeMap<>();
    TreeMap<Long, Set<Long>> lastReads = new TreeMap<>();
    for (int id = committed.nextSetBit(0); id >= 0; id = committed.nextSetBit(id + 1)) {
      Transaction writer = history.transaction(id);
      for (Step step : writer.steps()) {
        if (step instanceof Append append) {
          if (writer.outcome() == Outcome.COMMITTED) {
            lastAppends.merge(append.key(), writer.completed(), Math::max);
          }
          VersionOrder order = order(append.key());
          Set<Long> end = lastReads.computeIfAbsent(append.key(), key -> valuesOf(order.last()));
          place(writer, append, order, end);
        }
      }
    }
    lastAppends.forEach(
        (key, completed) -> {
          Observation last = order(key).last();
          if (last == null || last.reader().invoked() < completed) {
            withoutLastRead.add(key);
          }
        });
  }

  private static Set<Long> valuesOf(Observation read) {
    Set<Long> values = new HashSet<>();
    if (read != null) {
      Arrays.stream(read.list(), 0, read.length()).forEach(values::add);
    }
    return values;
  }

  private void place(Transaction writer, Append append, VersionOrder order, Set<Long> lastRead) {
    boolean isSeen = order.seen().contains(append.value());
    Observation last = order.last();
    if (last != null && writer.precedes(last.reader()) && !lastRead.contains(append.value())) {
      anomalies.add(
          AnomalyKind.LOST_APPEND,
          () ->
              String.format(
                  Locale.ROOT,
                  "k%d: %s appended %d, and it completed before %s began, but the last read of the"
                      + " key, by %s, lacks it%s",
                  append.key(),
                  writer.name(),
                  append.value(),
                  last.reader().name(),
                  last.reader().name(),
                  isSeen ? "; others had seen it" : ""),
          writer,
          last.reader());
    } else if (!isSeen) {
      order.unseen().add(writer);
    }
  }

  /** A transaction's appends to a key are one run in the order, in the order of its steps. */
  private void findWriters(VersionOrder order) {
    List<Transaction> writers = new ArrayList<>();
    int[] writerBefore = new int[order.length() + 1];
    writerBefore[0] = -1;
    int step = -1;
    for (int i = 0; i < order.length(); i++) {
      long value = order.longest().list()[i];
      int id = history.writerOf(order.key(), value);
      // Values of no transaction and of failed ones are accused already; they order nothing.
      if (id != History.NOBODY && committed.get(id)) {
        Transaction writer = history.transaction(id);
        boolean begins = writers.isEmpty() || writers.get(writers.size() - 1) != writer;
        int before = begins ? -1 : step;
        step = writer.steps().indexOf(Step.append(order.key(), value));
        if (begins) {
          writers.add(writer);
        } else if (step < before) {
          anomalies.add(
              AnomalyKind.INCOMPATIBLE_ORDER,
              () ->
                  String.format(
                      Locale.ROOT,
                      "k%d: %s shows %s, but %s appended them in another order",
                      order.key(),
                      order.longest().reader().name(),
                      order.longest().show(),
                      writer.name()),
              writer,
              order.longest().reader());
        }
      }
      writerBefore[i + 1] = writers.size() - 1;
    }
    order.setWriters(writers.toArray(new Transaction[0]), writerBefore);
  }

  private void findIntermediateReads(VersionOrder order) {
    for (Observation read : order.reads()) {
      if (read.length() == 0) {
        continue;
      }
      long value = read.list()[read.length() - 1];
      int id = history.writerOf(order.key(), value);
      if (id == History.NOBODY || !committed.get(id)) {
        continue;
      }
      Transaction writer = history.transaction(id);
      long whole = lastAppend(writer, order.key());
      if (whole != value) {
        accuse(
            AnomalyKind.INTERMEDIATE_READ,
            read,
            value,
            "as the last one, but " + writer.name() + " went on to append " + whole,
            writer);
      }
    }
  }

  private static long lastAppend(Transaction writer, long key) {
    long value = 0;
    for (Step step : writer.steps()) {
      if (step instanceof Append append && append.key() == key) {
        value = append.value();
      }
    }
    return value;
  }
}
