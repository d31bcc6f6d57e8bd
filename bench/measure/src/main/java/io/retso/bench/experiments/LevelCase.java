package io.retso.bench.experiments;

import io.retso.bench.stores.StoreKind;
import io.retso.workload.Isolation;
import java.util.List;

/**
 * What takes turns in an experiment: a store and a level, and what else it varies.
 *
 * @param <C> the type itself
 */
interface LevelCase<C> {
  /** Snapshot isolation, and serializable transactions if the store has them. */
  static List<Isolation> both(StoreKind store) {
    return store.levels().stream().filter(level -> level != Isolation.READ_COMMITTED).toList();
  }

  /** How many levels the stores of a plan have. */
  static long both(ExperimentPlan plan) {
    return plan.stores().kinds().stream().mapToLong(kind -> both(kind).size()).sum();
  }

  StoreKind store();

  Isolation level();

  /** This case at another level. */
  C at(Isolation other);
}
