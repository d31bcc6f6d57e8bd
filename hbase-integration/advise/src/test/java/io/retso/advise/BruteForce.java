package io.retso.advise;

import io.retso.advise.model.Instance;
import io.retso.advise.model.Operation;
import io.retso.advise.model.Operation.Kind;
import io.retso.advise.model.Program;
import io.retso.advise.model.Programs;
import io.retso.advise.model.Programs.Conflicts;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * All schedules of a few transactions over a few values that snapshot isolation allows, each judged
 * by whether its dependencies have a cycle. It knows nothing of pivots, and shares no code with the
 * search.
 */
final class BruteForce {
  static final int VALUES = 3;

  private static final Map<Integer, List<int[]>> ORDERS = new HashMap<>();

  private BruteForce() {}

  private record Access(Kind kind, String table, List<String> row, Operation of) {}

  /** Transactions with their accesses, and what of them meets: index by index. */
  private static final class Group {
    final int n;
    final boolean[] serializable;
    final boolean[][] excludes;
    final boolean[][] overwrites;
    final boolean[][] readsOf;
    final boolean[][] validated;

    Group(List<Instance> all, Programs programs) {
      n = all.size();
      serializable = new boolean[n];
      excludes = new boolean[n][n];
      overwrites = new boolean[n][n];
      readsOf = new boolean[n][n];
      validated = new boolean[n][n];
      for (int i = 0; i < n; i++) {
        serializable[i] = all.get(i).program().isSerializable();
        for (int j = 0; j < n; j++) {
          for (Access a : accesses(all.get(i))) {
            for (Access b : accesses(all.get(j))) {
              if (i != j && meet(a, b)) {
                compare(i, j, a, b, programs.conflicts(a.table) == Conflicts.ROW);
              }
            }
          }
        }
      }
    }

    /** Whether it has any where all dependencies are taken at a time, as no schedule has them. */
    boolean mayHaveCycles() {
      boolean[][] edges = new boolean[n][n];
      for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
          edges[i][j] = overwrites[i][j] || readsOf[i][j] || readsOf[j][i];
        }
      }
      for (int i = 0; i < n; i++) {
        int met = 0;
        for (int j = 0; j < n; j++) {
          met += edges[i][j] || edges[j][i] ? 1 : 0;
        }
        if (met == 0) {
          return false; // a smaller group says the same
        }
      }
      return true;
    }

    private static List<Access> accesses(Instance of) {
      return of.program().operations().stream()
          .map(o -> new Access(o.kind(), o.table(), of.key(o), o))
          .toList();
    }

    private static boolean meet(Access a, Access b) {
      int parts = Math.min(a.row.size(), b.row.size());
      return a.table.equals(b.table) && a.row.subList(0, parts).equals(b.row.subList(0, parts));
    }

    private void compare(int i, int j, Access a, Access b, boolean byRow) {
      boolean shares = a.of.columns().stream().anyMatch(b.of.columns()::contains);
      // That a row is there is no cell, and protected by none.
      boolean sharesCell =
          byRow
              || a.of.columns().stream()
                  .anyMatch(c -> !c.equals("*") && b.of.columns().contains(c));
      boolean aHolds = a.kind == Kind.WRITE || a.kind == Kind.LOCK;
      boolean bHolds = b.kind == Kind.WRITE || b.kind == Kind.LOCK;
      excludes[i][j] |= aHolds && bHolds && sharesCell;
      overwrites[i][j] |=
          a.kind == Kind.WRITE && b.kind == Kind.WRITE && shares && (byRow || sharesCell);
      readsOf[i][j] |= a.of.reads() && b.kind == Kind.WRITE && shares;
      validated[i][j] |= a.kind == Kind.VALIDATE && b.kind == Kind.WRITE && sharesCell;
    }
  }

  /** Whether some schedule of exactly these transactions has a cycle. */
  static boolean hasAnomaly(List<Instance> all, Programs programs) {
    Group group = new Group(all, programs);
    if (!group.mayHaveCycles()) {
      return false;
    }
    for (int[] times : orders(group.n)) {
      if (isAllowed(group, times) && hasCycle(group, times)) {
        return true;
      }
    }
    return false;
  }

  private static boolean isAllowed(Group g, int[] t) {
    for (int i = 0; i < g.n; i++) {
      for (int j = 0; j < g.n; j++) {
        boolean beside = i != j && begin(t, i) < end(t, j) && begin(t, j) < end(t, i);
        if (beside && (g.excludes[i][j] || g.validated[i][j] && end(t, j) < end(t, i))) {
          return false;
        }
      }
    }
    // A serializable pivot between serializable ones, the one that overwrites committing first.
    for (int in = 0; in < g.n; in++) {
      for (int pivot = 0; pivot < g.n; pivot++) {
        for (int out = 0; out < g.n; out++) {
          if (g.serializable[in]
              && g.serializable[pivot]
              && g.serializable[out]
              && pivot != in
              && pivot != out
              && isRw(g, t, in, pivot)
              && isRw(g, t, pivot, out)
              && end(t, out) < end(t, pivot)
              && end(t, out) <= end(t, in)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /** Whether one reads what another one beside it overwrites. */
  private static boolean isRw(Group g, int[] t, int reader, int writer) {
    return g.readsOf[reader][writer]
        && begin(t, reader) < end(t, writer)
        && begin(t, writer) < end(t, reader);
  }

  private static boolean hasCycle(Group g, int[] t) {
    boolean[][] edges = new boolean[g.n][g.n];
    for (int i = 0; i < g.n; i++) {
      for (int j = 0; j < g.n; j++) {
        if (i != j) {
          edges[i][j] =
              g.overwrites[i][j] && end(t, i) < end(t, j)
                  || g.readsOf[j][i] && end(t, i) < begin(t, j)
                  || g.readsOf[i][j] && begin(t, i) < end(t, j);
        }
      }
    }
    for (int k = 0; k < g.n; k++) {
      for (int i = 0; i < g.n; i++) {
        for (int j = 0; j < g.n && edges[i][k]; j++) {
          edges[i][j] |= edges[k][j];
        }
      }
    }
    for (int i = 0; i < g.n; i++) {
      if (edges[i][i]) {
        return true;
      }
    }
    return false;
  }

  private static int begin(int[] times, int i) {
    return times[2 * i];
  }

  private static int end(int[] times, int i) {
    return times[2 * i + 1];
  }

  /** When each of so many transactions begins and ends, in all orders. */
  private static List<int[]> orders(int n) {
    return ORDERS.computeIfAbsent(
        n,
        count -> {
          List<int[]> found = new ArrayList<>();
          place(new int[2 * count], new int[count], 0, found);
          return found;
        });
  }

  private static void place(int[] times, int[] steps, int time, List<int[]> found) {
    if (time == times.length) {
      found.add(times.clone());
      return;
    }
    for (int i = 0; i < steps.length; i++) {
      if (steps[i] < 2) {
        times[2 * i + steps[i]++] = time;
        place(times, steps, time + 1, found);
        steps[i]--;
      }
    }
  }

  /** All transactions of the programs over the values. */
  static List<Instance> instances(Programs programs) {
    List<Instance> all = new ArrayList<>();
    for (Program program : programs.all()) {
      int parameters = program.parameters().size();
      for (int code = 0; code < Math.pow(VALUES, parameters); code++) {
        List<String> values = new ArrayList<>();
        for (int rest = code, i = 0; i < parameters; i++, rest /= VALUES) {
          values.add(String.valueOf(1 + rest % VALUES));
        }
        boolean isPossible =
            program.distinct().stream()
                .allMatch(
                    set ->
                        set.stream()
                                .map(p -> values.get(program.parameters().indexOf(p)))
                                .distinct()
                                .count()
                            == set.size());
        if (isPossible) {
          all.add(new Instance(program, values));
        }
      }
    }
    return all;
  }

  /** Whether two or three of all transactions have an anomaly, or some of four that are tried. */
  static boolean hasAnomaly(Programs programs, Random random, int foursMax) {
    List<Instance> all = instances(programs);
    for (int i = 0; i < all.size(); i++) {
      for (int j = i; j < all.size(); j++) {
        if (hasAnomaly(List.of(all.get(i), all.get(j)), programs)) {
          return true;
        }
        for (int k = j; k < all.size(); k++) {
          if (hasAnomaly(List.of(all.get(i), all.get(j), all.get(k)), programs)) {
            return true;
          }
        }
      }
    }
    for (int tries = 0; tries < foursMax; tries++) {
      List<Instance> four = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        four.add(all.get(random.nextInt(all.size())));
      }
      if (hasAnomaly(four, programs)) {
        return true;
      }
    }
    return false;
  }
}
