package io.retso.verify.history;

import io.retso.verify.history.Step.Append;
import io.retso.verify.history.Step.Read;
import io.retso.verify.history.Transaction.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A well-formed list-append history: every completion has its invocation, a process runs one
 * transaction at a time, and no value is appended to a key twice. Immutable.
 *
 * <p>Memory: every list that was read is kept, 8 bytes a value.
 */
public final class History {
  /** Answer of {@link #writerOf} for a value that no transaction tried to append. */
  public static final int NOBODY = -1;

  private final List<Transaction> transactions;
  private final Map<Long, Map<Long, Integer>> writers;

  private History(List<Transaction> transactions, Map<Long, Map<Long, Integer>> writers) {
    this.transactions = List.copyOf(transactions);
    this.writers = writers;
  }

  /** All transactions; the one with id i is at i. */
  public List<Transaction> transactions() {
    return transactions;
  }

  /** The transaction with an id. */
  public Transaction transaction(int id) {
    return transactions.get(id);
  }

  /** The id of the transaction that appended, or tried to append, a value; or {@link #NOBODY}. */
  public int writerOf(long key, long value) {
    return writers.getOrDefault(key, Map.of()).getOrDefault(value, NOBODY);
  }

  /** Collects events in their order. Not safe for several threads. */
  public static final class Builder {
    private static final long[] EMPTY = {};

    private final Map<Long, Open> open = new HashMap<>();
    private final List<Transaction> ended = new ArrayList<>();
    private final Map<Long, Map<Long, Integer>> writers = new HashMap<>();
    private int invocations;
    private long lastIndex = -1;

    private record Open(int id, Event invocation) {}

    /** The index for an event that has none of its own. */
    public long nextIndex() {
      return lastIndex + 1;
    }

    /**
     * Adds the next event.
     *
     * @throws IllegalArgumentException if it does not fit; says why
     */
    public void add(Event event) {
      check(
          event.index() > lastIndex,
          "index %d does not follow index %d: the events must be in their order",
          event.index(),
          lastIndex);
      lastIndex = event.index();
      if (event.type() == Event.Type.INVOKE) {
        invoke(event);
      } else {
        complete(event);
      }
    }

    private void invoke(Event event) {
      Open before = open.get(event.process());
      check(
          before == null,
          "process %d invokes a transaction, but its last one (index %d) is not completed: a"
              + " process runs one at a time",
          event.process(),
          before == null ? 0 : before.invocation.index());
      int id = invocations++;
      for (Step step : event.steps()) {
        if (step instanceof Append append) {
          Integer first =
              writers
                  .computeIfAbsent(append.key(), key -> new HashMap<>())
                  .putIfAbsent(append.value(), id);
          check(
              first == null,
              "value %d is appended to key %d a second time: each append needs a value of its own",
              append.value(),
              append.key());
        }
      }
      open.put(event.process(), new Open(id, event));
    }

    private void complete(Event event) {
      Open before = open.remove(event.process());
      check(
          before != null,
          "process %d completes a transaction that it never invoked",
          event.process());
      checkSameSteps(before.invocation, event);
      ended.add(
          switch (event.type()) {
            case OK -> transaction(before, event, withValues(event.steps()), event.index());
            case FAIL -> transaction(before, event, event.steps(), event.index());
            default -> transaction(before, event, event.steps(), Transaction.NEVER);
          });
    }

    private static Transaction transaction(
        Open before, Event event, List<Step> steps, long completed) {
      Outcome outcome =
          switch (event.type()) {
            case OK -> Outcome.COMMITTED;
            case FAIL -> Outcome.ABORTED;
            default -> Outcome.UNKNOWN;
          };
      return new Transaction(
          before.id,
          event.process(),
          before.invocation.index(),
          completed,
          outcome,
          before.invocation.isolation(),
          List.copyOf(steps),
          event.timestamps(),
          event.error());
    }

    /** Elle writes the empty list as nil; only a transaction that ended well surely read it. */
    private static List<Step> withValues(List<Step> steps) {
      List<Step> known = new ArrayList<>(steps.size());
      for (Step step : steps) {
        known.add(
            step instanceof Read read && read.values() == null
                ? Step.read(read.key(), EMPTY)
                : step);
      }
      return known;
    }

    private static void checkSameSteps(Event invocation, Event completion) {
      List<Step> planned = invocation.steps();
      List<Step> done = completion.steps();
      boolean same = planned.size() == done.size();
      for (int i = 0; same && i < done.size(); i++) {
        Step step = done.get(i);
        same =
            step instanceof Append
                ? step.equals(planned.get(i))
                : planned.get(i) instanceof Read && planned.get(i).key() == step.key();
      }
      check(
          same,
          "process %d completes other steps than it invoked at index %d: repeat them and fill in"
              + " what was read",
          completion.process(),
          invocation.index());
    }

    private static void check(boolean holds, String otherwise, Object... details) {
      if (!holds) {
        throw new IllegalArgumentException(String.format(Locale.ROOT, otherwise, details));
      }
    }

    /** The history; transactions that are not completed have an unknown outcome. */
    public History build() {
      List<Transaction> all = new ArrayList<>(ended);
      for (Open left : open.values()) {
        all.add(
            transaction(left, asInfo(left.invocation), left.invocation.steps(), Transaction.NEVER));
      }
      all.sort(Comparator.comparingInt(Transaction::id));
      return new History(all, writers);
    }

    private static Event asInfo(Event invocation) {
      return new Event(
          invocation.index(),
          invocation.timeNanos(),
          Event.Type.INFO,
          invocation.process(),
          invocation.isolation(),
          invocation.steps(),
          invocation.timestamps(),
          "never completed");
    }
  }
}
