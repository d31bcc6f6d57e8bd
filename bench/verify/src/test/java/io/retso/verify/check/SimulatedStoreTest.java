package io.retso.verify.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.verify.history.Event;
import io.retso.verify.history.Event.Type;
import io.retso.verify.history.History;
import io.retso.verify.history.Step;
import io.retso.verify.history.Step.Append;
import io.retso.verify.history.Step.Read;
import io.retso.verify.history.TimestampPair;
import io.retso.verify.history.Transaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Long histories of a correct store pass; the same with one thing changed do not. */
class SimulatedStoreTest {
  private static final long SEED = Long.getLong("retso.verify.seed", 20_140_501);
  private static final int MUTATIONS = 50;

  private static Verdict check(List<Event> events) {
    return Checker.check(Txn.history(events, 0), Model.STRONG_SNAPSHOT_ISOLATION);
  }

  @Test
  void aCorrectStorePasses() {
    List<Event> events = SimulatedStore.run(new Random(SEED), 20_000, 200);
    Verdict verdict = check(events);
    assertTrue(verdict.isConsistent(), () -> "seed " + SEED + verdict.anomalies());
    assertEquals(20_200, verdict.ok() + verdict.failed() + verdict.unknown());
    assertEquals(List.of(), verdict.withoutLastRead());
    assertTrue(verdict.failed() > 100, "conflicts: " + verdict.failed());
    assertTrue(verdict.unknownSeen() > 100, "seen: " + verdict.unknownSeen());
    assertTrue(verdict.unknown() > verdict.unknownSeen() + 10, "not seen, too");
    assertTrue(verdict.writeSkews() > 0, "write skew is part of it");
  }

  @Test
  void itIsNotSerializableAndThatIsNoticed() {
    List<Event> events = SimulatedStore.run(new Random(SEED), 2_000, 20);
    Verdict verdict = Checker.check(Txn.history(events, 0), Model.STRICT_SERIALIZABILITY);
    Set<AnomalyKind> kinds = new HashSet<>(verdict.anomalyCounts().keySet());
    assertTrue(kinds.remove(AnomalyKind.G2_ITEM), () -> "seed " + SEED);
    kinds.remove(AnomalyKind.G2_ITEM_REALTIME);
    assertEquals(Set.of(), kinds, () -> "seed " + SEED);
  }

  /** A valid history and ways to break it. */
  private static final class Mutator {
    private final List<Event> events;
    private final History history;
    private final Random random;

    private Mutator(long seed) {
      random = new Random(seed);
      events = SimulatedStore.run(random, 600, 15);
      history = Txn.history(events, 0);
    }

    /** Place of a read: an event that is a commit, and one of its steps. */
    private record Place(int event, int step, Read read) {}

    /** A random read of others' values. */
    private Place read(int lengthMin) {
      while (true) {
        int event = random.nextInt(events.size());
        List<Step> steps = events.get(event).steps();
        int step = random.nextInt(steps.size());
        boolean isPure = steps.stream().filter(s -> s.key() == steps.get(step).key()).count() == 1;
        if (isPure
            && events.get(event).type() == Type.OK
            && steps.get(step) instanceof Read read
            && read.values().length >= lengthMin) {
          return new Place(event, step, read);
        }
      }
    }

    private Transaction writer(long key, long value) {
      return history.transaction(history.writerOf(key, value));
    }

    private Transaction reader(Place place) {
      return history.transactions().stream()
          .filter(t -> t.completed() == place.event)
          .findFirst()
          .orElseThrow();
    }

    private List<Event> with(Place place, long[] values) {
      List<Event> changed = new ArrayList<>(events);
      changed.set(place.event, with(events.get(place.event), place.step, values));
      return changed;
    }

    /** Without timestamps: they would give the change away. */
    private static Event with(Event event, int place, long[] values) {
      List<Step> steps = new ArrayList<>(event.steps());
      steps.set(place, Step.read(steps.get(place).key(), values));
      return new Event(
          event.index(),
          event.timeNanos(),
          event.type(),
          event.process(),
          event.isolation(),
          steps,
          TimestampPair.NONE,
          null);
    }

    private static long[] without(long[] values, int place) {
      return IntStream.range(0, values.length)
          .filter(i -> i != place)
          .mapToLong(i -> values[i])
          .toArray();
    }

    /** A value in the middle of a list is gone. */
    private Optional<List<Event>> hole() {
      Place place = read(2);
      int gone = random.nextInt(place.read.values().length - 1);
      return Optional.of(with(place, without(place.read.values(), gone)));
    }

    private Optional<List<Event>> swap() {
      Place place = read(2);
      long[] values = place.read.values().clone();
      int first = random.nextInt(values.length - 1);
      long value = values[first];
      values[first] = values[first + 1];
      values[first + 1] = value;
      return Optional.of(with(place, values));
    }

    /** A read of the list before an append that had completed when the reader was invoked. */
    private Optional<List<Event>> stale() {
      Place place = read(1);
      long[] values = place.read.values();
      int length = random.nextInt(values.length);
      boolean isOld = writer(place.read.key(), values[length]).precedes(reader(place));
      return isOld ? Optional.of(with(place, Arrays.copyOf(values, length))) : Optional.empty();
    }

    /** No read ever saw an acknowledged append. */
    private Optional<List<Event>> lost() {
      Place place = read(1);
      long key = place.read.key();
      long lost = place.read.values()[random.nextInt(place.read.values().length)];
      if (writer(key, lost).outcome() != Transaction.Outcome.COMMITTED) {
        return Optional.empty();
      }
      List<Event> changed = new ArrayList<>();
      for (Event event : events) {
        Event without = event;
        for (int s = 0; s < event.steps().size(); s++) {
          if (event.steps().get(s) instanceof Read read
              && read.key() == key
              && read.values() != null) {
            long[] kept = Arrays.stream(read.values()).filter(v -> v != lost).toArray();
            without = with(without, s, kept);
          }
        }
        changed.add(without);
      }
      return Optional.of(changed);
    }

    /** A reader sees one key of a transaction, and the other as it was before. */
    private Optional<List<Event>> fractured() {
      Place place = read(1);
      Set<Integer> seen = new HashSet<>();
      for (Step step : events.get(place.event).steps()) {
        if (step instanceof Read read && read.key() != place.read.key()) {
          Arrays.stream(read.values()).forEach(v -> seen.add(history.writerOf(read.key(), v)));
        }
      }
      long[] values = place.read.values();
      for (int i = values.length - 1; i >= 0; i--) {
        if (seen.contains(history.writerOf(place.read.key(), values[i]))) {
          return Optional.of(with(place, Arrays.copyOf(values, i)));
        }
      }
      return Optional.empty();
    }

    private Optional<List<Event>> garbage() {
      Place place = read(0);
      long[] values = Arrays.copyOf(place.read.values(), place.read.values().length + 1);
      values[values.length - 1] = 1_000_000_000;
      return Optional.of(with(place, values));
    }

    private Optional<List<Event>> twice() {
      Place place = read(1);
      long[] values = Arrays.copyOf(place.read.values(), place.read.values().length + 1);
      values[values.length - 1] = values[0];
      return Optional.of(with(place, values));
    }

    /** An append of a failed transaction shows up. */
    private Optional<List<Event>> aborted() {
      Place place = read(0);
      for (Transaction failed : history.transactions()) {
        for (Step step : failed.steps()) {
          if (failed.outcome() == Transaction.Outcome.ABORTED
              && step instanceof Append append
              && append.key() == place.read.key()) {
            long[] values = Arrays.copyOf(place.read.values(), place.read.values().length + 1);
            values[values.length - 1] = append.value();
            return Optional.of(with(place, values));
          }
        }
      }
      return Optional.empty();
    }

    /** The oracle gives a reader the timestamp of an older snapshot. */
    private Optional<List<Event>> oldTimestamp() {
      Place place = read(1);
      long[] values = place.read.values();
      Transaction writer = writer(place.read.key(), values[values.length - 1]);
      if (!writer.timestamps().hasCommit()) {
        return Optional.empty();
      }
      Event event = events.get(place.event);
      List<Event> changed = new ArrayList<>(events);
      changed.set(
          place.event,
          new Event(
              event.index(),
              event.timeNanos(),
              event.type(),
              event.process(),
              event.isolation(),
              event.steps(),
              new TimestampPair(writer.timestamps().commit() - 1, event.timestamps().commit()),
              null));
      return Optional.of(changed);
    }
  }

  private interface Mutation {
    Optional<List<Event>> apply(Mutator mutator);
  }

  private static void assertAllCaught(String name, Mutation mutation) {
    int made = 0;
    for (long seed = SEED; made < MUTATIONS; seed++) {
      long from = seed;
      Supplier<String> where = () -> name + " was not noticed, seed " + from;
      assertTrue(seed < SEED + 100L * MUTATIONS, "too few of " + name);
      Mutator mutator = new Mutator(seed);
      for (int i = 0; i < 10; i++) {
        Optional<List<Event>> changed = mutation.apply(mutator);
        if (changed.isPresent()) {
          assertTrue(!check(changed.get()).isConsistent(), where);
          made++;
        }
      }
    }
  }

  @Test
  void everyMutationIsNoticed() {
    assertAllCaught("a hole in a list", Mutator::hole);
    assertAllCaught("a swap", Mutator::swap);
    assertAllCaught("a stale read", Mutator::stale);
    assertAllCaught("a lost append", Mutator::lost);
    assertAllCaught("a fractured read", Mutator::fractured);
    assertAllCaught("garbage", Mutator::garbage);
    assertAllCaught("a value that is there twice", Mutator::twice);
    assertAllCaught("an aborted read", Mutator::aborted);
    assertAllCaught("an old timestamp", Mutator::oldTimestamp);
  }
}
