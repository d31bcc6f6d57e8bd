package io.retso.advise.search;

import io.retso.advise.model.Danger;
import io.retso.advise.model.Instance;
import io.retso.advise.model.Programs;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds what snapshot isolation allows and no serial order explains. Exact for programs whose keys
 * are parameters: there is such a schedule if and only if there are transactions T1, T2 and Tm of
 * which T2 overwrites what T1 has read, T1 overwrites what Tm has read, neither of them is refused
 * beside T1, and T2 is Tm or leads to it by transactions that depend on each other, none of which
 * is refused beside T1 (Fekete et al., TODS 2005; Vandevoort et al., PODS 2023).
 *
 * <p>Transactions are told apart by what they share with T1 only, so there are finitely many. Of
 * those that are serializable, no T1 is between an overwriting one and a reading one where all
 * three are (Ports and Grittner, VLDB 2012).
 *
 * <p>Not thread-safe.
 */
public final class DangerSearch {
  private final Model model;

  // About the pivot that is looked at.
  private Bound pivot;
  private List<Bound> beside;
  private boolean[] overwrites;
  private boolean[] reads;

  public DangerSearch(Programs programs) {
    model = new Model(programs);
  }

  /** One of them; {@code null} if there is none: each outcome of the programs is serializable. */
  public Danger any() {
    List<Danger> found = search(true);
    return found.isEmpty() ? null : found.get(0);
  }

  /**
   * One, as short as can be, for each pivot, program that overwrites what it reads, and program
   * that reads what it overwrites; the shortest first.
   */
  public List<Danger> all() {
    return search(false);
  }

  private List<Danger> search(boolean first) {
    Map<List<String>, Danger> found = new LinkedHashMap<>();
    for (int i = 0; i < model.programs.size(); i++) {
      for (Bound unnamed : Bound.all(model, i, new int[0])) {
        if (lookAt(named(unnamed))) {
          for (Danger danger : around(first)) {
            List<String> ends =
                List.of(
                    danger.pivot().program().name(),
                    danger.overwrites().program().name(),
                    danger.reads().program().name());
            found.merge(ends, danger, (a, b) -> a.others().size() <= b.others().size() ? a : b);
            if (first) {
              return List.of(danger);
            }
          }
        }
      }
    }
    List<Danger> sorted = new ArrayList<>(found.values());
    sorted.sort((a, b) -> Integer.compare(a.others().size(), b.others().size()));
    return sorted;
  }

  /** With numbers for what it has, as others may share them. */
  static Bound named(Bound unnamed) {
    Map<Integer, Integer> numbers = new HashMap<>();
    Map<Integer, Integer> next = new HashMap<>();
    int[] values = unnamed.values.clone();
    for (int i = 0; i < values.length; i++) {
      if (values[i] >= 0) {
        int kind = Bound.kind(values[i]);
        values[i] =
            numbers.computeIfAbsent(
                values[i], value -> Bound.value(kind, next.merge(kind, 1, Integer::sum) - 1));
      }
    }
    return new Bound(unnamed.index, unnamed.prog, values);
  }

  /** Whether the pivot has transactions at both ends that are not refused beside it. */
  private boolean lookAt(Bound candidate) {
    pivot = candidate;
    beside = new ArrayList<>();
    int[] shared = Arrays.stream(pivot.values).distinct().toArray();
    for (int i = 0; i < model.programs.size(); i++) {
      for (Bound other : Bound.all(model, i, shared)) {
        if (!pivot.isRefusedBy(other)) {
          beside.add(other);
        }
      }
    }
    overwrites = new boolean[beside.size()];
    reads = new boolean[beside.size()];
    boolean out = false;
    boolean in = false;
    for (int i = 0; i < overwrites.length; i++) {
      overwrites[i] = pivot.isOverwrittenBy(beside.get(i));
      reads[i] = beside.get(i).isOverwrittenBy(pivot);
      out |= overwrites[i];
      in |= reads[i];
    }
    return out && in;
  }

  private boolean isSerializable(Bound bound) {
    return bound.prog.program().isSerializable();
  }

  /**
   * Breadth first, from what overwrites to what reads. A state is a transaction, and whether one of
   * the way so far overwrites the pivot's reads and is serializable, as the pivot is: from then on
   * none may follow that reads what the pivot overwrites and is serializable, too.
   */
  private List<Danger> around(boolean first) {
    Map<List<Integer>, Danger> found = new TreeMap<>(DangerSearch::compare);
    for (int program = 0; program < model.programs.size(); program++) {
      int[] before = new int[2 * beside.size()];
      Arrays.fill(before, -1);
      ArrayDeque<Integer> queue = new ArrayDeque<>();
      for (int i = 0; i < beside.size(); i++) {
        int state = overwrites[i] && beside.get(i).index == program ? entered(i, 0) : -1;
        if (state >= 0) {
          before[state] = state;
          queue.add(state);
        }
      }
      while (!queue.isEmpty()) {
        int state = queue.poll();
        Bound last = beside.get(state / 2);
        if (reads[state / 2]) {
          Danger danger = danger(before, state);
          if (found.putIfAbsent(List.of(program, last.index), danger) == null && first) {
            return List.of(danger);
          }
        }
        for (int j = 0; j < beside.size(); j++) {
          int next = entered(j, state & 1);
          if (next >= 0 && before[next] < 0 && last.meeting(beside.get(j)) != null) {
            before[next] = state;
            queue.add(next);
          }
        }
      }
    }
    return new ArrayList<>(found.values());
  }

  private static int compare(List<Integer> a, List<Integer> b) {
    int first = Integer.compare(a.get(0), b.get(0));
    return first != 0 ? first : Integer.compare(a.get(1), b.get(1));
  }

  /** The state after a transaction; -1 if the serializable ones would be refused. */
  private int entered(int i, int bit) {
    boolean both = isSerializable(pivot) && isSerializable(beside.get(i));
    int after = bit | (both && overwrites[i] ? 1 : 0);
    return after == 1 && both && reads[i] ? -1 : 2 * i + after;
  }

  /** The way to a state, with values that show what is shared. */
  private Danger danger(int[] before, int state) {
    List<Bound> way = new ArrayList<>();
    for (int at = state; ; at = before[at]) {
      way.add(0, beside.get(at / 2));
      if (before[at] == at) {
        break;
      }
    }
    Map<Integer, Integer> used = new HashMap<>();
    String[] pivots = new String[pivot.values.length];
    for (int i = 0; i < pivots.length; i++) {
      pivots[i] = shared(pivot.values[i], used);
    }
    List<Instance> others = new ArrayList<>();
    String[] texts = null;
    for (int i = 0; i < way.size(); i++) {
      texts = texts(way.get(i), i == 0 ? null : way.get(i - 1), texts, used);
      others.add(new Instance(way.get(i).prog.program(), List.of(texts)));
    }
    return new Danger(new Instance(pivot.prog.program(), List.of(pivots)), others);
  }

  private String shared(int value, Map<Integer, Integer> used) {
    if (value < 0) {
      return model.texts.get(-value - 1);
    }
    int number = value & Bound.PRIVATE - 1;
    used.merge(Bound.kind(value), number + 1, Math::max);
    return text(number + 1);
  }

  /** Values of a transaction: private ones are those of the one before it, or new. */
  private String[] texts(Bound bound, Bound last, String[] ofLast, Map<Integer, Integer> used) {
    String[] texts = new String[bound.values.length];
    int[] renamed = last == null ? null : last.meeting(bound);
    Map<Integer, String> known = new HashMap<>();
    for (int p = 0; renamed != null && p < renamed.length; p++) {
      for (int q = 0; renamed[p] >= 0 && q < last.values.length; q++) {
        if (last.values[q] == renamed[p]) {
          known.put(bound.values[p], ofLast[q]);
        }
      }
    }
    for (int p = 0; p < texts.length; p++) {
      int value = bound.values[p];
      texts[p] =
          !Bound.isPrivate(value)
              ? shared(value, used)
              : known.computeIfAbsent(
                  value, key -> text(used.merge(Bound.kind(key), 1, Integer::sum)));
    }
    return texts;
  }

  /** The n-th number that is no constant of the programs. */
  private String text(int n) {
    int number = 0;
    for (int left = n; left > 0; left -= model.texts.contains(String.valueOf(number)) ? 0 : 1) {
      number++;
    }
    return String.valueOf(number);
  }
}
