package io.retso.verify.check;

import io.retso.verify.history.History;
import io.retso.verify.history.Step;
import io.retso.verify.history.Step.Append;
import io.retso.verify.history.Step.Read;
import io.retso.verify.history.Transaction;
import io.retso.verify.history.Transaction.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The definition, tried out: runs a store with snapshots in every order of starts and commits that
 * real time allows, and sees whether one of them makes all the reads come true. For a handful of
 * transactions.
 */
final class NaiveOracle {
  private final List<Transaction> transactions = new ArrayList<>();
  private final boolean isSerial;
  private final Map<Long, List<Long>> store = new HashMap<>();
  private final Map<Integer, Map<Long, Integer>> snapshots = new HashMap<>();
  private final List<Transaction> committed = new ArrayList<>();

  private NaiveOracle(History history, Model model) {
    for (Transaction transaction : history.transactions()) {
      if (transaction.outcome() != Outcome.ABORTED) {
        transactions.add(transaction);
      }
    }
    isSerial = model == Model.STRICT_SERIALIZABILITY;
  }

  /** Whether some execution explains a history. */
  static boolean explains(History history, Model model) {
    return new NaiveOracle(history, model).search();
  }

  private boolean search() {
    boolean isDone = true;
    for (Transaction next : transactions) {
      if (committed.contains(next)) {
        continue;
      }
      isDone &= next.outcome() == Outcome.UNKNOWN;
      if (snapshots.containsKey(next.id()) ? commits(next) : starts(next)) {
        return true;
      }
    }
    return isDone;
  }

  private boolean starts(Transaction next) {
    for (Transaction other : transactions) {
      if (other.precedes(next) && !committed.contains(other)) {
        return false;
      }
    }
    if (!readsCorrectly(next)) {
      return false;
    }
    Map<Long, Integer> snapshot = new HashMap<>();
    store.forEach((key, list) -> snapshot.put(key, list.size()));
    snapshots.put(next.id(), snapshot);
    boolean found = isSerial || isReadOnly(next) ? commits(next) : search();
    snapshots.remove(next.id());
    return found;
  }

  /** Nobody can tell when it commits, so that it may do so at once. */
  private static boolean isReadOnly(Transaction next) {
    return next.steps().stream().noneMatch(Append.class::isInstance);
  }

  private boolean readsCorrectly(Transaction next) {
    Map<Long, List<Long>> view = new HashMap<>();
    for (Step step : next.steps()) {
      List<Long> list =
          view.computeIfAbsent(
              step.key(), key -> new ArrayList<>(store.getOrDefault(key, List.of())));
      if (step instanceof Append append) {
        list.add(append.value());
      } else if (step instanceof Read read && read.values() != null) {
        if (!list.equals(Arrays.stream(read.values()).boxed().toList())) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean commits(Transaction next) {
    Map<Long, Integer> snapshot = snapshots.get(next.id());
    for (Step step : next.steps()) {
      if (step instanceof Append
          && store.getOrDefault(step.key(), List.of()).size()
              != snapshot.getOrDefault(step.key(), 0)) {
        return false;
      }
    }
    for (Step step : next.steps()) {
      if (step instanceof Append append) {
        store.computeIfAbsent(append.key(), key -> new ArrayList<>()).add(append.value());
      }
    }
    committed.add(next);
    boolean found = search();
    committed.remove(committed.size() - 1);
    for (Step step : next.steps()) {
      if (step instanceof Append) {
        List<Long> list = store.get(step.key());
        list.remove(list.size() - 1);
      }
    }
    return found;
  }
}
