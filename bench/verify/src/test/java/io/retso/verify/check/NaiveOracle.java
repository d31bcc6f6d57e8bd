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
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The definition, tried out: runs a store with snapshots in every order of starts and commits that
 * real time allows, and sees whether one of them makes all the reads come true. Beside it runs a
 * store without snapshots, which gets the appends of serializable transactions at an instant
 * between start and commit, those of the others at the commit; what serializable ones read must
 * come true in it, too. For a handful of transactions.
 */
final class NaiveOracle {
  private final List<Transaction> transactions = new ArrayList<>();
  private final Model model;
  private final Map<Long, List<Long>> store = new HashMap<>();
  private final Map<Long, List<Long>> serial = new HashMap<>();
  private final Set<Integer> placed = new HashSet<>();

  /** States from which there is no way to the end. */
  private final Set<List<Object>> vain = new HashSet<>();

  private final Map<Integer, Map<Long, Integer>> snapshots = new HashMap<>();
  private final List<Transaction> committed = new ArrayList<>();

  private NaiveOracle(History history, Model model) {
    for (Transaction transaction : history.transactions()) {
      if (transaction.outcome() != Outcome.ABORTED) {
        transactions.add(transaction);
      }
    }
    this.model = model;
  }

  /** Whether some execution explains a history. */
  static boolean explains(History history, Model model) {
    return new NaiveOracle(history, model).search();
  }

  private boolean search() {
    List<Object> state =
        List.of(
            Map.copyOf(snapshots),
            Set.copyOf(committed),
            Set.copyOf(placed),
            copy(store),
            copy(serial));
    if (vain.contains(state)) {
      return false;
    }
    boolean found = goesOn();
    if (!found) {
      vain.add(state);
    }
    return found;
  }

  private static Map<Long, List<Long>> copy(Map<Long, List<Long>> lists) {
    Map<Long, List<Long>> copy = new HashMap<>();
    lists.forEach((key, list) -> copy.put(key, List.copyOf(list)));
    return copy;
  }

  private boolean goesOn() {
    boolean isDone = true;
    for (Transaction next : transactions) {
      if (committed.contains(next)) {
        continue;
      }
      isDone &= next.outcome() == Outcome.UNKNOWN;
      if (advances(next)) {
        return true;
      }
    }
    return isDone;
  }

  private boolean advances(Transaction next) {
    if (!snapshots.containsKey(next.id())) {
      return starts(next);
    }
    return placed.contains(next.id()) || !model.isSerializable(next)
        ? commits(next)
        : isPlaced(next);
  }

  private boolean starts(Transaction next) {
    for (Transaction other : transactions) {
      if (next.mustSee(other) && !committed.contains(other)) {
        return false;
      }
    }
    if (!readsCorrectly(next, store)) {
      return false;
    }
    Map<Long, Integer> snapshot = new HashMap<>();
    store.forEach((key, list) -> snapshot.put(key, list.size()));
    snapshots.put(next.id(), snapshot);
    boolean found = isAtOnce(next) ? commits(next) : search();
    snapshots.remove(next.id());
    return found;
  }

  /** If all are serializable their instants may be one; a reader's commit cannot be told. */
  private boolean isAtOnce(Transaction next) {
    return model == Model.STRICT_SERIALIZABILITY || !model.isSerializable(next) && isReadOnly(next);
  }

  private boolean isPlaced(Transaction next) {
    if (!readsCorrectly(next, serial)) {
      return false;
    }
    append(next, serial);
    placed.add(next.id());
    boolean found = isReadOnly(next) ? commits(next) : search();
    placed.remove(next.id());
    remove(next, serial);
    return found;
  }

  /** It cannot be told when it commits, so that it may do so at once. */
  private static boolean isReadOnly(Transaction next) {
    return next.steps().stream().noneMatch(Append.class::isInstance);
  }

  private static boolean readsCorrectly(Transaction next, Map<Long, List<Long>> store) {
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
    append(next, store);
    boolean isPlacedNow = !placed.contains(next.id());
    if (isPlacedNow) {
      append(next, serial);
    }
    committed.add(next);
    boolean found = search();
    committed.remove(committed.size() - 1);
    if (isPlacedNow) {
      remove(next, serial);
    }
    remove(next, store);
    return found;
  }

  private static void append(Transaction next, Map<Long, List<Long>> store) {
    for (Step step : next.steps()) {
      if (step instanceof Append append) {
        store.computeIfAbsent(append.key(), key -> new ArrayList<>()).add(append.value());
      }
    }
  }

  private static void remove(Transaction next, Map<Long, List<Long>> store) {
    for (Step step : next.steps()) {
      if (step instanceof Append) {
        List<Long> list = store.get(step.key());
        list.remove(list.size() - 1);
      }
    }
  }
}
