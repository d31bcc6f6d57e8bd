package io.retso.bench.experiments;

import io.retso.bench.stores.StoreKind;
import io.retso.workload.Isolation;
import java.util.List;

/**
 * What takes turns in an experiment.
 *
 * @param value of what the experiment varies beside store and level; 0 if it is nothing
 * @param varied the same for people, such as "scale 50"; empty if it is nothing
 */
public record LevelCase(StoreKind store, int value, String varied, Isolation level) {
  /** The levels that all stores have. */
  static final List<Isolation> BOTH = List.of(Isolation.SNAPSHOT, Isolation.SERIALIZABLE);

  /** This case at another level. */
  LevelCase at(Isolation other) {
    return new LevelCase(store, value, varied, other);
  }

  /** Store, and what is varied. */
  String place() {
    return varied.isEmpty() ? store.toString() : store + ", " + varied;
  }

  @Override
  public String toString() {
    return place() + ", " + level;
  }
}
