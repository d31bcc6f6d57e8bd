package io.retso.verify.clients;

import io.retso.verify.lists.Action;
import io.retso.verify.lists.Generations;
import io.retso.verify.lists.ListKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Invents random transactions of 1 to {@value #STEPS_MAX} steps, more if the last one is a scan
 * that reads all there is in its range: then what it does not find counts, too. Few lists are hot,
 * so conflicts are frequent; a transaction likes to come back to lists that it has touched, so it
 * has to see its own writes. For one thread.
 */
final class Planner {
  static final int STEPS_MAX = 6;

  private static final int SCANNED_MAX = 4;
  private static final double READ_ONLY = 0.3;
  private static final double COMES_BACK = 0.2;
  private static final double PAUSES = 0.02;
  private static final int PAUSE_MILLIS_MAX = 30;
  private static final double RESTS = 0.002;

  /** More than the transaction.timeout of clusters that are made for a run. */
  private static final int REST_MILLIS_MAX = 12_000;

  private final Random random;
  private final Generations generations;
  private final long firstValue;
  private long values;

  /**
   * A planner.
   *
   * @param firstValue values that are appended begin here; no other planner of a history may come
   *     to the same
   */
  Planner(Random random, Generations generations, long firstValue) {
    this.random = random;
    this.generations = generations;
    this.firstValue = firstValue;
  }

  /** The actions of two transactions that are to overlap. */
  record Pair(List<Action> first, List<Action> second) {}

  /**
   * Two transactions that read the same two lists, and each append to another one of them. Rows
   * differ, so they do not conflict; and the lists are not hot, so others seldom conflict with
   * them.
   */
  Pair pair() {
    int group = random.nextInt(ListKey.GROUPS / 2, ListKey.GROUPS);
    int generation = generations.of(group);
    int table = random.nextInt(ListKey.TABLES);
    int otherTable = random.nextBoolean() ? table : random.nextInt(ListKey.TABLES);
    int row = random.nextInt(ListKey.ROWS);
    int otherRow = (row + random.nextInt(1, ListKey.ROWS)) % ListKey.ROWS;
    ListKey one = new ListKey(table, group, generation, row, random.nextInt(ListKey.COLUMNS));
    ListKey other =
        new ListKey(otherTable, group, generation, otherRow, random.nextInt(ListKey.COLUMNS));
    return new Pair(readsAndAppend(one, other), readsAndAppend(other, one));
  }

  private List<Action> readsAndAppend(ListKey target, ListKey other) {
    List<ListKey> both = List.of(target, other);
    List<Action> actions = new ArrayList<>();
    if (target.table() == other.table() && random.nextBoolean()) {
      boolean reversed = random.nextBoolean();
      actions.add(random.nextBoolean() ? new Action.Get(both) : new Action.Scan(both, reversed));
    } else {
      both.forEach(key -> actions.add(new Action.Get(List.of(key))));
    }
    actions.add(append(target));
    return actions;
  }

  /** The actions of the next transaction, with at least one step. */
  public List<Action> next() {
    boolean readOnly = random.nextDouble() < READ_ONLY;
    int left = 1 + random.nextInt(STEPS_MAX);
    List<Action> actions = new ArrayList<>();
    List<ListKey> touched = new ArrayList<>();
    while (left > 0) {
      Action action = next(readOnly, left, touched);
      actions.add(action);
      left -= action.steps().size();
      action.steps().forEach(step -> touched.add(ListKey.ofNumber(step.key())));
      if (random.nextDouble() < PAUSES) {
        actions.add(new Action.Pause(1 + random.nextInt(PAUSE_MILLIS_MAX)));
      } else if (random.nextDouble() < RESTS) {
        actions.add(new Action.Pause(1 + skewed(REST_MILLIS_MAX, 3)));
      }
    }
    return actions;
  }

  private Action next(boolean readOnly, int left, List<ListKey> touched) {
    double kind = random.nextDouble() * (readOnly ? 0.5 : 1);
    if (left > 1 && kind < 0.04) {
      return new Action.Scan(
          allBetween(key(touched), random.nextInt(ListKey.ROWS)), random.nextBoolean());
    } else if (left > 1 && kind < 0.08) {
      ListKey one = key(touched);
      return new Action.Scan(neighbours(one, Math.min(left, SCANNED_MAX)), random.nextBoolean());
    } else if (left > 1 && kind < 0.18) {
      return new Action.Get(ofOneTable(key(touched), 2 + random.nextInt(left - 1)));
    } else if (kind < 0.5) {
      return new Action.Get(List.of(key(touched)));
    } else if (left > 1 && kind < 0.6) {
      List<ListKey> keys = ofOneTable(key(touched), 2 + random.nextInt(left - 1));
      int reads = random.nextInt(keys.size());
      return new Action.Batch(
          keys.subList(0, reads),
          keys.subList(reads, keys.size()).stream()
              .map(key -> append(key, random.nextBoolean() ? Action.Way.PUT : Action.Way.APPEND))
              .toList());
    } else if (kind < 0.64) {
      return new Action.CheckInVain(key(touched), firstValue + values++);
    }
    return append(key(touched));
  }

  private Action.Append append(ListKey key) {
    Action.Way[] ways = Action.Way.values();
    return append(key, ways[random.nextInt(ways.length)]);
  }

  private Action.Append append(ListKey key, Action.Way way) {
    return new Action.Append(key, firstValue + values++, way);
  }

  private ListKey key(List<ListKey> touched) {
    return !touched.isEmpty() && random.nextDouble() < COMES_BACK
        ? touched.get(random.nextInt(touched.size()))
        : key(random.nextInt(ListKey.TABLES));
  }

  private ListKey key(int table) {
    int group = skewed(ListKey.GROUPS, 5);
    return new ListKey(
        table, group, generations.of(group), skewed(ListKey.ROWS, 3), skewed(ListKey.COLUMNS, 2));
  }

  /** A number below {@code bound}, the lower the likelier. */
  private int skewed(int bound, double exponent) {
    return (int) (bound * Math.pow(random.nextDouble(), exponent));
  }

  /** Different keys of one table: the given one and up to {@code count - 1} others. */
  private List<ListKey> ofOneTable(ListKey first, int count) {
    Set<ListKey> keys = new HashSet<>();
    List<ListKey> inOrder = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ListKey key = i == 0 ? first : key(first.table());
      if (keys.add(key)) {
        inOrder.add(key);
      }
    }
    return inOrder;
  }

  /** All keys of the rows from that of a key to another one, of its table, group and generation. */
  private static List<ListKey> allBetween(ListKey one, int otherRow) {
    List<ListKey> keys = new ArrayList<>();
    for (int row = Math.min(one.row(), otherRow); row <= Math.max(one.row(), otherRow); row++) {
      for (int column = 0; column < ListKey.COLUMNS; column++) {
        keys.add(new ListKey(one.table(), one.group(), one.generation(), row, column));
      }
    }
    return keys;
  }

  /** Different keys of one table, group and generation. */
  private List<ListKey> neighbours(ListKey first, int count) {
    Set<ListKey> keys = new HashSet<>();
    List<ListKey> inOrder = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ListKey key =
          i == 0
              ? first
              : new ListKey(
                  first.table(),
                  first.group(),
                  first.generation(),
                  random.nextInt(ListKey.ROWS),
                  random.nextInt(ListKey.COLUMNS));
      if (keys.add(key)) {
        inOrder.add(key);
      }
    }
    return inOrder;
  }
}
