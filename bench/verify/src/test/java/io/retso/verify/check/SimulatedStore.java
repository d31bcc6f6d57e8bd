package io.retso.verify.check;

import io.retso.verify.history.Event;
import io.retso.verify.history.Event.Type;
import io.retso.verify.history.Isolation;
import io.retso.verify.history.Step;
import io.retso.verify.history.Step.Append;
import io.retso.verify.history.TimestampPair;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A correct store with snapshots, in memory, and its clients: every event happens in an order that
 * a seed decides. Some clients never learn the outcome, and of their transactions some commit after
 * the client gave up.
 */
final class SimulatedStore {
  private static final int PROCESSES = 20;
  private static final int UNKNOWN_PERCENT = 3;

  private final Random random;
  private final int keys;
  private final int serializablePercent;
  private final List<Event> events = new ArrayList<>();
  private final Map<Long, List<Version>> store = new HashMap<>();
  private final List<Running> late = new ArrayList<>();
  private long clock;
  private long nextValue = 1;
  private long nextProcess;
  private boolean isEnding;

  private record Version(long value, long commit) {}

  private static final class Running {
    private final long process;
    private final List<Step> planned;
    private final Isolation isolation;
    private List<Step> done;
    private long start;
    private int phase;

    private Running(long process, List<Step> planned, Isolation isolation) {
      this.process = process;
      this.planned = planned;
      this.isolation = isolation;
    }
  }

  private SimulatedStore(Random random, int keys, int serializablePercent) {
    this.random = random;
    this.keys = keys;
    this.serializablePercent = serializablePercent;
  }

  /** Runs transactions over some keys; at the end one transaction for each key reads it. */
  static List<Event> run(Random random, int transactions, int keys) {
    return run(random, transactions, keys, 0);
  }

  /** Runs them so; this part of the transactions is serializable. */
  static List<Event> run(Random random, int transactions, int keys, int serializablePercent) {
    SimulatedStore store = new SimulatedStore(random, keys, serializablePercent);
    store.run(transactions);
    return store.events;
  }

  private void run(int transactions) {
    List<Running> running = new ArrayList<>();
    int begun = 0;
    while (begun < transactions || !running.isEmpty()) {
      if (running.size() < PROCESSES && begun < transactions) {
        running.add(new Running(nextProcess++, plan(), promise()));
        begun++;
      }
      Running next = running.get(random.nextInt(running.size()));
      if (advance(next)) {
        running.remove(next);
      }
      if (!late.isEmpty() && random.nextInt(20) == 0) {
        commit(late.remove(random.nextInt(late.size())));
      }
    }
    isEnding = true;
    for (long key = 0; key < keys; key++) {
      Running last = new Running(nextProcess++, List.of(Step.read(key)), Isolation.SNAPSHOT);
      boolean isDone = false;
      while (!isDone) {
        isDone = advance(last);
      }
    }
  }

  private List<Step> plan() {
    List<Step> steps = new ArrayList<>();
    boolean isReader = random.nextInt(3) == 0;
    for (int s = 1 + random.nextInt(4); s > 0; s--) {
      // Some keys are hot.
      long key = random.nextInt(1 + random.nextInt(keys));
      boolean isRead = isReader || random.nextBoolean();
      steps.add(isRead ? Step.read(key) : Step.append(key, nextValue++));
    }
    return steps;
  }

  /** The next event of a transaction; true if it was its last. */
  private boolean advance(Running running) {
    switch (running.phase++) {
      case 0 -> emit(Type.INVOKE, running, running.planned, TimestampPair.NONE);
      case 1 -> {
        running.start = ++clock;
        running.done = read(running);
      }
      case 2 -> {
        finish(running);
        return true;
      }
      default -> throw new IllegalStateException();
    }
    return false;
  }

  private void finish(Running running) {
    if (!isEnding && random.nextInt(100) < UNKNOWN_PERCENT) {
      emit(Type.INFO, running, running.planned, TimestampPair.started(running.start));
      late.add(running);
      return;
    }
    long commit = commit(running);
    if (commit < 0) {
      emit(Type.FAIL, running, running.planned, TimestampPair.started(running.start));
    } else {
      emit(Type.OK, running, running.done, new TimestampPair(running.start, commit));
    }
  }

  private void emit(Type type, Running running, List<Step> steps, TimestampPair timestamps) {
    long index = events.size();
    events.add(
        new Event(index, index, type, running.process, running.isolation, steps, timestamps, null));
  }

  private List<Step> read(Running running) {
    List<Step> done = new ArrayList<>();
    for (int i = 0; i < running.planned.size(); i++) {
      Step step = running.planned.get(i);
      done.add(step instanceof Append ? step : Step.read(step.key(), list(running, step, i)));
    }
    return done;
  }

  private long[] list(Running running, Step read, int before) {
    List<Version> versions = store.getOrDefault(read.key(), List.of());
    long[] values = new long[versions.size() + before];
    int size = 0;
    for (Version version : versions) {
      values[size++] = version.value;
    }
    for (Step step : running.planned.subList(0, before)) {
      if (step instanceof Append append && append.key() == read.key()) {
        values[size++] = append.value();
      }
    }
    return Arrays.copyOf(values, size);
  }

  private Isolation promise() {
    return serializablePercent > 0 && random.nextInt(100) < serializablePercent
        ? Isolation.SERIALIZABLE
        : Isolation.SNAPSHOT;
  }

  /**
   * The commit timestamp, or -1 if another transaction was first: in appending to one of its lists,
   * or, if it is serializable, to what it has read.
   */
  private long commit(Running running) {
    for (Step step : running.planned) {
      List<Version> versions = store.getOrDefault(step.key(), List.of());
      if ((step instanceof Append || running.isolation.isSerializable())
          && !versions.isEmpty()
          && versions.get(versions.size() - 1).commit > running.start) {
        return -1;
      }
    }
    long commit = ++clock;
    for (Step step : running.planned) {
      if (step instanceof Append append) {
        store
            .computeIfAbsent(append.key(), key -> new ArrayList<>())
            .add(new Version(append.value(), commit));
      }
    }
    return commit;
  }
}
