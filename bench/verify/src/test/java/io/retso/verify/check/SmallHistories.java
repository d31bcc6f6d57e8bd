package io.retso.verify.check;

import io.retso.verify.history.Event.Type;
import io.retso.verify.history.History;
import io.retso.verify.history.Isolation;
import io.retso.verify.history.Step;
import io.retso.verify.history.Step.Append;
import io.retso.verify.history.TimestampPair;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Tiny random histories of a store that is sometimes broken: snapshots from before the invocation,
 * snapshots that differ from key to key, commits despite conflicts, appends that get lost or come
 * in different orders, partial commits.
 */
final class SmallHistories {
  private static final int KEYS = 2;
  private static final int TIME = 1000;

  private final Random random;
  private final boolean isStale;
  private final boolean isFractured;
  private final boolean ignoresConflicts;
  private final boolean losesAppends;
  private final boolean isGarbled;

  /** Draws from a source of its own: what is drawn besides does not depend on it. */
  private final Random promises;

  private SmallHistories(Random random) {
    this.random = random;
    isStale = random.nextInt(3) == 0;
    isFractured = random.nextInt(3) == 0;
    ignoresConflicts = random.nextInt(3) == 0;
    losesAppends = random.nextInt(8) == 0;
    isGarbled = random.nextInt(8) == 0;
    promises = new Random(random.nextLong());
  }

  /** What a transaction is about to be: its instants, and per step the key and value. */
  private record Plan(int[] times, Type type, boolean commits, List<Step> steps) {
    int start() {
      return times[1];
    }

    int commit() {
      return times[2];
    }
  }

  /** An append that took effect. */
  private record Version(int commit, long key, long value) {}

  /** A random history; the last transaction reads all keys if that is asked for. */
  static History make(Random random, boolean isReadAtEnd) {
    return new SmallHistories(random).make(isReadAtEnd);
  }

  private History make(boolean isReadAtEnd) {
    List<Plan> plans = new ArrayList<>();
    int count = 2 + random.nextInt(4);
    long value = 1;
    Set<Integer> used = new HashSet<>();
    for (int i = 0; i < count; i++) {
      List<Step> steps = new ArrayList<>();
      for (int s = 1 + random.nextInt(3); s > 0; s--) {
        long key = random.nextInt(KEYS);
        steps.add(random.nextInt(5) < 3 ? Step.append(key, value++) : Step.read(key));
      }
      boolean isUnknown = random.nextInt(6) == 0;
      boolean commits = !isUnknown || random.nextBoolean();
      plans.add(new Plan(times(used), isUnknown ? Type.INFO : Type.OK, commits, steps));
    }
    plans.sort(Comparator.comparingInt(Plan::commit));
    List<Version> versions = new ArrayList<>();
    List<Txn> transactions = new ArrayList<>();
    for (Plan plan : plans) {
      transactions.add(run(plan, versions));
    }
    if (isReadAtEnd) {
      List<Step> reads = new ArrayList<>();
      for (long key = 0; key < KEYS; key++) {
        reads.add(Step.read(key));
      }
      Plan last = new Plan(new int[] {TIME, TIME, TIME, TIME + 1}, Type.OK, true, reads);
      transactions.add(run(last, versions));
    }
    return Txn.history(transactions);
  }

  private int[] times(Set<Integer> used) {
    int[] times = new int[4];
    for (int i = 0; i < times.length; i++) {
      do {
        times[i] = random.nextInt(TIME);
      } while (!used.add(times[i]));
    }
    Arrays.sort(times);
    return times;
  }

  private Txn run(Plan plan, List<Version> versions) {
    boolean conflicts = false;
    for (Version version : versions) {
      for (Step step : plan.steps) {
        conflicts |=
            step instanceof Append && step.key() == version.key && version.commit > plan.start();
      }
    }
    boolean isFailed = conflicts && !(ignoresConflicts && random.nextBoolean());
    Type type = isFailed && plan.type == Type.OK ? Type.FAIL : plan.type;
    List<Step> done = new ArrayList<>();
    int start = isStale && random.nextBoolean() ? random.nextInt(plan.start() + 1) : plan.start();
    long[] snapshot = new long[KEYS];
    for (int key = 0; key < KEYS; key++) {
      snapshot[key] = isFractured && random.nextBoolean() ? random.nextInt(TIME) : start;
    }
    for (int i = 0; i < plan.steps.size(); i++) {
      Step step = plan.steps.get(i);
      boolean isKnown = plan.type == Type.OK || random.nextBoolean();
      done.add(
          step instanceof Append || !isKnown
              ? step
              : Step.read(
                  step.key(),
                  list(
                      step.key(), snapshot[(int) step.key()], plan.steps.subList(0, i), versions)));
    }
    if (plan.commits && !isFailed) {
      for (Step step : plan.steps) {
        if (step instanceof Append append && !(losesAppends && random.nextInt(3) == 0)) {
          versions.add(new Version(plan.commit(), append.key(), append.value()));
        }
      }
    }
    return new Txn(plan.times[0], plan.times[3], type, promise(plan), TimestampPair.NONE, done);
  }

  /** The last transaction is not stale. */
  private Isolation promise(Plan plan) {
    boolean isReader = plan.steps.stream().noneMatch(Append.class::isInstance);
    if (promises.nextInt(3) == 0) {
      return Isolation.SNAPSHOT;
    }
    return isReader && plan.times[0] < TIME && promises.nextBoolean()
        ? Isolation.RECENT
        : Isolation.SERIALIZABLE;
  }

  private long[] list(long key, long snapshot, List<Step> before, List<Version> versions) {
    List<Long> values = new ArrayList<>();
    for (Version version : versions) {
      if (version.key == key && version.commit < snapshot) {
        values.add(version.value);
      }
    }
    for (Step step : before) {
      if (step instanceof Append append && append.key() == key) {
        values.add(append.value());
      }
    }
    if (isGarbled && values.size() > 1 && random.nextInt(4) == 0) {
      switch (random.nextInt(3)) {
        case 0 -> values.add(values.remove(random.nextInt(values.size())));
        case 1 -> values.remove(random.nextInt(values.size()));
        default -> values.set(random.nextInt(values.size()), (long) random.nextInt(12));
      }
    }
    return values.stream().mapToLong(Long::longValue).toArray();
  }
}
