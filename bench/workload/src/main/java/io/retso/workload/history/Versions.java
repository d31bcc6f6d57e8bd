package io.retso.workload.history;

import io.retso.verify.check.Relation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The committed transactions that wrote, read and replaced each version of each row. */
final class Versions {
  /** Answer for a writer that is not among them. */
  static final int NOBODY = -1;

  private final List<Recorded> committed;
  private final Map<Long, Integer> places = new HashMap<>();
  private final Map<Version, List<Integer>> readers = new HashMap<>();
  private final Map<Version, List<Integer>> replacers = new HashMap<>();

  private record Version(int row, long writer) {}

  /** Takes an edge to the transaction at a place of the list. */
  interface Edges {
    void edge(Relation relation, int row, int place);
  }

  Versions(List<Recorded> committed) {
    this.committed = committed;
    for (int i = 0; i < committed.size(); i++) {
      int place = i;
      Recorded transaction = committed.get(i);
      places.put(transaction.number(), place);
      transaction.reads().forEach((row, writer) -> add(readers, row, writer, place));
      for (int row : transaction.writes()) {
        Long replaced = transaction.reads().get(row);
        if (replaced != null) {
          add(replacers, row, replaced, place);
        }
      }
    }
  }

  private static void add(Map<Version, List<Integer>> of, int row, long writer, int place) {
    of.computeIfAbsent(new Version(row, writer), version -> new ArrayList<>(2)).add(place);
  }

  private static List<Integer> at(Map<Version, List<Integer>> of, int row, long writer) {
    return of.getOrDefault(new Version(row, writer), List.of());
  }

  int placeOf(long number) {
    return places.getOrDefault(number, NOBODY);
  }

  Recorded at(int place) {
    return committed.get(place);
  }

  /** All that come after a transaction, which need not be one of them; itself may be named. */
  void after(Recorded transaction, Edges found) {
    transaction
        .reads()
        .forEach(
            (row, writer) ->
                at(replacers, row, writer).forEach(by -> found.edge(Relation.RW, row, by)));
    for (int row : transaction.writes()) {
      at(readers, row, transaction.number()).forEach(by -> found.edge(Relation.WR, row, by));
    }
  }

  /** All that come before a transaction; itself may be named. */
  void before(Recorded transaction, Edges found) {
    transaction
        .reads()
        .forEach(
            (row, writer) -> {
              if (placeOf(writer) != NOBODY) {
                found.edge(Relation.WR, row, placeOf(writer));
              }
            });
    for (int row : transaction.writes()) {
      Long replaced = transaction.reads().get(row);
      if (replaced != null) {
        at(readers, row, replaced).forEach(by -> found.edge(Relation.RW, row, by));
      }
    }
  }
}
