package io.retso.verify.check;

import io.retso.verify.history.Event;
import io.retso.verify.history.Event.Type;
import io.retso.verify.history.History;
import io.retso.verify.history.Isolation;
import io.retso.verify.history.Step;
import io.retso.verify.history.Step.Read;
import io.retso.verify.history.TimestampPair;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** A transaction of a history that is written by hand, with the instants of its events. */
record Txn(
    int invoked,
    int completed,
    Type type,
    Isolation isolation,
    TimestampPair timestamps,
    List<Step> steps) {

  Txn(int invoked, int completed, Type type, TimestampPair timestamps, List<Step> steps) {
    this(invoked, completed, type, Isolation.SNAPSHOT, timestamps, steps);
  }

  static Txn ok(int invoked, int completed, Step... steps) {
    return new Txn(invoked, completed, Type.OK, TimestampPair.NONE, List.of(steps));
  }

  static Txn fail(int invoked, int completed, Step... steps) {
    return new Txn(invoked, completed, Type.FAIL, TimestampPair.NONE, List.of(steps));
  }

  static Txn info(int invoked, int completed, Step... steps) {
    return new Txn(invoked, completed, Type.INFO, TimestampPair.NONE, List.of(steps));
  }

  Txn at(long start, long commit) {
    return new Txn(invoked, completed, type, isolation, new TimestampPair(start, commit), steps);
  }

  Txn as(Isolation promised) {
    return new Txn(invoked, completed, type, promised, timestamps, steps);
  }

  /** The history of some transactions, whose instants must differ. */
  static History history(Txn... transactions) {
    return history(Arrays.asList(transactions));
  }

  static History history(List<Txn> transactions) {
    List<Event> events = new ArrayList<>();
    for (int process = 0; process < transactions.size(); process++) {
      Txn t = transactions.get(process);
      events.add(
          new Event(
              t.invoked,
              t.invoked,
              Type.INVOKE,
              process,
              t.isolation,
              planned(t.steps),
              TimestampPair.NONE,
              null));
      events.add(
          new Event(
              t.completed, t.completed, t.type, process, t.isolation, t.steps, t.timestamps, null));
    }
    events.sort(Comparator.comparingLong(Event::index));
    return history(events, 0);
  }

  static History history(List<Event> events, int from) {
    History.Builder builder = new History.Builder();
    events.subList(from, events.size()).forEach(builder::add);
    return builder.build();
  }

  static List<Step> planned(List<Step> steps) {
    return steps.stream().map(s -> s instanceof Read read ? Step.read(read.key()) : s).toList();
  }
}
