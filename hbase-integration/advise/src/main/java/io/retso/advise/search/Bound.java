package io.retso.advise.search;

import io.retso.advise.model.Operation.Kind;
import io.retso.advise.search.Model.Op;
import io.retso.advise.search.Model.Prog;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A program whose parameters have values, up to renaming: values that it shares with the pivot have
 * their number, others are private to it. Immutable.
 *
 * <p>A value is a constant, below 0, or the kind of the parameter and a number, below {@link
 * #PRIVATE} if it is the pivot's.
 */
final class Bound {
  /** Numbers from here on are private. */
  static final int PRIVATE = 128;

  private static final int NUMBER_BITS = 8;

  final int index;
  final Prog prog;
  final int[] values;

  Bound(int index, Prog prog, int[] values) {
    this.index = index;
    this.prog = prog;
    this.values = values;
  }

  static int value(int kind, int number) {
    return kind << NUMBER_BITS | number;
  }

  static boolean isPrivate(int value) {
    return value >= 0 && (value & (1 << NUMBER_BITS) - 1) >= PRIVATE;
  }

  static int kind(int value) {
    return value >> NUMBER_BITS;
  }

  /** The value of a part of a key. */
  int at(int part) {
    return part < 0 ? part : values[part];
  }

  /**
   * All bindings of a program, each up to renaming of what is private.
   *
   * @param shared values of the pivot
   */
  static List<Bound> all(Model model, int index, int[] shared) {
    Prog prog = model.programs.get(index);
    List<Bound> found = new ArrayList<>();
    bind(model, index, prog, shared, new int[prog.kinds().length], 0, found);
    return found;
  }

  private static void bind(
      Model model, int index, Prog prog, int[] shared, int[] values, int next, List<Bound> found) {
    if (next == values.length) {
      if (isDistinct(prog, values)) {
        found.add(new Bound(index, prog, values.clone()));
      }
      return;
    }
    int kind = prog.kinds()[next];
    for (int value : shared) {
      if (value >= 0 && kind(value) == kind) {
        values[next] = value;
        bind(model, index, prog, shared, values, next + 1, found);
      }
    }
    for (int constant : model.constants.get(kind)) {
      values[next] = constant;
      bind(model, index, prog, shared, values, next + 1, found);
    }
    int fresh = PRIVATE;
    for (int i = 0; i < next; i++) {
      if (values[i] >= 0 && kind(values[i]) == kind && isPrivate(values[i])) {
        fresh = Math.max(fresh, (values[i] & (1 << NUMBER_BITS) - 1) + 1);
      }
    }
    for (int number = PRIVATE; number <= fresh; number++) {
      values[next] = value(kind, number);
      bind(model, index, prog, shared, values, next + 1, found);
    }
  }

  private static boolean isDistinct(Prog prog, int[] values) {
    for (int[] set : prog.distinct()) {
      for (int i = 0; i < set.length; i++) {
        for (int j = 0; j < i; j++) {
          if (values[set[i]] == values[set[j]]) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /** Whether two rows are one, or one is within the other's prefix. */
  private boolean overlaps(Op mine, Bound other, Op its) {
    int parts = Math.min(mine.key().length, its.key().length);
    for (int i = 0; i < parts; i++) {
      if (at(mine.key()[i]) != other.at(its.key()[i])) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether this one, which ends last, cannot commit if the other committed while it ran: both
   * write or lock the same, or the other writes what this one validates.
   */
  boolean isRefusedBy(Bound other) {
    for (Op mine : prog.ops()) {
      if (mine.reads() && mine.kind() != Kind.VALIDATE) {
        continue;
      }
      for (Op its : other.prog.ops()) {
        boolean counts = mine.reads() ? its.kind() == Kind.WRITE : its.isProtected();
        if (counts
            && mine.table() == its.table()
            && mine.excludes(its)
            && overlaps(mine, other, its)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Whether the other one writes what this one reads. */
  boolean isOverwrittenBy(Bound other) {
    for (Op mine : prog.ops()) {
      if (!mine.reads()) {
        continue;
      }
      for (Op its : other.prog.ops()) {
        if (its.kind() == Kind.WRITE && mine.dependsOn(its) && overlaps(mine, other, its)) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * How what is private to the other one must be named for the two to depend on each other.
   *
   * @return for each part of its values the value of this one that it is, or -1 for any; {@code
   *     null} if they cannot depend on each other
   */
  int[] meeting(Bound other) {
    for (Op mine : prog.ops()) {
      for (Op its : other.prog.ops()) {
        if (mine.dependsOn(its)) {
          int[] renamed = renaming(mine, other, its);
          if (renamed != null) {
            return renamed;
          }
        }
      }
    }
    return null;
  }

  /** Finds a renaming, one to one, of the private values. */
  private int[] renaming(Op mine, Bound other, Op its) {
    int parts = Math.min(mine.key().length, its.key().length);
    int[] renamed = new int[other.values.length];
    Arrays.fill(renamed, -1);
    for (int i = 0; i < parts; i++) {
      int x = at(mine.key()[i]);
      int y = other.at(its.key()[i]);
      if (!isPrivate(x) || !isPrivate(y)) {
        if (x != y) {
          return null;
        }
        continue;
      }
      if (kind(x) != kind(y)) {
        return null;
      }
      for (int p = 0; p < renamed.length; p++) {
        boolean isIt = other.values[p] == y;
        if (isIt && renamed[p] >= 0 && renamed[p] != x || !isIt && renamed[p] == x) {
          return null;
        }
        renamed[p] = isIt ? x : renamed[p];
      }
    }
    return renamed;
  }
}
